// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Advertising
import Bluetooth

/// A device that advertises given bytes: no services, no flash.
package struct RawAdvertiser: SelfContainedDevice {
    package static let kind = "raw"
    package static let hasFlash = false

    /// The values that a profile gives.
    package struct Configuration: AdvertisingConfiguration {
        /// The PDU type.
        package var pdu: AdvertisingPDU
        /// The bytes of the advertising data, at most `AdvertisingPDU.capacity`; they need not be well-formed.
        package var advertisingData: [UInt8]
        /// The bytes of the scan response, at most `AdvertisingPDU.capacity`; empty for a PDU that is not scannable.
        package var scanResponse: [UInt8]
        package var advertising: AdvertisingSettings

        /// A configuration; the defaults are the same as in a profile that gives only the advertising data.
        package init(
            pdu: AdvertisingPDU = .nonConnectable, advertisingData: [UInt8], scanResponse: [UInt8] = [],
            advertising: AdvertisingSettings = AdvertisingSettings()
        ) {
            self.pdu = pdu
            self.advertisingData = advertisingData
            self.scanResponse = scanResponse
            self.advertising = advertising
        }
    }

    package private(set) var configuration: Configuration

    package init(_ configuration: Configuration) { self.configuration = configuration }

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
        return .done([.advertise(advertisement)])
    }

    /// The advertisement with the present settings.
    package var advertisement: Advertisement {
        Advertisement(
            pdu: configuration.pdu, advertisingData: AdvertisingData(verbatim: configuration.advertisingData),
            scanResponse: AdvertisingData(verbatim: configuration.scanResponse), settings: configuration.advertising)
    }
}

// MARK: - Profile

extension RawAdvertiser {
    package var advertising: AdvertisingSettings { configuration.advertising }
    package var frame: IBeacon? { AdvertisingData(verbatim: configuration.advertisingData).iBeacons.first }
    package var pdu: AdvertisingPDU? { configuration.pdu }

    package var advertisedName: String? {
        AdvertisingData(verbatim: configuration.advertisingData).localName
            ?? AdvertisingData(verbatim: configuration.scanResponse).localName
    }

    package static let settings: [Setting<Configuration>] =
        [
            Setting(
                "advertising-data", "up to 31 bytes in hexadecimal digits, such as 0201060303aafe", .payload,
                \.advertisingData,
                isRequired: true, parse: ValueText.payload, print: { DeviceWriter.quoted(Hexadecimal.string($0)) }),
            Setting(
                "scan-response", "up to 31 bytes", .payload, \.scanResponse, standard: "none", omits: \.isEmpty,
                parse: ValueText.payload, print: { DeviceWriter.quoted(Hexadecimal.string($0)) }),
            .pdu(\.pdu, standard: "ADV_NONCONN_IND; ADV_SCAN_IND with a scan response"),
        ] + Setting.advertising()

    package static let template = Configuration(advertisingData: [])

    package static func complete(_ configuration: inout Configuration, from reader: inout ProfileReader) {
        guard !configuration.scanResponse.isEmpty else { return }
        configuration.pdu = reader.pdu(configuration.pdu, default: .scannable)
        if !configuration.pdu.isScannable {
            reader.add(
                "\(configuration.pdu.rawValue) has no scan response; write ADV_SCAN_IND or ADV_IND, or leave pdu out",
                field: "pdu", at: reader.place(of: "pdu"))
        }
    }

    package var findings: [ProfileFinding] {
        let parts = [
            ("advertising data", configuration.advertisingData), ("scan response", configuration.scanResponse),
        ]
        return parts.filter { !AdvertisingData(verbatim: $0.1).isWellFormed }.map { name, _ in
            ProfileFinding(
                .warning, "data-malformed", affects: "all",
                "the \(name) is not all AD structures: bluetoothd and the kernel refuse it, and receivers ignore "
                    + "it, or part of it", hint: "correct its lengths, unless malformed data is what you test with")
        }
    }
}
