// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore

/// The parameters of one HCI command.
package protocol HCICommand: WireCodable {
    /// The command's number.
    static var opcode: HCIOpcode { get }
}

/// A command whose `HCICommandComplete` has more than a status when it succeeds.
package protocol HCIReturningCommand: HCICommand {
    /// The return parameters of success, the status first.
    ///
    /// A controller may answer a failed command with the status alone: look at `HCICommandComplete.status` before.
    associatedtype Returned: WireCodable & Hashable
}

/// A command without parameters.
package protocol HCIParameterlessCommand: HCICommand {
    init()
}

extension HCIParameterlessCommand {
    package init(parsing reader: inout ByteReader) throws(WireError) { self.init() }
    package func serialize(into writer: inout ByteWriter) {}
}
