// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Emulator

package struct ShowMetrics: Operation {
    package static let name = "metrics"
    package static let method = OperationMethod.get
    package static let path = "/metrics"
    package static let sentence = "The metrics of the run in the text format of Prometheus."

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> MetricsDocument {
        MetricsDocument(text: await run.report.text(of: run.emulator, run.watch))
    }
}

/// Metrics in the text format of Prometheus, version 0.0.4.
package struct MetricsDocument: Answer {
    private static let type = "text/plain; version=0.0.4; charset=utf-8"
    package static let description = AnswerDescription(statuses: [200], type: type, schema: .text)

    let text: String

    package var content: Content { .bytes(Array(text.utf8), type: Self.type) }
}
