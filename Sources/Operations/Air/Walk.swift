// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Emulator

package struct Walk: Operation {
    package static let name = "walk"
    package static let method = OperationMethod.post
    package static let path = "/v1/air/{name}/walk"
    package static let sentence =
        "Moves something on the virtual air along a path at constant speed; returns when the movement starts."
    package static let fields: [Field<Walk>] = [
        .required("name", .path, \.target, "the name on the air of a beacon, a receiver or a host"),
        .required("path", .member, \.path, "2 to 1000 positions in metres"),
        .required("over", .member, \.time, "the duration of the walk, such as 20s"),
    ]
    package static let failures: [EmulatorError.Code] = [.unknownBeacon, .unsupported]

    package var target = AirName()
    package var path = WalkPath()
    package var time = Duration.zero

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> WalkRecord {
        try await run.emulator.air.walk(target.text, through: path.places, over: time)
        return WalkRecord(name: target.text, path: path.places, over: time)
    }
}
