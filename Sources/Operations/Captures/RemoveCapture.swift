// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Emulator

package struct RemoveCapture: Operation {
    package static let name = "removeCapture"
    package static let method = OperationMethod.delete
    package static let path = "/v1/captures/{capture}"
    package static let sentence = "Ends and removes a capture, and returns its last state."
    package static let fields: [Field<RemoveCapture>] = [
        .required("capture", .path, \.capture, "the number of a capture")
    ]
    package static let failures: [EmulatorError.Code] = [.unknownCapture]

    package var capture = CaptureNumber()

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> CaptureRecord {
        try await run.emulator.removeCapture(capture.number)
    }
}
