// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// A service that a client discovered on a server.
public struct RemoteService: Hashable, Sendable {
    /// The service's type.
    public let uuid: BluetoothUUID
    /// The handles from its declaration to its last attribute.
    public let handles: ClosedRange<AttributeHandle>

    /// A service of this type in these handles.
    public init(uuid: BluetoothUUID, handles: ClosedRange<AttributeHandle>) {
        self.uuid = uuid
        self.handles = handles
    }
}

/// A characteristic that a client discovered on a server.
public struct RemoteCharacteristic: Hashable, Sendable {
    /// The characteristic's type.
    public let uuid: BluetoothUUID
    /// The operations that its value supports.
    public let properties: CharacteristicProperties
    /// The handle of its declaration.
    public let declaration: AttributeHandle
    /// The handle of its value.
    public let value: AttributeHandle
    /// Its last handle: the one before the next characteristic, or the end of the range that was searched.
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

    /// The handles that its descriptors may have; `nil` when its value is its last attribute.
    public var descriptorHandles: ClosedRange<AttributeHandle>? {
        value.successor.flatMap { $0 <= end ? $0...end : nil }
    }
}

/// A descriptor that a client discovered on a server.
public struct RemoteDescriptor: Hashable, Sendable {
    /// The descriptor's type.
    public let uuid: BluetoothUUID
    /// Its handle.
    public let handle: AttributeHandle

    /// A descriptor of this type with this handle.
    public init(uuid: BluetoothUUID, handle: AttributeHandle) {
        self.uuid = uuid
        self.handle = handle
    }
}
