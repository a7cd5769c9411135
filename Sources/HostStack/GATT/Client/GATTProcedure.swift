// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

/// A procedure of a GATT client (Core 5.4, Vol 3, Part G, 4).
package enum GATTProcedure: Hashable, Sendable {
    /// Agree on the maximum PDU length, once per connection. Returns `.mtu`.
    case exchangeMTU
    /// Discover all primary services. Returns `.services`.
    case discoverPrimaryServices
    /// Discover all secondary services, in the same way. Returns `.services`.
    case discoverSecondaryServices
    /// Discover the primary services of one type. Returns `.services`.
    case discoverPrimaryServicesByUUID(BluetoothUUID)
    /// Find the services that a service includes. Returns `.inclusions`.
    case findIncludedServices(in: ClosedRange<AttributeHandle>)
    /// Discover the characteristics of a service: all, or only the characteristics of one type. Returns
    /// `.characteristics`.
    case discoverCharacteristics(in: ClosedRange<AttributeHandle>, uuid: BluetoothUUID? = nil)
    /// Discover the descriptors of a characteristic, or all attributes in a range. Returns `.descriptors`.
    case discoverDescriptors(in: ClosedRange<AttributeHandle>)
    /// Read a whole value of any length. Returns `.value`.
    case read(AttributeHandle)
    /// Read a value from an offset to its end. Returns `.value`.
    case readLong(AttributeHandle, offset: UInt16)
    /// Read the values of one type in a range, each cut to fit a PDU. Returns `.values`.
    case readByUUID(BluetoothUUID, in: ClosedRange<AttributeHandle> = .all)
    /// Read several values with one request. Returns `.values`; the last may be cut to fit the PDU.
    case readMultiple([AttributeHandle])
    /// Write a whole value of any length. Returns `.done`.
    case write(AttributeHandle, [UInt8])
    /// Write a value from an offset with prepared writes. Returns `.done`.
    case writeLong(AttributeHandle, offset: UInt16 = 0, [UInt8])
    /// Write several values together with prepared writes. Returns `.done`.
    case reliableWrite([AttributeValue])
    /// Write a value that fits into one PDU, without a response. Returns `.done`.
    case writeWithoutResponse(AttributeHandle, [UInt8])
    /// Write a subscription to the client characteristic configuration with this handle; an empty one unsubscribes.
    /// Returns `.done`.
    case subscribe(AttributeHandle, ClientCharacteristicConfiguration)
    /// Find the client characteristic configuration of a characteristic, and write a subscription to it. Returns `.done`;
    /// fails with `.refused` and `attributeNotFound` if there is none.
    case subscribeTo(RemoteCharacteristic, ClientCharacteristicConfiguration)
}

/// The result of a procedure.
package enum GATTResult: Hashable, Sendable {
    case mtu(Int)
    case services([RemoteService])
    case inclusions([IncludedService])
    case characteristics([RemoteCharacteristic])
    case descriptors([RemoteDescriptor])
    case value([UInt8])
    case values([AttributeValue])
    case done
}

/// A service that another one includes, as a client discovered it.
package struct IncludedService: Hashable, Sendable {
    /// The handle of the include declaration.
    package let handle: AttributeHandle
    /// The included service.
    package let service: RemoteService
}

/// The value of an attribute.
package struct AttributeValue: Hashable, Sendable {
    /// The attribute.
    package let handle: AttributeHandle
    /// The value.
    package let value: [UInt8]

    /// The value of an attribute.
    package init(handle: AttributeHandle, value: [UInt8]) {
        self.handle = handle
        self.value = value
    }
}
