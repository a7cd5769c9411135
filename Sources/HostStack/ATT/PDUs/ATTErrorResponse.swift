// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
package import BluetoothCore

/// ATT_ERROR_RSP (Core 5.4, Vol 3, Part F, 3.4.1.1).
package struct ATTErrorResponse: ATTMessage {
    package static let opcode = ATTOpcode.errorResponse
    /// The request that failed.
    package let request: ATTOpcode
    /// The attribute that it failed at; 0x0000 when it was none.
    package let handle: AttributeHandle
    /// Why.
    package let error: ATTError

    /// A response that says that a request failed.
    package init(request: ATTOpcode, handle: AttributeHandle, error: ATTError) {
        self.request = request
        self.handle = handle
        self.error = error
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        request = ATTOpcode(rawValue: try reader.readUInt8())
        handle = try AttributeHandle(parsing: &reader)
        error = ATTError(rawValue: try reader.readUInt8())
    }

    package func serialize(into writer: inout ByteWriter) {
        writer.write(request.rawValue)
        handle.serialize(into: &writer)
        writer.write(error.rawValue)
    }
}
