// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore
package import Emulator
import Radio

package struct AddReceiver: Operation {
    package static let name = "addReceiver"
    package static let method = OperationMethod.post
    package static let path = "/v1/receivers"
    package static let sentence = "Adds a receiver with a server of its own to the virtual air."
    package static let fields: [Field<AddReceiver>] = [
        .required("name", .member, \.receiver, "its name on the air"),
        .optional("position", .member, \.position, "metres: x, y and, if not 0, the height; without it, 1 m from all"),
    ]
    package static let failures: [EmulatorError.Code] = [.conflict, .unsupported, .cannotCreate]

    package var receiver = NewName()
    package var position: Position?

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> Created<ReceiverRecord> {
        let added = try await run.emulator.addReceiver(receiver.text, at: position)
        return Created(ReceiverRecord(added.name, server: added))
    }
}
