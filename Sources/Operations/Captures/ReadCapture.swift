// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Emulator

package struct ReadCapture: Operation {
    package static let name = "readCapture"
    package static let method = OperationMethod.get
    package static let path = "/v1/captures/{capture}/packets"
    package static let sentence = "The packets of a capture so far, as a btsnoop file."
    package static let fields: [Field<ReadCapture>] = [
        .required("capture", .path, \.capture, "the number of a capture")
    ]
    package static let failures: [EmulatorError.Code] = [.unknownCapture]

    package var capture = CaptureNumber()

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> Packets {
        Packets(bytes: try await run.emulator.captureBytes(capture.number))
    }
}

/// A btsnoop file.
package struct Packets: Answer {
    private static let type = "application/octet-stream"
    package static let description = AnswerDescription(statuses: [200], type: type, schema: nil)

    package let bytes: [UInt8]

    package var content: Content { .bytes(bytes, type: Self.type) }
}

extension Packets: ReadableAnswer {
    package init(_ response: Response) { bytes = response.body }
}
