// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore
package import Emulator

package struct Move: Operation {
    package static let name = "move"
    package static let method = OperationMethod.put
    package static let path = "/v1/air/{name}/position"
    package static let sentence = "Moves something on the virtual air, and ends its movement."
    package static let fields: [Field<Move>] = [
        .required("name", .path, \.target, "the name on the air of a beacon, a receiver or a host"),
        .required("position", .member, \.position, "metres: x, y and, if not 0, the height"),
    ]
    package static let failures: [EmulatorError.Code] = [.unknownBeacon, .unsupported]

    package var target = AirName()
    package var position = Position(x: 0, y: 0)

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> MoveRecord {
        try await run.emulator.air.move(target.text, to: position)
        return MoveRecord(name: target.text, position: position)
    }
}
