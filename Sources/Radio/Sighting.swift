// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import BluetoothCore

/// An advertisement that was heard once.
public struct Sighting: Hashable, Sendable {
    /// What was heard (Core 5.4, Vol 6, Part B, 2.3).
    public enum PDU: String, Hashable, Sendable {
        case connectableScannable = "ADV_IND"
        case directed = "ADV_DIRECT_IND"
        case scannable = "ADV_SCAN_IND"
        case nonConnectable = "ADV_NONCONN_IND"
        case scanResponse = "SCAN_RSP"
        case extended = "ADV_EXT_IND"
        case extendedScanResponse = "AUX_SCAN_RSP"
    }

    /// Who sent it.
    public let device: RemoteAddress
    /// Which PDU; `nil` when the radio does not tell (see `ReceivingCapabilities.Limit.Subject`).
    public let pdu: PDU?
    /// Its data as heard, which need not be well-formed; or put together from what the radio tells of it.
    public let data: [UInt8]
    /// The received strength; `nil` when the radio does not know.
    public let rssi: RSSI?

    /// A sighting of these values.
    public init(device: RemoteAddress, pdu: PDU?, data: [UInt8], rssi: RSSI?) {
        self.device = device
        self.pdu = pdu
        self.data = data
        self.rssi = rssi
    }
}
