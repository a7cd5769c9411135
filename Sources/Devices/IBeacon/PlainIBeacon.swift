// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Advertising
import Bluetooth
package import BluetoothCore

/// A beacon that only advertises: no connection, no flash.
package struct PlainIBeacon: ProfiledDevice {
    package static let kind = "ibeacon"
    package static let hasFlash = false

    /// The values that a profile gives.
    package struct Configuration: Hashable, Sendable {
        /// The frame.
        package var frame: IBeacon
        /// The flags in front of the frame; `nil` leaves them out.
        package var flags: AdvertisingFlags?
        /// The PDU type.
        package var pdu: AdvertisingPDU
        /// The advertising interval.
        package var interval: AdvertisingInterval
        /// The radiated power; `nil` leaves it to the radio.
        package var transmitPower: TransmitPower?
        /// The address; `nil` leaves it to the radio.
        package var address: BluetoothAddress?
        /// 128-bit services named in the scan response.
        package var services: [UUID128]
        /// The name in the scan response.
        package var name: String?

        /// A configuration; the defaults are those of a profile that gives only the frame.
        package init(
            frame: IBeacon, flags: AdvertisingFlags? = .beacon, pdu: AdvertisingPDU = .nonConnectable,
            interval: AdvertisingInterval = AdvertisingInterval(160), transmitPower: TransmitPower? = nil,
            address: BluetoothAddress? = nil, services: [UUID128] = [], name: String? = nil
        ) {
            self.frame = frame
            self.flags = flags
            self.pdu = pdu
            self.interval = interval
            self.transmitPower = transmitPower
            self.address = address
            self.services = services
            self.name = name
        }
    }

    package private(set) var configuration: Configuration

    /// A beacon with these values.
    package init(_ configuration: Configuration) { self.configuration = configuration }

    package var advertisesWhileConnected: Bool { true }

    package var settings: [DeviceSetting] {
        [
            .uuid(configuration.frame.uuid), .major(configuration.frame.major), .minor(configuration.frame.minor),
            .measuredPower(configuration.frame.measuredPower), .interval(configuration.interval),
            .transmitPower(configuration.transmitPower),
        ]
    }

    package mutating func handle(_ input: DeviceInput, at now: DeviceTime) -> DeviceResponse {
        switch input {
        case .poweredOn: [.advertise(advertisement)]
        case .set(let settings): set(settings)
        case .wrote: .rejected(.writeNotPermitted)
        case .perform: .takesNoCommands
        case .connected, .disconnected, .readAnswered, .subscribed, .connectionUpdated, .responseReceived,
            .notificationReceived, .timePassed:
            []
        }
    }

    private mutating func set(_ settings: [DeviceSetting]) -> DeviceResponse {
        var changed = configuration
        for setting in settings {
            switch setting {
            case .uuid(let uuid): changed.frame.uuid = uuid
            case .major(let major): changed.frame.major = major
            case .minor(let minor): changed.frame.minor = minor
            case .measuredPower(let power): changed.frame.measuredPower = power
            case .transmitPower(let power): changed.transmitPower = power
            case .interval(let interval):
                guard AdvertisingInterval.legacyRange.contains(interval) else {
                    return .intervalOutOfRange
                }
                changed.interval = interval
            case .named(let name, _):
                return .refused(
                    "\(name): there is no such setting; settings are uuid, major, minor, measured-power, interval, "
                        + "tx-power")
            }
        }
        configuration = changed
        return .done([.advertise(advertisement)])
    }

    /// The advertisement with the present settings.
    package var advertisement: Advertisement {
        var scanResponse: AdvertisingData = []
        if configuration.pdu.isScannable {
            if !configuration.services.isEmpty {
                scanResponse.append(.serviceUUIDs128(configuration.services, isComplete: true))
            }
            let budget = AdvertisingPDU.capacity - scanResponse.size
            if let name = configuration.name.flatMap({ AdvertisingStructure.localName($0, fitting: budget) }) {
                scanResponse.append(name)
            }
        }
        return Advertisement(
            pdu: configuration.pdu, advertisingData: configuration.frame.advertisingData(flags: configuration.flags),
            scanResponse: scanResponse, interval: configuration.interval,
            transmitPower: configuration.transmitPower, address: configuration.address)
    }
}

// MARK: - Profile

extension PlainIBeacon {
    package var address: BluetoothAddress? { configuration.address }
    package var advertisedName: String? { configuration.name }
    package var interval: AdvertisingInterval { configuration.interval }
    package var transmitPower: TransmitPower? { configuration.transmitPower }
    package var frame: IBeacon? { configuration.frame }
    package var pdu: AdvertisingPDU? { configuration.pdu }

    package init?(from reader: inout ProfileReader) {
        let frame = reader.iBeacon(IBeacon(uuid: Self.noUUID, major: 0, minor: 0, measuredPower: MeasuredPower(-59)))
        if !reader.has("ibeacon") { reader.add("\"ibeacon\" is missing", field: nil, at: reader.place) }
        let services = reader.values("services", ValueText.uuid) ?? []
        let name = reader.value("name", ValueText.localName)
        let needsScanResponse = name != nil || !services.isEmpty
        let pdu = reader.value("pdu", ValueText.pdu) ?? (needsScanResponse ? .scannable : .nonConnectable)
        if needsScanResponse, !pdu.isScannable {
            reader.add(
                "\(pdu.rawValue) has no scan response to carry name and services; write ADV_SCAN_IND or ADV_IND, or "
                    + "leave pdu out", field: "pdu", at: reader.place(of: "pdu"))
        }
        if services.count > 1 {
            reader.add(
                "\(services.count) services of 16 octets do not fit into the 31 octets of a scan response; name one",
                field: "services", at: reader.place(of: "services"))
        }
        let flags = reader.value("flags", ValueText.flags)
        let interval = reader.value("interval", ValueText.radiatedInterval)
        let transmitPower = reader.value("tx-power", ValueText.transmitPower)
        let address = reader.value("address", ValueText.address)
        guard let frame else { return nil }
        self.init(
            Configuration(
                frame: frame, flags: flags ?? .beacon, pdu: pdu, interval: interval ?? AdvertisingInterval(160),
                transmitPower: transmitPower, address: address, services: services, name: name))
    }

    private static let noUUID = IoTDesignShopWire.service

    package func write(to writer: inout DeviceWriter) {
        writer.write("ibeacon", DeviceWriter.text(configuration.frame))
        writer.write("pdu", configuration.pdu.rawValue)
        if configuration.flags != .beacon { writer.write("flags", DeviceWriter.text(configuration.flags)) }
        if !configuration.services.isEmpty {
            writer.write("services", "[\(configuration.services.map(\.description).joined(separator: ", "))]")
        }
        writer.write("interval", DeviceWriter.text(configuration.interval))
        writer.write("tx-power", DeviceWriter.text(configuration.transmitPower))
        writer.write("name", configuration.name.map(DeviceWriter.quoted))
    }

    package static func recognized(from recorded: RawAdvertiser.Configuration) -> PlainIBeacon? {
        let data = AdvertisingData(verbatim: recorded.advertisingData)
        guard let frame = data.iBeacons.first else { return nil }
        let scanResponse = AdvertisingData(verbatim: recorded.scanResponse)
        return PlainIBeacon(
            Configuration(
                frame: frame, flags: data.flags, pdu: recorded.pdu, interval: recorded.interval,
                transmitPower: recorded.transmitPower, address: recorded.address,
                services: scanResponse.completeServices128, name: scanResponse.localName))
    }

    package var findings: [DeviceFinding] {
        var findings: [DeviceFinding] = []
        if configuration.flags == nil {
            findings.append(
                DeviceFinding(
                    .warning, "flags-missing", affects: "strict receivers",
                    "without flags, strict receivers ignore an iBeacon", hint: "leave flags out of the profile: 0x06"))
        }
        if !configuration.services.isEmpty, !configuration.pdu.isConnectable {
            findings.append(
                DeviceFinding(
                    .warning, "service-needs-connection", affects: "apps that connect",
                    "services are advertised in \(configuration.pdu.rawValue), which accepts no connections",
                    hint: "leave the services out, or use a connectable device such as iot-design-shop"))
        }
        return findings
    }
}

extension ProfileReader {
    /// The `ibeacon` mapping, with defaults for keys that are missing; `nil` when there is no such mapping.
    /// - Parameter defaults: the values of missing keys; the UUID is required where the mapping is.
    mutating func iBeacon(_ defaults: IBeacon, requiresUUID: Bool = true) -> IBeacon? {
        for key in ["uuid", "major", "minor", "measured-power"] { owners[key] = "ibeacon" }
        guard let node = node("ibeacon") else { return nil }
        var frame = defaults
        var values = child(node, "ibeacon")
        if node.mapping != nil {
            let uuid = requiresUUID ? values.required("uuid", ValueText.uuid) : values.value("uuid", ValueText.uuid)
            frame.uuid = uuid ?? frame.uuid
            frame.major = values.value("major", ValueText.unsigned16) ?? frame.major
            frame.minor = values.value("minor", ValueText.unsigned16) ?? frame.minor
            frame.measuredPower = values.value("measured-power", ValueText.measuredPower) ?? frame.measuredPower
        }
        add(values.finish())
        return frame
    }
}

extension AdvertisingData {
    /// The services of complete lists of 128-bit UUIDs.
    var completeServices128: [UUID128] {
        structures.flatMap { if case .serviceUUIDs128(let uuids, true) = $0 { uuids } else { [UUID128]() } }
    }
}
