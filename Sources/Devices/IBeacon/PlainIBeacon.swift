// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Advertising
import Bluetooth
package import BluetoothCore

/// A beacon that only advertises: no connection, no flash.
package struct PlainIBeacon: SelfContainedDevice {
    package static let kind = "ibeacon"
    package static let hasFlash = false

    /// The values that a profile gives.
    package struct Configuration: AdvertisingConfiguration {
        /// The frame.
        package var frame: IBeacon
        /// The flags in front of the frame; `nil` leaves them out.
        package var flags: AdvertisingFlags?
        /// The PDU type.
        package var pdu: AdvertisingPDU
        package var advertising: AdvertisingSettings
        /// 128-bit services named in the scan response.
        package var services: [UUID128]
        /// The name in the scan response.
        package var name: String?

        /// A configuration; the defaults are those of a profile that gives only the frame.
        package init(
            frame: IBeacon, flags: AdvertisingFlags? = .beacon, pdu: AdvertisingPDU = .nonConnectable,
            advertising: AdvertisingSettings = AdvertisingSettings(), services: [UUID128] = [], name: String? = nil
        ) {
            self.frame = frame
            self.flags = flags
            self.pdu = pdu
            self.advertising = advertising
            self.services = services
            self.name = name
        }
    }

    package private(set) var configuration: Configuration
    /// The advertising data with the present settings, encoded once for each change.
    private var advertisingData: AdvertisingData

    /// A beacon with these values.
    package init(_ configuration: Configuration) {
        self.configuration = configuration
        advertisingData = configuration.advertisingData
    }

    package var advertisesWhileConnected: Bool { true }

    package mutating func handle(_ input: DeviceInput, at now: DeviceTime) -> DeviceResponse {
        switch input {
        case .poweredOn: [.advertise(advertisement)]
        case .set(let changes): set(changes)
        case .wrote: .rejected(.writeNotPermitted)
        case .perform: .takesNoCommands
        case .connected, .disconnected, .readAnswered, .subscribed, .connectionUpdated, .responseReceived,
            .notificationReceived, .timePassed:
            []
        }
    }

    private mutating func set(_ changes: [SettingChange]) -> DeviceResponse {
        do throws(SettingRefusal) {
            try Self.settings.apply(changes, to: &configuration)
        } catch {
            return .refused(error.sentence)
        }
        advertisingData = configuration.advertisingData
        return .done([.advertise(advertisement)])
    }

    /// The advertisement with the present settings.
    package var advertisement: Advertisement {
        Advertisement(
            pdu: configuration.pdu, advertisingData: advertisingData, scanResponse: configuration.scanResponse,
            settings: configuration.advertising)
    }
}

extension PlainIBeacon.Configuration {
    fileprivate var advertisingData: AdvertisingData { frame.advertisingData(flags: flags) }

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
}

// MARK: - Profile

extension PlainIBeacon {
    package var advertising: AdvertisingSettings { configuration.advertising }
    package var advertisedName: String? { configuration.name }
    package var frame: IBeacon? { configuration.frame }
    package var pdu: AdvertisingPDU? { configuration.pdu }

    package static let settings: [Setting<Configuration>] =
        [
            Setting(.uuid, \.frame.uuid, in: "ibeacon", isRequired: true),
            Setting(.major, \.frame.major, in: "ibeacon"),
            Setting(.minor, \.frame.minor, in: "ibeacon"),
            Setting(.measuredPower, \.frame.measuredPower, in: "ibeacon"),
            Setting(
                "services", "a list with one 128-bit UUID, for the scan response", standard: "none",
                read: { reader, configuration in
                    configuration.services = reader.values("services", ValueText.uuid) ?? []
                    return true
                },
                write: { configuration, writer in
                    guard !configuration.services.isEmpty else { return }
                    writer.write("services", "[\(configuration.services.map(\.description).joined(separator: ", "))]")
                }),
            .name(\.name), .pdu(\.pdu, standard: "ADV_NONCONN_IND; ADV_SCAN_IND with a name or services"),
            .flags(\.flags),
        ] + Setting.advertising()

    package static let template = Configuration(
        frame: IBeacon(uuid: IoTDesignShopWire.service, major: 0, minor: 0, measuredPower: MeasuredPower(-59)))

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

    package static func recognized(from recorded: RawAdvertiser.Configuration) -> PlainIBeacon? {
        let data = AdvertisingData(verbatim: recorded.advertisingData)
        guard let frame = data.iBeacons.first else { return nil }
        let scanResponse = AdvertisingData(verbatim: recorded.scanResponse)
        return PlainIBeacon(
            Configuration(
                frame: frame, flags: data.flags, pdu: recorded.pdu, advertising: recorded.advertising,
                services: scanResponse.completeServices128, name: scanResponse.localName))
    }

    package var findings: [ProfileFinding] {
        var findings: [ProfileFinding] = []
        if configuration.flags == nil {
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

extension AdvertisingData {
    /// The services of complete lists of 128-bit UUIDs.
    var completeServices128: [UUID128] {
        structures.flatMap { if case .serviceUUIDs128(let uuids, true) = $0 { uuids } else { [UUID128]() } }
    }
}
