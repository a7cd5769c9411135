// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
package import BluetoothCore

/// The configuration service's UUIDs and value formats, as the maker's app has them.
package enum IoTDesignShopWire {
    /// The configuration service; it never changes, whatever is written.
    package static let service = uuid("2173E519-9155-4862-AB64-7953AB146156")
    /// 16 octets, the proximity UUID in text order.
    package static let beaconUUID = BluetoothUUID.bit128(uuid("2173E519-9155-4862-AB64-7953AB146157"))
    /// 4 octets: major, then minor, both little-endian; the iBeacon frame has them big-endian.
    package static let majorMinor = BluetoothUUID.bit128(uuid("2173E519-9155-4862-AB64-7953AB146158"))
    /// 4 octets: power code, then interval in 0.625 ms ticks, both little-endian.
    package static let transmitSettings = BluetoothUUID.bit128(uuid("2173E519-9155-4862-AB64-7953AB146159"))

    /// The service as it is declared: every characteristic readable, and writable with response.
    package static let declaration = GATTService(
        uuid: .bit128(service),
        characteristics: [beaconUUID, majorMinor, transmitSettings].map {
            GATTCharacteristic(uuid: $0, properties: [.read, .write])
        })

    /// The power that a code stands for: 0 is -23, 1 is -6 and 2 is 0 dBm; `nil` for any other.
    package static func transmitPower(code: UInt16) -> TransmitPower? {
        powers[code]
    }

    /// The code that stands for a power; `nil` when the hardware has none.
    package static func code(of power: TransmitPower) -> UInt16? {
        powers.first { $0.value == power }?.key
    }

    private static let powers: [UInt16: TransmitPower] = [
        0: TransmitPower(-23), 1: TransmitPower(-6), 2: TransmitPower(0),
    ]

    private static func uuid(_ text: String) -> UUID128 {
        guard let uuid = UUID128(text) else { preconditionFailure("\(text) is a UUID") }
        return uuid
    }
}
