// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Advertising
public import BluetoothCore
public import Radio

/// What a recording tells of one advertiser of legacy PDUs.
public struct HeardAdvertiser: Hashable, Sendable {
    /// Who it is.
    public let device: RemoteAddress
    /// The PDU type; `nil` when the radio did not tell.
    public let pdu: AdvertisingPDU?
    /// The advertising data that was heard most often.
    public let advertisingData: [UInt8]
    /// The scan response that was heard most often; `nil` when none was heard.
    public let scanResponse: [UInt8]?
    /// How many different advertising data were heard.
    public let variants: Int
    /// The estimated interval; `nil` when it was not heard often enough.
    public let interval: AdvertisingInterval?
    /// The median strength; `nil` when it is not known.
    public let rssi: RSSI?
    /// How often it was heard, scan responses left out.
    public let count: Int
}
