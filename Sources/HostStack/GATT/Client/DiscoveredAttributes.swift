// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import BluetoothCore
public import GATT

/// A service of a server, as a client found it.
public struct DiscoveredService: Hashable, Sendable {
    /// Its type.
    public let uuid: BluetoothUUID
    /// The handles from its declaration to its last attribute.
    public let handles: ClosedRange<AttributeHandle>

    /// A service of this type in these handles.
    public init(uuid: BluetoothUUID, handles: ClosedRange<AttributeHandle>) {
        self.uuid = uuid
        self.handles = handles
    }
}

/// A service that another one includes, as a client found it.
public struct DiscoveredInclusion: Hashable, Sendable {
    /// The handle of the declaration that says so.
    public let handle: AttributeHandle
    /// The included service.
    public let service: DiscoveredService

    /// An inclusion of this service.
    public init(handle: AttributeHandle, service: DiscoveredService) {
        self.handle = handle
        self.service = service
    }
}

/// A characteristic of a server, as a client found it.
public struct DiscoveredCharacteristic: Hashable, Sendable {
    /// Its type.
    public let uuid: BluetoothUUID
    /// What can be done with its value.
    public let properties: CharacteristicProperties
    /// The handle of its declaration.
    public let declaration: AttributeHandle
    /// The handle of its value.
    public let value: AttributeHandle
    /// Its last handle: in front of the next characteristic, or the end of what was searched.
    public let end: AttributeHandle

    /// A characteristic of this type in these handles.
    public init(
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
    public var descriptorHandles: ClosedRange<AttributeHandle>? {
        value.successor.flatMap { $0 <= end ? $0...end : nil }
    }
}

/// A descriptor, or any attribute, of a server, as a client found it.
public struct DiscoveredDescriptor: Hashable, Sendable {
    /// Its type.
    public let uuid: BluetoothUUID
    /// Its handle.
    public let handle: AttributeHandle

    /// A descriptor of this type and handle.
    public init(uuid: BluetoothUUID, handle: AttributeHandle) {
        self.uuid = uuid
        self.handle = handle
    }
}

/// A value and whose it is.
public struct AttributeValue: Hashable, Sendable {
    /// The attribute.
    public let handle: AttributeHandle
    /// Its value.
    public let value: [UInt8]

    /// The value of an attribute.
    public init(handle: AttributeHandle, value: [UInt8]) {
        self.handle = handle
        self.value = value
    }
}
