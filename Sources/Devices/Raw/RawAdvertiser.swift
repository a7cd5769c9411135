// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Advertising
import Bluetooth
package import BluetoothCore

/// A device that advertises given bytes: no services, no flash.
package struct RawAdvertiser: ProfiledDevice {
    package static let kind = "raw"
    package static let hasFlash = false

    /// The values that a profile gives.
    package struct Configuration: Hashable, Sendable {
        /// The PDU type.
        package var pdu: AdvertisingPDU
        /// The bytes of the advertising data, at most `AdvertisingPDU.capacity`; they need not be well-formed.
        package var advertisingData: [UInt8]
        /// The bytes of the scan response, at most `AdvertisingPDU.capacity`; empty for a PDU that is not scannable.
        package var scanResponse: [UInt8]
        /// The advertising interval.
        package var interval: AdvertisingInterval
        /// The radiated power; `nil` leaves it to the radio.
        package var transmitPower: TransmitPower?
        /// The address; `nil` leaves it to the radio.
        package var address: BluetoothAddress?

        /// A configuration; the defaults are those of a profile that gives only the advertising data.
        package init(
            pdu: AdvertisingPDU = .nonConnectable, advertisingData: [UInt8], scanResponse: [UInt8] = [],
            interval: AdvertisingInterval = AdvertisingInterval(160), transmitPower: TransmitPower? = nil,
            address: BluetoothAddress? = nil
        ) {
            self.pdu = pdu
            self.advertisingData = advertisingData
            self.scanResponse = scanResponse
            self.interval = interval
            self.transmitPower = transmitPower
            self.address = address
        }
    }

    package private(set) var configuration: Configuration

    /// A device with these values.
    package init(_ configuration: Configuration) { self.configuration = configuration }

    package var advertisesWhileConnected: Bool { true }

    package var settings: [DeviceSetting] {
        [.interval(configuration.interval), .transmitPower(configuration.transmitPower)]
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
            case .transmitPower(let power): changed.transmitPower = power
            case .interval(let interval):
                guard AdvertisingInterval.legacyRange.contains(interval) else {
                    return .intervalOutOfRange
                }
                changed.interval = interval
            case .uuid, .major, .minor, .measuredPower, .named:
                return .refused("\(setting.key): a raw advertiser has no such setting; it has interval and tx-power")
            }
        }
        configuration = changed
        return .done([.advertise(advertisement)])
    }

    /// The advertisement with the present settings.
    package var advertisement: Advertisement {
        Advertisement(
            pdu: configuration.pdu, advertisingData: AdvertisingData(verbatim: configuration.advertisingData),
            scanResponse: AdvertisingData(verbatim: configuration.scanResponse), interval: configuration.interval,
            transmitPower: configuration.transmitPower, address: configuration.address)
    }
}

// MARK: - Profile

extension RawAdvertiser {
    package var address: BluetoothAddress? { configuration.address }
    package var interval: AdvertisingInterval { configuration.interval }
    package var transmitPower: TransmitPower? { configuration.transmitPower }
    package var frame: IBeacon? { AdvertisingData(verbatim: configuration.advertisingData).iBeacons.first }
    package var pdu: AdvertisingPDU? { configuration.pdu }

    package var advertisedName: String? {
        AdvertisingData(verbatim: configuration.advertisingData).localName
            ?? AdvertisingData(verbatim: configuration.scanResponse).localName
    }

    package init?(from reader: inout ProfileReader) {
        let advertisingData = reader.required("advertising-data", ValueText.payload)
        let scanResponse = reader.value("scan-response", ValueText.payload) ?? []
        let pdu = reader.value("pdu", ValueText.pdu) ?? (scanResponse.isEmpty ? .nonConnectable : .scannable)
        if !scanResponse.isEmpty, !pdu.isScannable {
            reader.add(
                "\(pdu.rawValue) has no scan response; write ADV_SCAN_IND or ADV_IND, or leave pdu out", field: "pdu",
                at: reader.place(of: "pdu"))
        }
        let interval = reader.value("interval", ValueText.radiatedInterval)
        let transmitPower = reader.value("tx-power", ValueText.transmitPower)
        let address = reader.value("address", ValueText.address)
        guard let advertisingData else { return nil }
        self.init(
            Configuration(
                pdu: pdu, advertisingData: advertisingData, scanResponse: scanResponse,
                interval: interval ?? AdvertisingInterval(160), transmitPower: transmitPower, address: address))
    }

    package func write(to writer: inout DeviceWriter) {
        writer.write("pdu", configuration.pdu.rawValue)
        writer.write("advertising-data", DeviceWriter.quoted(Hexadecimal.string(configuration.advertisingData)))
        if !configuration.scanResponse.isEmpty {
            writer.write("scan-response", DeviceWriter.quoted(Hexadecimal.string(configuration.scanResponse)))
        }
        writer.write("interval", DeviceWriter.text(configuration.interval))
        writer.write("tx-power", DeviceWriter.text(configuration.transmitPower))
    }

    package var findings: [DeviceFinding] {
        let parts = [
            ("advertising data", configuration.advertisingData), ("scan response", configuration.scanResponse),
        ]
        return parts.filter { !AdvertisingData(verbatim: $0.1).isWellFormed }.map { name, _ in
            DeviceFinding(
                .warning, "data-malformed", affects: "all",
                "the \(name) is not all AD structures: bluetoothd and the kernel refuse it, and receivers ignore "
                    + "it, or part of it", hint: "correct its lengths, unless malformed data is what you test with")
        }
    }
}
