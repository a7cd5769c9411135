// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Emulator

package struct StartCapture: Operation {
    package static let name = "startCapture"
    package static let method = OperationMethod.post
    package static let path = "/v1/captures"
    package static let sentence = "Begins a capture in memory."
    package static let fields: [Field<StartCapture>] = [
        .optional("limit", .member, \.limit, "the limit of its size in bytes; without it, 16 MiB")
    ]
    package static let failures: [EmulatorError.Code] = [.badProfile, .unsupported, .cannotCreate]

    package var limit: CaptureLimit?

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> Created<CaptureRecord> {
        Created(try await run.emulator.startCapture(limit: limit?.bytes))
    }
}
