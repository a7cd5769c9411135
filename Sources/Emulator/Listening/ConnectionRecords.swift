// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
import Radio

/// A connection of a listening receiver as JSON.
package struct ConnectionRecord: Codable, Hashable, Sendable {
    /// The version of the format.
    package var v = 1
    package let address: String
    /// `public` or `random`.
    package let addressType: String
    /// The beacon of the run that it is connected to; absent for another device.
    package let device: String?
    /// The ATT_MTU, in bytes.
    package let mtu: Int
    /// When it was established, in UTC.
    package let since: String

    package init(_ device: RemoteAddress, beacon: String?, mtu: Int) {
        address = device.address.description
        addressType = (device.isRandom ? DeviceAddressType.random : .public).rawValue
        self.device = beacon
        self.mtu = mtu
        since = Timestamp.now
    }
}

/// A service of a connected device as JSON.
package struct ServiceRecord: Codable, Hashable, Sendable {
    /// The version of the format.
    package var v = 1
    package let uuid: String
    /// The handle of its declaration.
    package let handle: UInt16
    /// The handle of its last attribute.
    package let end: UInt16
    package let characteristics: [CharacteristicRecord]

    package init(_ service: RemoteService, _ characteristics: [CharacteristicRecord]) {
        uuid = service.uuid.description
        handle = service.handles.lowerBound.rawValue
        end = service.handles.upperBound.rawValue
        self.characteristics = characteristics
    }
}

/// A characteristic of a connected device as JSON.
package struct CharacteristicRecord: Codable, Hashable, Sendable {
    /// A descriptor.
    package struct Descriptor: Codable, Hashable, Sendable {
        package let handle: UInt16
        package let uuid: String

        init(_ descriptor: RemoteDescriptor) {
            handle = descriptor.handle.rawValue
            uuid = descriptor.uuid.description
        }
    }

    /// The handle of its value.
    package let handle: UInt16
    package let uuid: String
    /// Its name in the profile of the run; absent if it has none.
    package let name: String?
    /// The operations that it supports.
    package let properties: [String]
    package let descriptors: [Descriptor]

    package init(_ characteristic: RemoteCharacteristic, name: String?, _ descriptors: [RemoteDescriptor]) {
        handle = characteristic.value.rawValue
        uuid = characteristic.uuid.description
        self.name = name
        properties = characteristic.properties.names
        self.descriptors = descriptors.map(Descriptor.init)
    }
}

/// The value of a characteristic, read or sent by its device, as JSON.
package struct ValueRecord: Codable, Hashable, Sendable {
    /// The version of the format.
    package var v = 1
    /// When it was received, in UTC.
    package let time: String
    /// The handle of the value.
    package let handle: UInt16
    /// The type; absent for a value that was sent before the discovery of its characteristic.
    package let uuid: String?
    /// The bytes, in hexadecimal digits.
    package let value: String

    package init(_ handle: AttributeHandle, _ uuid: BluetoothUUID?, _ value: [UInt8]) {
        time = Timestamp.now
        self.handle = handle.rawValue
        self.uuid = uuid?.description
        self.value = Hexadecimal.string(value)
    }
}
