// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Emulator

package struct Stop: Operation {
    package static let name = "stop"
    package static let method = OperationMethod.post
    package static let path = "/v1/stop"
    package static let sentence = "Ends the run; the answer comes when its outputs and captures are complete."

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> Stopped {
        await run.emulator.stop()
        return Stopped(end: run.end)
    }
}

/// The end of a run.
package struct Stopped: Answer {
    private struct Body: Encodable {
        let stopped = true
    }

    package static let description = AnswerDescription.json(
        .record("Stopped", [.required("stopped", .boolean, "true: the run has ended, and its outputs are complete")]))

    /// What the answer waits for; `nil` for a client, which has the answer.
    private let end: RunEnd?

    init(end: RunEnd) { self.end = end }

    package var content: Content {
        .later { [end] in
            await end?.wait()
            return Body()
        }
    }
}

extension Stopped: ReadableAnswer {
    package init(_ response: Response) { end = nil }
}
