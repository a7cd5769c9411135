// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Emulator

package struct ShowHealth: Operation {
    package static let name = "health"
    package static let method = OperationMethod.get
    package static let path = "/v1/health"
    package static let sentence = "Whether everything that should be on the air is on the air."
    package static let failures: [EmulatorError.Code] = [.notReady]

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> Health {
        let summary = await run.emulator.airSummary()
        guard summary.isComplete else {
            throw EmulatorError(
                .notReady, Self.reason(summary),
                hint: "/v1/beacons has the state of each; /v1/events has the changes")
        }
        return Health(summary)
    }

    private static func reason(_ summary: AirSummary) -> String {
        if !summary.isRunning { return "the beacons are not on the radio: the run starts or ends" }
        if summary.missingCount > 0 { return summary.sentence }
        return summary.isRadioUp
            ? "not every beacon has been on the air yet: some are silent at present" : "the radio is off or lost"
    }
}

/// The health of a run.
package struct Health: Record {
    package static let schema = Schema.record(
        "Health",
        [
            .required(
                "status", .choice(["ok", "degraded"]),
                "the health; degraded if the profile cannot be used, and the last good one runs"
            ),
            .required("beacons", .integer, "the number of beacons"),
            .required("expected", .integer, "the number of those that should be on the air; all of them are"),
            .required("onAir", .integer, "the number of beacons that are on the air"),
        ])

    let status: String
    let beacons: Int
    let expected: Int
    let onAir: Int

    init(_ summary: AirSummary) {
        status = summary.usesLastGood ? "degraded" : "ok"
        beacons = summary.beacons
        expected = summary.expected
        onAir = summary.count(.onAir)
    }
}
