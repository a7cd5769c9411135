// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
package import BluetoothCore

/// A service of a server, as a client found it.
package struct DiscoveredService: Hashable, Sendable {
    /// Its type.
    package let uuid: BluetoothUUID
    /// The handles from its declaration to its last attribute.
    package let handles: ClosedRange<AttributeHandle>

    /// A service of this type in these handles.
    package init(uuid: BluetoothUUID, handles: ClosedRange<AttributeHandle>) {
        self.uuid = uuid
        self.handles = handles
    }
}

/// A service that another one includes, as a client found it.
package struct DiscoveredInclusion: Hashable, Sendable {
    /// The handle of the declaration that says so.
    package let handle: AttributeHandle
    /// The included service.
    package let service: DiscoveredService

    /// An inclusion of this service.
    package init(handle: AttributeHandle, service: DiscoveredService) {
        self.handle = handle
        self.service = service
    }
}

/// A characteristic of a server, as a client found it.
package struct DiscoveredCharacteristic: Hashable, Sendable {
    /// Its type.
    package let uuid: BluetoothUUID
    /// What can be done with its value.
    package let properties: CharacteristicProperties
    /// The handle of its declaration.
    package let declaration: AttributeHandle
    /// The handle of its value.
    package let value: AttributeHandle
    /// Its last handle: in front of the next characteristic, or the end of what was searched.
    package let end: AttributeHandle

    /// A characteristic of this type in these handles.
    package init(
        uuid: BluetoothUUID, properties: CharacteristicProperties, declaration: AttributeHandle,
        value: AttributeHandle, end: AttributeHandle
    ) {
        self.uuid = uuid
        self.properties = properties
        self.declaration = declaration
        self.value = value
        self.end = end
    }

    /// Where its descriptors are; `nil` when there is no room for one.
    package var descriptorHandles: ClosedRange<AttributeHandle>? {
        value.successor.flatMap { $0 <= end ? $0...end : nil }
    }
}

/// A descriptor, or any attribute, of a server, as a client found it.
package struct DiscoveredDescriptor: Hashable, Sendable {
    /// Its type.
    package let uuid: BluetoothUUID
    /// Its handle.
    package let handle: AttributeHandle

    /// A descriptor of this type and handle.
    package init(uuid: BluetoothUUID, handle: AttributeHandle) {
        self.uuid = uuid
        self.handle = handle
    }
}

/// A value and whose it is.
package struct AttributeValue: Hashable, Sendable {
    /// The attribute.
    package let handle: AttributeHandle
    /// Its value.
    package let value: [UInt8]

    /// The value of an attribute.
    package init(handle: AttributeHandle, value: [UInt8]) {
        self.handle = handle
        self.value = value
    }
}
