// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
package import BluetoothCore

/// The Apple Notification Center Service: a phone's notifications for an accessory.
///
/// The phone connects to the accessory and serves; the accessory advertises and is the client. All three characteristics
/// need a paired link on a real phone.
package enum ANCSService {
    /// The service.
    package static let uuid = BluetoothUUID.bit128(solicited)
    /// The service's type, as an accessory solicits it.
    package static let solicited = known("7905F431-B5CE-4E99-A40F-4B1E122D00D0")
    /// Notified: that a notification came, changed or went. The one that is always there.
    package static let notificationSource = BluetoothUUID.bit128(known("9FBF120D-6301-42D9-8C58-25E699A21DBD"))
    /// Written: what is wanted to be known or done.
    package static let controlPoint = BluetoothUUID.bit128(known("69D1D8F3-45E1-49A8-9821-9BBDFDAAD9D9"))
    /// Notified: what was wanted to be known, in pieces.
    package static let dataSource = BluetoothUUID.bit128(known("22EAC6E9-24D6-4BB5-BE44-B36ACE7C7BFB"))

    /// The service as a phone declares it.
    /// - Parameter security: what a link must offer.
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
        guard let uuid = UUID128(text) else { preconditionFailure("\(text) is written here as a UUID") }
        return uuid
    }
}

extension ATTError {
    /// ANCS: no such command.
    package static let ancsUnknownCommand = ATTError(rawValue: 0xA0)
    /// ANCS: the command is not written as it should be.
    package static let ancsInvalidCommand = ATTError(rawValue: 0xA1)
    /// ANCS: a parameter names nothing that there is, such as a notification of an earlier session.
    package static let ancsInvalidParameter = ATTError(rawValue: 0xA2)
    /// ANCS: the action was not performed.
    package static let ancsActionFailed = ATTError(rawValue: 0xA3)
}
