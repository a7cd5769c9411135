// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Advertising
public import BluetoothCore
public import GATT

/// A device of which nothing is known but what it advertises, octet for octet: no services, no flash.
public struct RawAdvertiser: Device {
    public static let kind = "raw"
    public static let hasFlash = false

    /// What a profile says of it.
    public struct Configuration: Hashable, Sendable {
        /// The PDU type.
        public var pdu: AdvertisingPDU
        /// The octets of the advertising data, at most `AdvertisingPDU.capacity`; they need not be well-formed.
        public var advertisingData: [UInt8]
        /// The octets of the scan response, as many; empty for a PDU that is not scannable.
        public var scanResponse: [UInt8]
        /// The advertising interval.
        public var interval: AdvertisingInterval
        /// The radiated power; `nil` leaves it to the radio.
        public var transmitPower: TransmitPower?
        /// The address; `nil` leaves it to the radio.
        public var address: BluetoothAddress?

        /// A configuration; the defaults are those of a profile that gives only the advertising data.
        public init(
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

    private var configuration: Configuration

    /// A device with these values.
    public init(_ configuration: Configuration) { self.configuration = configuration }

    public var services: [GATTService] { [] }

    public var settings: [DeviceSetting] {
        [.interval(configuration.interval), .transmitPower(configuration.transmitPower)]
    }

    public mutating func handle(_ input: DeviceInput, at now: DeviceTime) -> [DeviceOutput] {
        switch input {
        case .poweredOn: [.advertise(advertisement)]
        case .set(let settings): set(settings)
        case .read: [.reject(.readNotPermitted)]
        case .wrote: [.reject(.writeNotPermitted)]
        case .perform: [.takesNoCommands]
        case .connected, .disconnected, .subscribed, .retimed, .asked, .told, .timePassed: []
        }
    }

    public mutating func restore(from flash: FlashImage) throws(FlashFault) {}

    private mutating func set(_ settings: [DeviceSetting]) -> [DeviceOutput] {
        var changed = configuration
        for setting in settings {
            switch setting {
            case .transmitPower(let power): changed.transmitPower = power
            case .interval(let interval):
                guard AdvertisingInterval.legacyRange.contains(interval) else {
                    return [.refuse("interval: a radio can send every 20 ms to 10240 ms (32 to 16384 ticks)")]
                }
                changed.interval = interval
            case .uuid, .major, .minor, .measuredPower, .named:
                return [.refuse("\(setting.key): a raw advertiser has no such setting; it has interval and tx-power")]
            }
        }
        configuration = changed
        return [.acknowledge, .advertise(advertisement)]
    }

    /// What it advertises with its present settings.
    public var advertisement: Advertisement {
        Advertisement(
            pdu: configuration.pdu, advertisingData: AdvertisingData(verbatim: configuration.advertisingData),
            scanResponse: AdvertisingData(verbatim: configuration.scanResponse), interval: configuration.interval,
            transmitPower: configuration.transmitPower, address: configuration.address)
    }
}
