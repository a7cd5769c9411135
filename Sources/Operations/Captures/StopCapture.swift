// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Emulator

package struct StopCapture: Operation {
    package static let name = "stopCapture"
    package static let method = OperationMethod.post
    package static let path = "/v1/captures/{capture}/stop"
    package static let sentence = "Ends a capture; its packets stay."
    package static let fields: [Field<StopCapture>] = [
        .required("capture", .path, \.capture, "the number of a capture")
    ]
    package static let failures: [EmulatorError.Code] = [.unknownCapture]

    package var capture = CaptureNumber()

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> CaptureRecord {
        try await run.emulator.stopCapture(capture.number)
    }
}
