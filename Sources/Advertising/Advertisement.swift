// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import BluetoothCore

/// What a device wants on the air, whatever the radio.
public struct Advertisement: Hashable, Sendable {
    /// The PDU type.
    public var pdu: AdvertisingPDU
    /// The advertising data; at most `AdvertisingPDU.capacity` octets.
    public var advertisingData: AdvertisingData
    /// The scan response; at most `AdvertisingPDU.capacity` octets, and empty for a PDU that is not scannable.
    public var scanResponse: AdvertisingData
    /// The time between advertising events, without the random delay of up to 10 ms that the link layer adds.
    public var interval: AdvertisingInterval
    /// The radiated power; `nil` leaves it to the radio.
    public var transmitPower: TransmitPower?
    /// The address that the profile gives; `nil` leaves it to the radio.
    public var address: BluetoothAddress?

    /// An advertisement; nothing is checked here, see `problems`.
    public init(
        pdu: AdvertisingPDU, advertisingData: AdvertisingData, scanResponse: AdvertisingData = [],
        interval: AdvertisingInterval, transmitPower: TransmitPower? = nil, address: BluetoothAddress? = nil
    ) {
        self.pdu = pdu
        self.advertisingData = advertisingData
        self.scanResponse = scanResponse
        self.interval = interval
        self.transmitPower = transmitPower
        self.address = address
    }

    /// Why no radio can send this.
    public enum Problem: Hashable, Sendable {
        /// The advertising data has so many octets, more than 31.
        case advertisingDataTooLong(Int)
        /// The scan response has so many octets, more than 31.
        case scanResponseTooLong(Int)
        /// A scan response with a PDU that answers no scan request.
        case scanResponseNeedsScannablePDU
        /// An interval outside 0x0020...0x4000 ticks.
        case intervalOutOfRange(AdvertisingInterval)
    }

    /// Everything that no radio can send; empty when it is well formed.
    public var problems: [Problem] {
        var problems: [Problem] = []
        if advertisingData.size > AdvertisingPDU.capacity {
            problems.append(.advertisingDataTooLong(advertisingData.size))
        }
        if scanResponse.size > AdvertisingPDU.capacity { problems.append(.scanResponseTooLong(scanResponse.size)) }
        if !pdu.isScannable, scanResponse.size > 0 { problems.append(.scanResponseNeedsScannablePDU) }
        if !AdvertisingInterval.legacyRange.contains(interval) { problems.append(.intervalOutOfRange(interval)) }
        return problems
    }
}
