// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// The security manager's channel of a host that cannot pair (Core 5.4, Vol 3, Part H, 3.3).
public struct SecurityManagerChannel: Hashable, Sendable {
    /// What is to be done.
    public enum Output: Hashable, Sendable {
        /// Send this payload on the security manager's channel.
        case send([UInt8])
    }

    private static let pairingRequest: UInt8 = 0x01
    private static let pairingFailed: UInt8 = 0x05
    private static let securityRequest: UInt8 = 0x0B
    private static let pairingNotSupported: UInt8 = 0x05

    /// The channel of a new link.
    public init() {}

    /// Takes the payload of one frame: a request to pair fails, all else is left alone.
    public mutating func receive(_ payload: [UInt8]) -> [Output] {
        switch payload.first {
        case Self.pairingRequest, Self.securityRequest: [.send([Self.pairingFailed, Self.pairingNotSupported])]
        default: []
        }
    }
}
