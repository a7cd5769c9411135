// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
package import BluetoothCore

/// What a client can do with a server (Core 5.4, Vol 3, Part G, 4).
package enum GATTProcedure: Hashable, Sendable {
    /// Agree on the longest PDU; once a connection. Gives `.mtu`.
    case exchangeMTU
    /// Find all primary services. Gives `.services`.
    case discoverPrimaryServices
    /// Find the primary services of a type. Gives `.services`.
    case discoverPrimaryServicesByUUID(BluetoothUUID)
    /// Find what a service includes. Gives `.inclusions`.
    case findIncludedServices(in: ClosedRange<AttributeHandle>)
    /// Find the characteristics of a service; all, or those of a type. Gives `.characteristics`.
    case discoverCharacteristics(in: ClosedRange<AttributeHandle>, uuid: BluetoothUUID? = nil)
    /// Find the descriptors of a characteristic, or all attributes in a range. Gives `.descriptors`.
    case discoverDescriptors(in: ClosedRange<AttributeHandle>)
    /// Read a whole value, however long. Gives `.value`.
    case read(AttributeHandle)
    /// Read the values of a type in a range, cut to what one PDU takes. Gives `.values`.
    case readByUUID(BluetoothUUID, in: ClosedRange<AttributeHandle> = .all)
    /// Read several values at once, with their lengths. Gives `.values`, the last of them cut if need be.
    case readMultiple([AttributeHandle])
    /// Write a whole value, however long. Gives `.done`.
    case write(AttributeHandle, [UInt8])
    /// Write a value from an offset on by preparing and executing. Gives `.done`.
    case writeLong(AttributeHandle, offset: UInt16 = 0, [UInt8])
    /// Write several values together by preparing and executing. Gives `.done`.
    case reliableWrite([AttributeValue])
    /// Write a value that fits into one PDU; nobody says whether it arrived. Gives `.done`.
    case writeWithoutResponse(AttributeHandle, [UInt8])
    /// Say what one wants to be told, to the client configuration descriptor of this handle; nothing unsubscribes.
    /// Gives `.done`.
    case subscribe(AttributeHandle, ClientCharacteristicConfiguration)
    /// Find a characteristic's client configuration descriptor, and say there what one wants to be told. Gives `.done`;
    /// `.refused` with `attributeNotFound` when it has none.
    case subscribeTo(RemoteCharacteristic, ClientCharacteristicConfiguration)
}

/// What a procedure gives.
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
