// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import BluetoothCore
public import GATT

/// ATT_ERROR_RSP (Core 5.4, Vol 3, Part F, 3.4.1.1).
public struct ATTErrorResponse: ATTMessage {
    public static let opcode = ATTOpcode.errorResponse
    /// The request that failed.
    public let request: ATTOpcode
    /// The attribute that it failed at; 0x0000 when it was none.
    public let handle: AttributeHandle
    /// Why.
    public let error: ATTError

    /// A response that says that a request failed.
    public init(request: ATTOpcode, handle: AttributeHandle, error: ATTError) {
        self.request = request
        self.handle = handle
        self.error = error
    }

    public init(parsing reader: inout ByteReader) throws(WireError) {
        request = ATTOpcode(rawValue: try reader.readUInt8())
        handle = try AttributeHandle(parsing: &reader)
        error = ATTError(rawValue: try reader.readUInt8())
    }

    public func serialize(into writer: inout ByteWriter) {
        writer.write(request.rawValue)
        handle.serialize(into: &writer)
        writer.write(error.rawValue)
    }
}
