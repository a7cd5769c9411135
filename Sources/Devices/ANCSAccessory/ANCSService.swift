// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

/// The Apple Notification Center Service (ANCS), with which a phone sends notifications to an accessory.
///
/// The phone is the central and the GATT server; the accessory is the peripheral and the GATT client. On a real phone,
/// all three characteristics require pairing.
package enum ANCSService {
    /// The service.
    package static let uuid = BluetoothUUID.bit128(solicited)
    /// The UUID that an accessory solicits.
    package static let solicited = known("7905F431-B5CE-4E99-A40F-4B1E122D00D0")
    /// Notifies of added, modified and removed notifications; the only mandatory characteristic.
    package static let notificationSource = BluetoothUUID.bit128(known("9FBF120D-6301-42D9-8C58-25E699A21DBD"))
    /// Takes commands.
    package static let controlPoint = BluetoothUUID.bit128(known("69D1D8F3-45E1-49A8-9821-9BBDFDAAD9D9"))
    /// Notifies of responses to commands, in fragments.
    package static let dataSource = BluetoothUUID.bit128(known("22EAC6E9-24D6-4BB5-BE44-B36ACE7C7BFB"))

    /// The service of a phone.
    /// - Parameter security: the required security of the connection.
    package static func declaration(security: AttributeSecurity) -> GATTService {
        let permissions = AttributePermissions(read: security, write: security, subscribe: security)
        return GATTService(
            uuid: uuid,
            characteristics: [
                GATTCharacteristic(uuid: notificationSource, properties: .notify, permissions: permissions),
                GATTCharacteristic(uuid: controlPoint, properties: .write, permissions: permissions),
                GATTCharacteristic(uuid: dataSource, properties: .notify, permissions: permissions),
            ])
    }

    private static func known(_ text: String) -> UUID128 {
        guard let uuid = UUID128(text) else { preconditionFailure("\(text) is a UUID") }
        return uuid
    }
}

extension ATTError {
    /// ANCS: the command is unknown.
    package static let ancsUnknownCommand = ATTError(rawValue: 0xA0)
    /// ANCS: the command is malformed.
    package static let ancsInvalidCommand = ATTError(rawValue: 0xA1)
    /// ANCS: a parameter refers to a notification or an app that does not exist in this session.
    package static let ancsInvalidParameter = ATTError(rawValue: 0xA2)
    /// ANCS: the action was not performed.
    package static let ancsActionFailed = ATTError(rawValue: 0xA3)
}
