// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Emulator
package import JSON

package struct ListCaptures: Operation {
    package static let name = "listCaptures"
    package static let method = OperationMethod.get
    package static let path = "/v1/captures"
    package static let sentence = "The captures in memory, oldest first."

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> Listed<CaptureRecord> {
        Listed(await run.emulator.captureRecords)
    }
}

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
        Packets(blocks: try await run.emulator.captureBlocks(capture.number))
    }
}

/// A btsnoop file.
package struct Packets: Answer {
    private static let type = "application/octet-stream"
    package static let description = AnswerDescription(statuses: [200], type: type, schema: nil)

    private let blocks: [[UInt8]]
    /// The file.
    package var bytes: [UInt8] { Array(blocks.joined()) }

    package var content: Content { .bytes(BytesContent(blocks, type: Self.type, isShared: true)) }

    init(blocks: [[UInt8]]) { self.blocks = blocks }
}

extension Packets: ReadableAnswer {
    package init(_ response: Response) { self.init(blocks: [response.body]) }
}

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

extension CaptureRecord: ListedRecord, ReadableRecord {
    package static let plural = "captures"
    package static let schema = Schema.record(
        "Capture",
        [
            .version, .required("id", .integer(from: 1), "its number"),
            .required("state", .choice(State.self), "whether it takes packets"),
            .required("records", .integer, "the number of packets"),
            .required("bytes", .integer, "the size of the btsnoop file"),
            .required("limit", .integer, "the limit of that size"),
        ])
}
