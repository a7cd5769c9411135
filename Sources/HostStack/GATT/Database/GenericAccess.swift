// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth

/// The values of the Generic Access service (Core 5.4, Vol 3, Part C, 12).
package struct GenericAccess: Hashable, Sendable {
    /// The longest name, in bytes of UTF-8 (Core 5.4, Vol 3, Part C, 12.1).
    package static let longestName = 248

    /// The device's name; a name longer than `longestName` is cut between characters.
    package var name: String
    /// The appearance (Assigned Numbers, 2.6); 0 is unknown.
    package var appearance: UInt16
    /// The preferred connection parameters; `nil` omits the characteristic.
    var preferredConnectionParameters: ConnectionParameterUpdateRequest?

    /// A device of this name.
    package init(
        name: String, appearance: UInt16 = 0, preferredConnectionParameters: ConnectionParameterUpdateRequest? = nil
    ) {
        self.name = name
        self.appearance = appearance
        self.preferredConnectionParameters = preferredConnectionParameters
    }

    /// The declaration of the service.
    var service: GATTService {
        var types: [BluetoothUUID] = [.deviceName, .appearance]
        if preferredConnectionParameters != nil { types.append(.peripheralPreferredConnectionParameters) }
        return GATTService(
            uuid: .genericAccess, characteristics: types.map { GATTCharacteristic(uuid: $0, properties: .read) })
    }

    /// The value of one of its characteristics; `nil` for any other type.
    func value(of type: BluetoothUUID) -> [UInt8]? {
        var writer = ByteWriter()
        if type.isSame(as: .deviceName) {
            var name = name
            while name.utf8.count > Self.longestName { name.removeLast() }
            writer.write(Array(name.utf8))
        } else if type.isSame(as: .appearance) {
            writer.writeLittleEndian(appearance)
        } else if type.isSame(as: .peripheralPreferredConnectionParameters) {
            preferredConnectionParameters?.serialize(into: &writer)
        } else {
            return nil
        }
        return writer.bytes
    }
}

extension GATTService {
    /// The Generic Attribute service, which reports changes of the services (Core 5.4, Vol 3, Part G, 7).
    static var genericAttribute: GATTService {
        GATTService(
            uuid: .genericAttribute,
            characteristics: [
                GATTCharacteristic(uuid: .serviceChanged, properties: .indicate),
                GATTCharacteristic(uuid: .clientSupportedFeatures, properties: [.read, .write]),
                GATTCharacteristic(uuid: .databaseHash, properties: .read),
            ])
    }
}
