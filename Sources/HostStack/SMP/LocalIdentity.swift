// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
package import HCI

/// The identity of a device that uses private addresses (Core 5.4, Vol 6, Part B, 1.3.2.2).
package struct LocalIdentity: Hashable, Sendable {
    /// The identity address, which bonded peers receive: public or static random.
    package var address: PeerAddress
    /// The key that generates and resolves the private addresses, least significant byte first.
    package var resolvingKey: Octets<16>

    package init(address: PeerAddress, resolvingKey: Octets<16>) {
        self.address = address
        self.resolvingKey = resolvingKey
    }
}

extension BluetoothAddress {
    /// The lifetime of a private address (Core 5.4, Vol 3, Part C, Appendix A: T_GAP(private_addr_int)).
    static let privateAddressInterval = Duration.seconds(15 * 60)

    /// Whether its two most significant bits mark it as a resolvable private address.
    package var isResolvablePrivate: Bool { octets[0] & 0xC0 == 0x40 }

    /// Whether it was generated with this key.
    package func isResolved(by key: Octets<16>) -> Bool {
        isResolvablePrivate && Self.hash(of: octets.prefix(3), key: key) == Array(octets.suffix(3))
    }

    /// A new private address for this key.
    static func resolvablePrivate(key: Octets<16>, random: inout RandomSource) -> BluetoothAddress {
        var part = random.bytes(3)
        // The other bits must not all be 0, nor all be 1.
        while part[0] & 0x3F | part[1] | part[2] == 0 || (part[0] | 0xC0) & part[1] & part[2] == 0xFF {
            part = random.bytes(3)
        }
        part[0] = part[0] & 0x3F | 0x40
        return BluetoothAddress(octets: part + hash(of: part[...], key: key)) ?? .zero
    }

    /// The function ah (Core 5.4, Vol 3, Part H, 2.2.2), most significant byte first.
    static func hash(of part: ArraySlice<UInt8>, key: Octets<16>) -> [UInt8] {
        let block = [UInt8](repeating: 0, count: 13) + part
        return Array(SecurityCipher.block(block, key: key.bytes.reversed()).suffix(3))
    }
}
