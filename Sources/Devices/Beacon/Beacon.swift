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

    /// What a beacon with telemetry counts.
    private struct Count {
        /// The uptime at power-on.
        let poweredAt: Duration
        /// The estimated number of advertisements since then.
        var advertisements: AdvertisingEventCount
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
        /// That one and telemetry, in turns.
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
        Self.settings.values(of: configuration) + (transmittable?.texts ?? []).map { SettingValue($0.key, $0.text) }
    }

    package mutating func handle(_ input: DeviceInput, at now: DeviceTime) -> DeviceResponse {
        switch input {
        case .poweredOn:
            return DeviceResponse(powerOn(at: now.uptime))
        case .timePassed: return DeviceResponse(advertise(at: now.uptime))
        case .set(let changes): return set(changes, at: now.uptime)
        case .wrote: return .rejected(.writeNotPermitted)
        case .perform: return .takesNoCommands
        case .connected, .disconnected, .readAnswered, .subscribed, .connectionUpdated, .responseReceived,
            .notificationReceived:
            return []
        }
    }

    private mutating func set(_ changes: [SettingChange], at now: Duration) -> DeviceResponse {
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
    mutating func change(to changed: Configuration, at now: Duration) -> DeviceResponse {
        let former = advertisement
        values = Boxed(Values(changed))
        switch progress {
        case .turns(var count):
            count.advertisements.changeInterval(to: changed.advertising.interval, at: now)
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

    private mutating func powerOn(at now: Duration) -> [DeviceEffect] {
        if configuration.telemetry == nil {
            progress = .advertisement
        } else {
            let advertisements = AdvertisingEventCount(every: configuration.advertising.interval, from: now)
            progress = .turns(Count(poweredAt: now, advertisements: advertisements, current: advertisement))
            // The first one is never telemetry.
            _ = advertise(at: now)
        }
        return [.advertise(advertisement)]
    }

    /// Advertises the frame that is due, telemetry or the format's frame, if it differs from the current one, and sets
    /// the deadline of the next change. Without telemetry, nothing is due.
    private mutating func advertise(at now: Duration) -> [DeviceEffect] {
        guard var counted = count, let telemetry = configuration.telemetry else { return [] }
        let number = counted.advertisements.value(at: now)
        counted.nextDeadline = counted.advertisements.time(of: telemetry.nextChange(after: number))
        var wanted = advertisement
        if telemetry.isDue(after: number) {
            let frame = telemetry.frame(after: max(.zero, now - counted.poweredAt), count: number)
            wanted.advertisingData = frame.advertisingData(flags: configuration.flags)
        }
        let isNew = wanted != counted.current
        counted.current = wanted
        progress = .turns(counted)
        return isNew ? [.advertise(wanted)] : []
    }
}

extension Beacon.Configuration {
    /// The advertisement with the frame of the format.
    fileprivate var advertisement: Advertisement {
        let data = (frame.content as? any TransmittableBeacon)?.advertisingData(flags: flags) ?? []
        return Advertisement(pdu: pdu, advertisingData: data, scanResponse: scanResponse, settings: advertising)
    }
}

extension Beacon.Configuration {
    /// The services and the name; empty if the PDU is not scannable.
    fileprivate var scanResponse: AdvertisingData {
        guard pdu.isScannable else { return [] }
        var scanResponse: AdvertisingData = []
        if !services.isEmpty { scanResponse.append(.serviceUUIDs128(services, isComplete: true)) }
        let budget = AdvertisingPDU.capacity - scanResponse.size
        if let name = name.flatMap({ AdvertisingStructure.localName($0, fitting: budget) }) {
            scanResponse.append(name)
        }
        return scanResponse
    }

    /// Sets a key of the frame.
    /// - Throws: `SettingRefusal` that names the valid keys or describes the valid texts.
    fileprivate mutating func setKey(_ key: String, to text: String) throws(SettingRefusal) {
        guard let frame = frame.content as? any TransmittableBeacon else { return }
        do throws(ValueFault) {
            self.frame = try Self.frame(frame, setting: key, to: text)
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
        if let meaning = changed.set(key, to: text) { throw ValueFault("\"\(text)\" is not \(meaning)") }
        return BeaconFrame(changed)
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
            let frame = configuration.frame.content as? any TransmittableBeacon
            for (key, text) in frame?.texts ?? [] { writer.write(key, DeviceWriter.quoted(text)) }
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
                }, write: { $1.write("telemetry", $0.telemetry?.text) })
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
        if needsScanResponse { configuration.pdu = reader.pdu(configuration.pdu, default: .scannable) }
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
        let frame = Self.frame(from: &reader, format)
        var configuration = Configuration(frame: frame ?? Frame.template)
        _ = reader.read(Self.advertised, into: &configuration)
        Self.complete(&configuration, from: &reader)
        guard let frame else { return nil }
        let size = frame.advertisingData(flags: configuration.flags).size
        if size > AdvertisingPDU.capacity {
            reader.add(
                "the advertising data takes \(size) bytes, and a PDU carries \(AdvertisingPDU.capacity); leave out keys",
                field: "format", at: reader.place(of: "format"))
        }
        self.init(configuration)
    }

    /// The frame of the format's keys; `nil` when a required one is missing.
    private static func frame<Frame: TransmittableBeacon>(
        from reader: inout ProfileReader, _ format: Frame.Type
    ) -> Frame? {
        var frame = Frame.template
        var isComplete = true
        for key in Frame.keys {
            let parse = { (text: String) throws(ValueFault) -> Frame in
                var changed = frame
                guard key.set(text, &changed) else { throw ValueFault("\"\(text)\" is not \(key.meaning)") }
                return changed
            }
            let changed = key.isRequired ? reader.required(key.name, parse) : reader.value(key.name, parse)
            if let changed { frame = changed } else if key.isRequired { isComplete = false }
        }
        return isComplete ? frame : nil
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
