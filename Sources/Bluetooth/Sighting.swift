// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// An advertisement that was received once.
public struct Sighting: Hashable, Sendable {
    /// The type of the PDU (Core 5.4, Vol 6, Part B, 2.3).
    public enum PDU: String, Hashable, Sendable {
        case connectableScannable = "ADV_IND"
        case directed = "ADV_DIRECT_IND"
        case scannable = "ADV_SCAN_IND"
        case nonConnectable = "ADV_NONCONN_IND"
        case scanResponse = "SCAN_RSP"
        case extended = "ADV_EXT_IND"
        case extendedScanResponse = "AUX_SCAN_RSP"

        /// Whether it is the response to a scan request.
        package var isScanResponse: Bool { self == .scanResponse || self == .extendedScanResponse }
    }

    /// The sender.
    public let device: RemoteAddress
    /// The identity address of the sender, if `device` is a private address that the key of the radio's bond with it resolves;
    /// or `device`, if that is the identity address.
    public let identity: RemoteAddress?
    /// The type of the PDU; `nil` if the radio does not report it (see `ReceivingCapabilities.Limit.Subject`).
    public let pdu: PDU?
    /// The data as received, which need not be well-formed; or as restored from what the radio reports of it.
    public let data: [UInt8]
    /// The RSSI; `nil` if the radio does not report it.
    public let rssi: RSSI?

    /// A sighting of these values.
    public init(device: RemoteAddress, identity: RemoteAddress? = nil, pdu: PDU?, data: [UInt8], rssi: RSSI?) {
        self.device = device
        self.identity = identity
        self.pdu = pdu
        self.data = data
        self.rssi = rssi
    }
}

/// The address of a device, as it is on the air.
public struct RemoteAddress: Hashable, Sendable, CustomStringConvertible {
    /// The six bytes.
    public let address: BluetoothAddress
    /// Whether it is a random address, not a public one.
    public let isRandom: Bool

    /// An address of this kind.
    public init(_ address: BluetoothAddress, isRandom: Bool) {
        self.address = address
        self.isRandom = isRandom
    }

    /// The address and its kind as a number.
    package var bits: UInt64 { address.bits | (isRandom ? 1 << 48 : 0) }

    public func hash(into hasher: inout Hasher) { hasher.combine(bits) }

    /// `C0:FF:EE:00:00:01 (random)`
    public var description: String { "\(address) (\(isRandom ? "random" : "public"))" }
}
