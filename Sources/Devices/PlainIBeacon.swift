// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Advertising
import Bluetooth
package import BluetoothCore

/// A beacon that only advertises: no connection, no flash.
package struct PlainIBeacon: Device {
    package static let kind = "ibeacon"
    package static let hasFlash = false

    /// What a profile says of it.
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

    private var configuration: Configuration

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
                    return .refused("interval: a radio can send every 20 ms to 10240 ms (32 to 16384 ticks)")
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

    /// What it advertises with its present settings.
    package var advertisement: Advertisement {
        var scanResponse: AdvertisingData = []
        if configuration.pdu.isScannable {
            if !configuration.services.isEmpty {
                scanResponse.structures.append(.serviceUUIDs128(configuration.services, isComplete: true))
            }
            let budget = AdvertisingPDU.capacity - scanResponse.size
            if let name = configuration.name.flatMap({ AdvertisingStructure.localName($0, fitting: budget) }) {
                scanResponse.structures.append(name)
            }
        }
        return Advertisement(
            pdu: configuration.pdu, advertisingData: configuration.frame.advertisingData(flags: configuration.flags),
            scanResponse: scanResponse, interval: configuration.interval,
            transmitPower: configuration.transmitPower, address: configuration.address)
    }
}
