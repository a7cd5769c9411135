// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Emulator

package struct ShowCapture: Operation {
    package static let name = "showCapture"
    package static let method = OperationMethod.get
    package static let path = "/v1/captures/{capture}"
    package static let sentence = "A capture."
    package static let fields: [Field<ShowCapture>] = [
        .required("capture", .path, \.capture, "the number of a capture")
    ]
    package static let failures: [EmulatorError.Code] = [.unknownCapture]

    package var capture = CaptureNumber()

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> CaptureRecord {
        try await run.emulator.captureRecord(capture.number)
    }
}
