// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Advertising
package import Bluetooth

/// A beacon that advertises a frame of any format that can be sent.
///
/// The keys of the frame come from its format; they are also settings. With telemetry, every Nth advertisement is an
/// Eddystone-TLM frame. The number of advertisements in that frame is estimated from time and interval
/// (`AdvertisingEventCount`).
package struct Beacon: SelfContainedDevice {
    package static let kind = "beacon"
    package static let hasFlash = false

    /// The values that a profile gives.
    package struct Configuration: AdvertisingConfiguration {
        /// The frame, of a format that can be sent.
        package var frame: BeaconFrame
        /// The flags in front of the frame; `nil` leaves them out.
        package var flags: AdvertisingFlags?
        /// The PDU type.
        package var pdu: AdvertisingPDU
        package var advertising: AdvertisingSettings
        /// 128-bit services named in the scan response.
        package var services: [UUID128]
        /// The name in the scan response.
        package var name: String?
        /// The telemetry between the frames; `nil` sends none.
        package var telemetry: BeaconTelemetry? {
            get { rareTelemetry.value }
            set { rareTelemetry.value = newValue }
        }
        private var rareTelemetry = Rare<BeaconTelemetry>.none
        /// The values of keys of the frame that change in time, by their keys; empty for a frame that stays.
        package var generators: [String: Quantity] {
            get { rareGenerators.value ?? [:] }
            set { rareGenerators.value = newValue.isEmpty ? nil : newValue }
        }
        private var rareGenerators = Rare<[String: Quantity]>.none
        /// The key with which an `EncryptableBeacon` is encrypted; `nil` for a frame that is not.
        package var bindKey: BindKey? {
            get { rareKey.value }
            set { rareKey.value = newValue }
        }
        private var rareKey = Rare<BindKey>.none

        /// A configuration; the defaults are the same as in a profile that gives only the frame.
        package init(
            frame: some TransmittableBeacon, flags: AdvertisingFlags? = .beacon, pdu: AdvertisingPDU = .nonConnectable,
            advertising: AdvertisingSettings = AdvertisingSettings(), services: [UUID128] = [], name: String? = nil,
            telemetry: BeaconTelemetry? = nil
        ) {
            self.frame = BeaconFrame(frame)
            self.flags = flags
            self.pdu = pdu
            self.advertising = advertising
            self.services = services
            self.name = name
            self.telemetry = telemetry
        }
    }

    /// What a beacon counts whose advertisement changes in time.
    private struct Count {
        /// The uptime at power-on.
        let poweredAt: Duration
        /// The estimated number of advertisements since then.
        var advertisements: AdvertisingEventCount
        /// The frame with its values at present.
        var frame: BeaconFrame
        /// The counter of its encryption.
        var encryption: UInt32 = 0
        /// The last requested advertisement.
        var current: Advertisement
        var nextDeadline: Duration?
    }

    /// A configuration and its advertisement, which is made once, and shared by all that have it.
    private struct Values {
        let configuration: Configuration
        let advertisement: Advertisement

        init(_ configuration: Configuration) {
            self.configuration = configuration
            advertisement = configuration.advertisement
        }
    }

    /// What it has requested.
    private indirect enum Progress {
        case nothing
        /// The advertisement of its configuration.
        case advertisement
        /// That one with its values at present, and telemetry, in turns.
        case turns(Count)
    }

    // Two pointers: as an `any Device`, a beacon takes no memory of its own.
    private var values: Boxed<Values>
    private var progress = Progress.nothing

    package var configuration: Configuration { values.value.configuration }
    /// The advertisement with the frame of the format.
    private var advertisement: Advertisement { values.value.advertisement }

    private var count: Count? {
        if case .turns(let count) = progress { count } else { nil }
    }

    package var nextDeadline: Duration? { count?.nextDeadline }

    /// A beacon as it leaves the factory.
    package init(_ configuration: Configuration) { values = Boxed(Values(configuration)) }

    package var advertisesWhileConnected: Bool { true }

    package var settings: [SettingValue] {
        Self.settings.values(of: configuration) + configuration.frameTexts.map { SettingValue($0.key, $0.text) }
    }

    /// Whether its advertisement changes in time.
    private var changes: Bool {
        configuration.telemetry != nil || !configuration.generators.isEmpty || configuration.bindKey != nil
    }

    package mutating func handle(_ input: DeviceInput, at now: DeviceTime) -> DeviceResponse {
        switch input {
        case .poweredOn:
            return DeviceResponse(powerOn(at: now))
        case .timePassed: return DeviceResponse(advertise(at: now))
        case .set(let changes): return set(changes, at: now)
        case .wrote: return .rejected(.writeNotPermitted)
        case .perform: return .takesNoCommands
        case .connected, .disconnected, .readAnswered, .subscribed, .connectionUpdated, .responseReceived,
            .notificationReceived:
            return []
        }
    }

    private mutating func set(_ changes: [SettingChange], at now: DeviceTime) -> DeviceResponse {
        var changed = configuration
        for change in changes {
            let isOfFrame = transmittable?.texts.contains { $0.key == change.key } ?? false
            if !isOfFrame, !Self.settings.canChange(change.key), DeviceRegistry.commonSetting(change.key) != nil {
                return .refused("\(change.key): this beacon has no such setting")
            }
            do throws(SettingRefusal) {
                if !isOfFrame, Self.settings.canChange(change.key) {
                    try Self.settings.apply([change], to: &changed)
                } else {
                    try changed.setKey(change.key, to: change.text)
                }
            } catch {
                return .refused(error.sentence)
            }
        }
        return change(to: changed, at: now)
    }

    /// Takes another configuration with the same telemetry.
    mutating func change(to changed: Configuration, at now: DeviceTime) -> DeviceResponse {
        let former = advertisement
        values = Boxed(Values(changed))
        switch progress {
        case .turns(var count):
            count.advertisements.changeInterval(to: changed.advertising.interval, at: now.uptime)
            // What a setting has changed is not generated any more.
            if count.frame != changed.frame { count.encryption = Self.counter(after: count.encryption, at: now) }
            count.frame = changed.frame
            progress = .turns(count)
            return .done(advertise(at: now))
        case .advertisement where advertisement == former: return .done([])
        case .nothing, .advertisement:
            progress = .advertisement
            return .done([.advertise(advertisement)])
        }
    }

    // MARK: - Advertising

    private var transmittable: (any TransmittableBeacon)? { configuration.frame.content as? any TransmittableBeacon }

    private mutating func powerOn(at now: DeviceTime) -> [DeviceEffect] {
        guard changes else {
            progress = .advertisement
            return [.advertise(advertisement)]
        }
        let advertisements = AdvertisingEventCount(every: configuration.advertising.interval, from: now.uptime)
        progress = .turns(
            Count(
                poweredAt: now.uptime, advertisements: advertisements, frame: configuration.frame,
                encryption: Self.counter(after: 0, at: now), current: advertisement))
        // The first one is never telemetry.
        _ = advertise(at: now)
        return [.advertise(count?.current ?? advertisement)]
    }

    /// The counter of the encryption, which receivers take only if it grows, after a restart too: tenths of seconds since 2024, and at
    /// least one more than before.
    private static func counter(after former: UInt32, at now: DeviceTime) -> UInt32 {
        let tenths = (now.sinceUnixEpoch - .seconds(1_704_067_200)) / .milliseconds(100)
        return max(UInt32(clamping: Int(min(max(tenths, 0), 4_294_967_295))), former &+ 1)
    }

    /// Advertises the frame that is due, telemetry or the format's frame with its values, if it differs from the current one, and
    /// sets the deadline of the next change.
    private mutating func advertise(at now: DeviceTime) -> [DeviceEffect] {
        guard var counted = count else { return [] }
        let elapsed = max(.zero, now.uptime - counted.poweredAt)
        let frame = configuration.frame(counted.frame, after: elapsed)
        if frame != counted.frame { counted.encryption = Self.counter(after: counted.encryption, at: now) }
        counted.frame = frame
        var wanted = configuration.advertisement(of: frame, encryption: counted.encryption)
        let changes = configuration.generators.values.compactMap { $0.nextChange(after: elapsed) }
        counted.nextDeadline = changes.min().map { counted.poweredAt + $0 }
        if let telemetry = configuration.telemetry {
            let number = counted.advertisements.value(at: now.uptime)
            let turn = counted.advertisements.time(of: telemetry.nextChange(after: number))
            counted.nextDeadline = min(counted.nextDeadline ?? turn, turn)
            if telemetry.isDue(after: number) {
                let frame = telemetry.frame(after: elapsed, count: number)
                wanted.advertisingData = frame.advertisingData(flags: configuration.flags)
            }
        }
        let isNew = wanted != counted.current
        counted.current = wanted
        progress = .turns(counted)
        return isNew ? [.advertise(wanted)] : []
    }
}

extension Beacon.Configuration {
    /// The advertisement with the frame of the format, with the values that generators have first.
    fileprivate var advertisement: Advertisement { advertisement(of: frame(frame, after: .zero, counts: false)) }

    /// The advertisement with a frame.
    /// - Parameter encryption: the counter of its encryption.
    fileprivate func advertisement(of frame: BeaconFrame, encryption: UInt32 = 0) -> Advertisement {
        var content = frame.content as? any TransmittableBeacon
        if let address = advertising.address { content?.address = address }
        var data = content?.advertisingData(flags: flags) ?? []
        if let bindKey, let plain = content as? any EncryptableBeacon {
            let encrypted = plain.encrypted(with: bindKey, from: advertising.address ?? .zero, counter: encryption)
            data = data.mapStructures { $0 == plain.structure ? encrypted.structure : $0 }
        }
        return Advertisement(
            pdu: pdu, advertisingData: data,
            scanResponse: scanResponse(after: content?.scanResponse ?? []), settings: advertising)
    }

    /// A frame with the values of the generators a time after power came on; its counters count its changes.
    fileprivate func frame(_ frame: BeaconFrame, after elapsed: Duration, counts: Bool = true) -> BeaconFrame {
        guard !generators.isEmpty, let content = frame.content as? any TransmittableBeacon else { return frame }
        return Self.frame(content, generators.mapValues { $0.value(at: elapsed) }, counts: counts)
    }

    private static func frame<Frame: TransmittableBeacon>(
        _ frame: Frame, _ values: [String: Double], counts: Bool
    ) -> BeaconFrame {
        var changed = frame
        for (key, value) in values {
            guard let declared = Frame.keys.first(where: { $0.name == key }) else { continue }
            let bounds = declared.shape.bounds ?? value...value
            let clipped = min(max(value, bounds.lowerBound), bounds.upperBound)
            let text = declared.shape.isWhole ? ValueText.text(clipped.rounded()) : ValueText.text(clipped)
            _ = declared.set(text, &changed)
        }
        guard counts, changed != frame else { return BeaconFrame(changed) }
        return BeaconFrame(counting(changed, since: frame))
    }

    /// A frame whose counters that no value has set are one more.
    fileprivate static func counting<Frame: TransmittableBeacon>(_ frame: Frame, since former: Frame) -> Frame {
        var counted = frame
        for name in Frame.counters {
            guard let key = Frame.keys.first(where: { $0.name == name }) else { continue }
            let (text, formerText) = (key.text(frame) ?? "0", key.text(former) ?? "0")
            guard text == formerText, let number = Int(text) else { continue }
            if !key.set("\(number + 1)", &counted) { _ = key.set("0", &counted) }
        }
        return counted
    }
}

extension ValueShape {
    /// The range of the values that a generator can have in place of a value of this shape; `nil` for other shapes.
    package var bounds: ClosedRange<Double>? {
        switch self {
        case .number(let range, _): range
        case .integer(let range, _, _): Double(range.lowerBound)...Double(range.upperBound)
        case .either(let shapes): shapes.lazy.compactMap(\.bounds).first
        default: nil
        }
    }

    /// Whether its numbers are whole.
    fileprivate var isWhole: Bool {
        switch self {
        case .integer: true
        case .either(let shapes): shapes.contains { $0.isWhole }
        default: false
        }
    }
}

extension Beacon.Configuration {
    /// What the frame has there, the services and the name; empty if the PDU is not scannable.
    fileprivate func scanResponse(after frame: AdvertisingData) -> AdvertisingData {
        guard pdu.isScannable else { return [] }
        var scanResponse = frame
        if !services.isEmpty { scanResponse.append(.serviceUUIDs128(services, isComplete: true)) }
        let budget = AdvertisingPDU.capacity - scanResponse.size
        if let name = name.flatMap({ AdvertisingStructure.localName($0, fitting: budget) }) {
            scanResponse.append(name)
        }
        return scanResponse
    }

    /// The keys of the frame that are on the air, with their texts.
    fileprivate var frameTexts: [(key: String, text: String)] {
        let frame = frame.content as? any TransmittableBeacon
        return (frame?.texts ?? []).filter { !keysWithoutEncryption.contains($0.key) }
    }

    /// The keys whose values an encrypted frame does not have.
    private var keysWithoutEncryption: [String] {
        guard bindKey != nil, let frame = frame.content as? any EncryptableBeacon else { return [] }
        return type(of: frame).keysWithoutEncryption
    }

    /// Why a key has no effect on an encrypted frame; `nil` for a key that has.
    fileprivate func fault(withoutEffect key: String) -> String? {
        guard keysWithoutEncryption.contains(key) else { return nil }
        return "an encrypted frame of \(frame.format) has no \(key), or counts by itself; leave \(key) out"
    }

    /// Sets a key of the frame.
    /// - Throws: `SettingRefusal` that names the valid keys or describes the valid texts.
    fileprivate mutating func setKey(_ key: String, to text: String) throws(SettingRefusal) {
        guard let frame = frame.content as? any TransmittableBeacon else { return }
        do throws(ValueFault) {
            if let fault = fault(withoutEffect: key) { throw ValueFault(fault) }
            self.frame = try Self.frame(frame, setting: key, to: text)
            generators[key] = nil
        } catch {
            throw SettingRefusal(sentence: "\(key): \(error.message)")
        }
    }

    private static func frame<Frame: TransmittableBeacon>(
        _ frame: Frame, setting key: String, to text: String
    ) throws(ValueFault) -> BeaconFrame {
        let names = Frame.keys.map(\.name)
        guard names.contains(key) else {
            let common = Beacon.settings.values(of: Beacon.template).map(\.key)
            throw ValueFault(
                Spelling.unknown(
                    "\(Frame.formatName) has no setting \"\(key)\"", key, "settings", common + names))
        }
        var changed = frame
        if let fault = changed.set(key, to: text) { throw ValueFault(fault) }
        return BeaconFrame(changed == frame ? changed : counting(changed, since: frame))
    }
}

// MARK: - Profile

extension Beacon {
    package var advertising: AdvertisingSettings { configuration.advertising }
    package var advertisedName: String? { configuration.name }
    package var frame: IBeacon? { configuration.frame.content as? IBeacon }
    package var pdu: AdvertisingPDU? { configuration.pdu }

    package static let settings: [Setting<Configuration>] = [format] + advertised

    /// The format and the keys of its frame. `init(from:)` reads them before the other settings.
    private static let format = Setting<Configuration>(
        "format", "one of the formats below", .value(.choice(BeaconFormats.transmittable.map { $0.formatName })),
        isRequired: true, standard: "required", read: { _, _ in true },
        write: { configuration, writer in
            writer.write("format", configuration.frame.format)
            for (key, text) in configuration.frameTexts where configuration.generators[key] == nil {
                writer.write(key, DeviceWriter.quoted(text))
            }
            for (key, generator) in configuration.generators.sorted(by: { $0.key < $1.key }) {
                writer.write(key, AttributeWriter.text(generator))
            }
        })

    private static let advertised: [Setting<Configuration>] =
        [
            Setting(
                "telemetry",
                "of eddystone-uid and eddystone-url: makes every Nth advertisement an Eddystone-TLM frame, see below",
                .structure, standard: "none",
                read: { reader, configuration in
                    configuration.telemetry = BeaconTelemetry(from: &reader, with: configuration.frame.format)
                    return true
                }, write: { $1.write("telemetry", $0.telemetry?.text) }),
            Setting(
                "bind-key",
                "of bthome, pvvx, atc1441 and mibeacon: the key that encrypts the frames, 32 hexadecimal digits, such as ${KEY}",
                .value(.bytes(16...16)), standard: "not encrypted",
                read: { reader, configuration in
                    guard configuration.frame.content is any EncryptableBeacon else { return true }
                    if let key = reader.value("bind-key", { text throws(ValueFault) in try BindKey(text) }) {
                        configuration.bindKey = key
                    }
                    return true
                }, write: { $1.write("bind-key", secret: $0.bindKey?.bytes) }),
            Setting(
                "bind-key-file", "the file of such a key, beside the profile", .value(.any), standard: "none",
                read: { reader, configuration in
                    guard configuration.frame.content is any EncryptableBeacon else { return true }
                    let files = reader.files
                    let key = reader.value("bind-key-file") { path throws(ValueFault) in try BindKey(try files(path)) }
                    if let key { configuration.bindKey = key }
                    return true
                }, write: { _, _ in }),
        ] + inScanResponse + Setting.advertising()

    /// The settings beside the frame, for both forms of a beacon in a profile.
    static let inScanResponse: [Setting<Configuration>] = [
        Setting(
            "services", "a list with one 128-bit UUID, for the scan response", .list(.uuid, 0...1), standard: "none",
            read: { reader, configuration in
                configuration.services = reader.values("services", ValueText.uuid) ?? []
                return true
            },
            write: { configuration, writer in
                guard !configuration.services.isEmpty else { return }
                writer.write("services", "[\(configuration.services.map(\.description).joined(separator: ", "))]")
            }),
        .name(\.name), .pdu(\.pdu, standard: "ADV_NONCONN_IND; ADV_SCAN_IND with a name or services"), .flags(\.flags),
    ]

    package static let template = Configuration(frame: IBeacon.template)

    package static func complete(_ configuration: inout Configuration, from reader: inout ProfileReader) {
        let needsScanResponse = configuration.name != nil || !configuration.services.isEmpty
        if needsScanResponse {
            configuration.pdu = reader.pdu(
                configuration.pdu, default: configuration.pdu.isScannable ? configuration.pdu : .scannable)
        }
        if needsScanResponse, !configuration.pdu.isScannable {
            reader.add(
                "\(configuration.pdu.rawValue) has no scan response to carry name and services; write ADV_SCAN_IND or "
                    + "ADV_IND, or leave pdu out", field: "pdu", at: reader.place(of: "pdu"))
        }
        if configuration.services.count > 1 {
            reader.add(
                "\(configuration.services.count) services of 16 bytes do not fit into the 31 bytes of a scan response; "
                    + "name one", field: "services", at: reader.place(of: "services"))
        }
    }

    package init?(from reader: inout ProfileReader) {
        let format = reader.required("format") { text throws(ValueFault) in
            let formats = BeaconFormats.transmittable
            guard let format = formats.first(where: { $0.formatName == text }) else {
                throw ValueFault(
                    Spelling.unknown(
                        "there is no format \"\(text)\" to send", text, "formats", formats.map { $0.formatName }))
            }
            return format
        }
        guard let format else { return nil }
        self.init(from: &reader, format)
    }

    private init?<Frame: TransmittableBeacon>(from reader: inout ProfileReader, _ format: Frame.Type) {
        var generators: [String: Quantity] = [:]
        let frame = Self.frame(from: &reader, format, &generators)
        var configuration = Configuration(frame: frame ?? Frame.template, pdu: Frame.pdu)
        configuration.generators = generators
        _ = reader.read(Self.advertised, into: &configuration)
        Self.complete(&configuration, from: &reader)
        guard let frame else { return nil }
        if configuration.bindKey != nil, configuration.advertising.address == nil {
            reader.add(
                "encryption needs the address, with which receivers decrypt; write address, too", field: "bind-key",
                at: reader.place(of: "bind-key") ?? reader.place(of: "bind-key-file") ?? reader.place)
        }
        for key in Frame.keys.map(\.name) {
            guard let place = reader.place(of: key), let fault = configuration.fault(withoutEffect: key) else {
                continue
            }
            reader.add(fault, field: key, at: place)
        }
        let size = configuration.advertisement(of: BeaconFrame(frame)).advertisingData.size
        if size > AdvertisingPDU.capacity {
            reader.add(
                "the advertising data takes \(size) bytes, and a PDU carries \(AdvertisingPDU.capacity); leave out keys",
                field: "format", at: reader.place(of: "format"))
        }
        self.init(configuration)
    }

    /// The frame of the format's keys; `nil` when a required one is missing.
    /// - Parameter generators: gets the values that change in time.
    private static func frame<Frame: TransmittableBeacon>(
        from reader: inout ProfileReader, _ format: Frame.Type, _ generators: inout [String: Quantity]
    ) -> Frame? {
        var frame = Frame.template
        var isComplete = true
        for key in Frame.keys {
            if let bounds = key.shape.bounds, let quantity = reader.changingQuantity(key.name, in: bounds) {
                generators[key.name] = quantity
                continue
            }
            if key.isList, let texts = reader.texts(key.name) {
                guard key.set(texts.joined(separator: ", "), &frame) else {
                    reader.add(
                        "\(texts.joined(separator: ", ")) are not \(key.meaning)", field: key.name,
                        at: reader.place(of: key.name))
                    continue
                }
                continue
            }
            let parse = { (text: String) throws(ValueFault) -> Frame in
                var changed = frame
                guard key.set(text, &changed) else { throw ValueFault(key.fault(text)) }
                return changed
            }
            let changed = key.isRequired ? reader.required(key.name, parse) : reader.value(key.name, parse)
            if let changed { frame = changed } else if key.isRequired { isComplete = false }
        }
        return isComplete ? frame : nil
    }

    package static func recognized(from recorded: RawAdvertiser.Configuration) -> Beacon? {
        let data = AdvertisingData(verbatim: recorded.advertisingData)
        let scanResponse = AdvertisingData(verbatim: recorded.scanResponse)
        let frames = data.frames.compactMap { $0.content as? any TransmittableBeacon }
        // Another kind of device has iBeacons, which profiles write in one key.
        guard let frame = frames.first, !(frame is IBeacon), canBeWritten(frame) else { return nil }
        return Beacon(
            Configuration(
                frame: frame, flags: data.flags, pdu: recorded.pdu, advertising: recorded.advertising,
                services: scanResponse.completeServices128, name: scanResponse.localName))
    }

    /// Whether the keys of a frame make the same frame: reserved bytes have no key.
    private static func canBeWritten<Frame: TransmittableBeacon>(_ frame: Frame) -> Bool {
        var written = Frame.template
        let texts = frame.texts
        guard Frame.keys.allSatisfy({ key in !key.isRequired || texts.contains { $0.key == key.name } }) else {
            return false
        }
        return texts.allSatisfy { written.set($0.key, to: $0.text) == nil } && written == frame
    }

    /// The same beacon with telemetry in one of this number of advertisements.
    package func sending(_ telemetry: EddystoneTLM, every: Int) -> Beacon {
        var changed = configuration
        let (battery, temperature) = (Double(telemetry.batteryMillivolts), telemetry.celsius)
        changed.telemetry = BeaconTelemetry(
            every: min(max(every, 2), 1000), battery: battery > 0 ? .fixed(battery) : nil,
            temperature: temperature.map { .fixed($0) })
        return Beacon(changed)
    }

    package var findings: [ProfileFinding] {
        var findings: [ProfileFinding] = []
        if configuration.flags == nil, frame != nil {
            findings.append(
                ProfileFinding(
                    .warning, "flags-missing", affects: "strict receivers",
                    "without flags, strict receivers ignore an iBeacon", hint: "leave flags out of the profile: 0x06"))
        }
        if !configuration.services.isEmpty, !configuration.pdu.isConnectable {
            findings.append(
                ProfileFinding(
                    .warning, "service-needs-connection", affects: "apps that connect",
                    "services are advertised in \(configuration.pdu.rawValue), which accepts no connections",
                    hint: "leave the services out, or use a connectable device such as iot-design-shop"))
        }
        return findings
    }
}
