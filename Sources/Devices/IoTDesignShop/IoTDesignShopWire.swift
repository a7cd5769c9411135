// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
package import BluetoothCore

/// The configuration service as the beacon has it. `IoTDesignShop` has the values of its characteristics.
package enum IoTDesignShopWire {
    /// The configuration service; it never changes, whatever is written.
    package static let service = IoTDesignShop.service
    /// The proximity UUID.
    package static let beaconUUID = IoTDesignShop.beaconUUID
    /// The major and the minor number.
    package static let majorMinor = IoTDesignShop.majorMinor
    /// The power and the interval.
    package static let transmitSettings = IoTDesignShop.transmitSettings

    /// The declaration of the service: every characteristic can be read, and written with response.
    package static let declaration = GATTService(
        uuid: .bit128(service),
        characteristics: [beaconUUID, majorMinor, transmitSettings].map {
            GATTCharacteristic(uuid: $0, properties: [.read, .write])
        })

    /// The power of a code: 0 is -23, 1 is -6 and 2 is 0 dBm; `nil` for any other.
    package static func transmitPower(code: UInt16) -> TransmitPower? {
        IoTDesignShop.TransmitSettings.transmitPower(code: code)
    }

    /// The code of a power; `nil` if there is none.
    package static func code(of power: TransmitPower) -> UInt16? {
        IoTDesignShop.TransmitSettings.powerCode(of: power)
    }
}
