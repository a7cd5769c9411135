// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
package import Devices
package import Receiving

/// The settings of a receiver that scans within the run.
package struct ListenerSettings: Hashable, Sendable {
    /// What it receives like.
    package var phone: PhoneModel
    /// Window, interval and kind of the scan, instead of the phone's; `nil` for the phone's.
    package var scan: ScanParameters?
    /// Whether its app scans.
    package var isListening: Bool
    /// The state of its screen.
    package var screen: Screen
    /// Whether its Bluetooth is on.
    package var bluetooth = PhoneBluetooth.on
    /// Whether its user permits the app to find beacons.
    package var permission = PhonePermission.granted
    /// What estimates its place; `nil` for nothing.
    package var estimator: PlaceEstimator.Kind?
    /// Its hardware, and how a person carries it.
    package var traits = ReceiverTraits()
    /// Whether its app gives the system a filter for its scan; `nil` if that follows from the regions.
    package var isFiltered: Bool?
    /// The number of regions that its app may monitor; `nil` for any.
    package var regionLimit: Int? = maximumRegions
    /// The regions that it monitors from the start.
    package var regions: [RegionList.Entry]

    /// The number of regions that the app of an iPhone may monitor (Core Location).
    package static let maximumRegions = 20

    package init(
        phone: PhoneModel = .exact, scan: ScanParameters? = nil, isListening: Bool = true, screen: Screen = .on,
        regions: [RegionList.Entry] = []
    ) {
        self.phone = phone
        self.scan = scan
        self.isListening = isListening
        self.screen = screen
        self.regions = regions
    }

    /// The same without regions.
    package var withoutRegions: ListenerSettings {
        var settings = self
        settings.regions = []
        return settings
    }

    /// The same with another phone, which has a scan of its own.
    package func with(_ phone: PhoneModel) -> ListenerSettings {
        var settings = self
        settings.phone = phone
        settings.scan = nil
        return settings
    }

    /// Why its app receives nothing; `nil` if it can receive.
    package var obstacle: PhoneObstacle? {
        if permission == .denied { return .permissionDenied }
        return bluetooth == .off ? .bluetoothOff : nil
    }

    /// The keys of profiles that make a receiver one that scans within the run.
    package static let keys = [
        "phone", "scan", "regions", "listening", "screen", "bluetooth", "permission", "estimator",
    ]

    /// When it scans.
    package var plan: ScanPlan {
        var plan = phone.scan
        if let scan {
            plan.parameters = scan
            plan.limits?.first = nil
            plan.limits?.screenOff = nil
        }
        return plan
    }
}

extension ListenerSettings {
    /// Reads a region, which has no messages: a phone in a run announces nothing.
    private static func region(_ reader: inout ProfileReader) -> RegionList.Entry? {
        for key in ["hello", "goodbye", "at-most-once-per"] where reader.has(key) {
            reader.add("a receiver has no messages; leave it out", field: key, at: reader.place(of: key))
        }
        return RegionList.Entry(from: &reader)
    }

    /// Reads the keys of an entry of `receivers`; `nil` if it has none of them. Faults are added to the reader.
    static func read(from reader: inout ProfileReader) -> ListenerSettings? {
        guard keys.contains(where: reader.has) else { return nil }
        var settings = ListenerSettings()
        if let phone = PhoneModel.read(from: &reader) { settings.phone = phone }
        let phone = settings.phone
        settings.scan = reader.part("scan") { reader in
            let window = reader.value("window", ValueText.interval)
            let interval = reader.value("interval", ValueText.interval)
            let isActive = reader.value("active", ValueText.boolean)
            do throws(ValueFault) {
                return try ScanParameters(window: window, interval: interval, isActive: isActive, of: phone)
            } catch {
                reader.add(error.message, field: nil, at: reader.place(of: "window") ?? reader.place(of: "interval"))
                return nil
            }
        }
        if let isListening = reader.value("listening", ValueText.boolean) { settings.isListening = isListening }
        if let screen = reader.value("screen", ValueText.screen) { settings.screen = screen }
        let bluetooth = reader.value("bluetooth") { text throws(ValueFault) in
            try ValueText.choice(text, of: PhoneBluetooth.self)
        }
        if let bluetooth { settings.bluetooth = bluetooth }
        let permission = reader.value("permission") { text throws(ValueFault) in
            try ValueText.choice(text, of: PhonePermission.self)
        }
        if let permission { settings.permission = permission }
        settings.estimator = reader.value("estimator", ValueText.estimator)
        let regions = reader.parts("regions", of: "region", Self.region) ?? []
        reader.addDuplicates(in: "regions", regions, key: "id", name: \.identifier) { earlier, identifier in
            "\(earlier) has the id \"\(identifier)\" already; give every region its own"
        }
        if let limit = settings.regionLimit, regions.count > limit {
            reader.add(
                "an app monitors at most \(limit) regions; leave some out", field: "regions",
                at: reader.place(of: "regions"))
        }
        settings.regions = regions.compactMap(\.self)
        if let region = settings.regions.first(where: { !phone.reader.knows($0.identifiers) }) {
            reader.add(
                phone.cannotMonitor(region.identifier), field: "regions", at: reader.place(of: "regions"))
        }
        return settings
    }
}

extension PhoneModel {
    /// The preset of this name with a handset; `nil` for any handset.
    /// - Throws: `ValueFault` for names that there are not, or for a handset of another system.
    package init(preset: String, handset: String?) throws(ValueFault) {
        let model = try ValueText.phone(preset)
        guard let handset else {
            self = model
            return
        }
        guard let hardware = Handset.named(handset) else {
            throw ValueFault(
                Spelling.unknown("there is no handset \"\(handset)\"", handset, "handsets", things: Handset.names)
                    + " (beaconry schema phones prints all)")
        }
        guard let phone = model.with(hardware) else {
            let presets = PhoneModel.presets.filter { $0.with(hardware) != nil }.map(\.name)
            throw ValueFault(
                "\(handset) is not a handset of \(preset); write a preset that it can have, such as \(presets.last ?? "exact")"
            )
        }
        self = phone
    }

    /// Reads `phone`: the name of a preset, or `{ preset: android-9-low-power, handset: pixel-4 }`.
    fileprivate static func read(from reader: inout ProfileReader) -> PhoneModel? {
        guard reader.present("phone")?.mapping != nil else { return reader.value("phone", ValueText.phone) }
        return reader.part("phone") { reader in
            let handset = reader.value("handset") { text in text }
            let preset = reader.value("preset", ValueText.phone) ?? .exact
            do throws(ValueFault) {
                return try PhoneModel(preset: preset.name, handset: handset)
            } catch {
                reader.add(error.message, field: "handset", at: reader.place(of: "handset"))
                return nil
            }
        }
    }

    /// As profiles have it.
    package var text: String {
        handset.map { "{ preset: \(name), handset: \($0.name) }" } ?? name
    }

    /// Why its app cannot monitor a region with a namespace.
    package func cannotMonitor(_ region: String) -> String {
        "the app of \(name) has no regions of Eddystone namespaces, as \"\(region)\" is; write a uuid, or another phone"
    }
}

extension BeaconRegion {
    /// The region of an entry of a list.
    package init(_ entry: RegionList.Entry) {
        self.init(identifier: entry.identifier, entry.identifiers)
        notifiesOnDisplay = entry.notifiesOnDisplay
    }
}

extension ValueText {
    /// The preset of a phone.
    /// - Throws: `ValueFault` for a name that none has.
    package static func phone(_ text: String) throws(ValueFault) -> PhoneModel {
        guard let phone = PhoneModel.named(text) else {
            throw ValueFault(Spelling.unknown("there is no phone \"\(text)\"", text, "phones", PhoneModel.names))
        }
        return phone
    }

    /// `on` or `off`.
    /// - Throws: `ValueFault` for another text.
    static func screen(_ text: String) throws(ValueFault) -> Screen {
        guard let screen = Screen(rawValue: text) else {
            throw ValueFault("\"\(text)\" is not a screen; write on or off")
        }
        return screen
    }
}

extension ScanParameters {
    /// Parameters of a phone, some of which are replaced.
    /// - Throws: `ValueFault` for values out of range.
    package init(
        window: AdvertisingInterval?, interval: AdvertisingInterval?, isActive: Bool?, of phone: PhoneModel
    ) throws(ValueFault) {
        self = phone.scan.parameters
        // Each can be replaced alone: the other one follows it.
        if let interval { (self.interval, self.window) = (interval, min(self.window, interval)) }
        if let window { (self.window, self.interval) = (window, interval ?? max(window, self.interval)) }
        if let isActive { self.isActive = isActive }
        guard isValid else {
            throw ValueFault(
                "a scan window of \(self.window) in \(self.interval) cannot be; write 2.5ms to 10.24s, and a window no longer "
                    + "than the interval")
        }
    }
}

extension ScanParameters {
    /// As profiles have them: `{ window: 30ms, interval: 40ms, active: true }`.
    var text: String {
        "{ window: \(DeviceWriter.text(window)), interval: \(DeviceWriter.text(interval)), active: \(isActive) }"
    }
}

extension RegionList.Entry {
    /// Reads a region of a scenario, or of a receiver; `nil` when it does not make one. Faults are added to the reader.
    init?(from reader: inout ProfileReader) {
        let id = reader.required("id", ValueText.name)
        let identifiers = BeaconRegion.Identifiers(from: &reader)
        let exitAfter = reader.value("exit-after", ValueText.duration)
        let notifiesOnDisplay = reader.value("notify-on-display", ValueText.boolean) ?? false
        let hello = reader.value("hello", ValueText.message)
        let goodbye = reader.value("goodbye", ValueText.message)
        let atMostOncePer = reader.value("at-most-once-per", ValueText.duration)
        if reader.has("at-most-once-per"), !reader.has("hello"), !reader.has("goodbye") {
            reader.add(
                "at-most-once-per limits hello and goodbye; write one of them, too", field: "at-most-once-per",
                at: reader.place(of: "at-most-once-per"))
        }
        guard let id, let identifiers else { return nil }
        self.init(
            identifier: id, identifiers, hello: hello, goodbye: goodbye, atMostOncePer: atMostOncePer,
            exitAfter: exitAfter)
        self.notifiesOnDisplay = notifiesOnDisplay
    }

    /// As profiles have it, on one line.
    var text: String {
        let exit = exitAfter.map { "exit-after: \(DeviceWriter.text($0))" }
        let display = notifiesOnDisplay ? "notify-on-display: true" : nil
        let parts = ["id: \(DeviceWriter.quoted(identifier))"] + identifiers.pairs + [exit, display].compactMap(\.self)
        return "{ " + parts.joined(separator: ", ") + " }"
    }
}
