// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Devices
package import Emulator
package import JSON

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
        return Health(summary, await run.versions())
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
            .required("version", .text, "the version of the program"),
            .required("profiles", .array(ProfileVersion.schema), "the profiles in use"),
        ])

    let status: String
    let beacons: Int
    let expected: Int
    let onAir: Int
    let version: String
    let profiles: [ProfileVersion]

    init(_ summary: AirSummary, _ versions: RunVersions) {
        version = versions.version
        profiles = versions.profiles
        status = summary.usesLastGood ? "degraded" : "ok"
        beacons = summary.beacons
        expected = summary.expected
        onAir = summary.count(.onAir)
    }
}

package struct ShowVersion: Operation {
    package static let name = "version"
    package static let method = OperationMethod.get
    package static let path = "/v1/version"
    package static let sentence = "The versions of the program, of the HTTP API, and of the profiles in use."

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> RunVersions { await run.versions() }
}

extension RunContext {
    /// What runs.
    package func versions() async -> RunVersions {
        RunVersions(version: version, profiles: await emulator.profileVersions())
    }
}

/// The versions of the program, of the API, and of the profiles in use.
package struct RunVersions: Codable, Hashable, Sendable {
    /// The version of the program.
    package let version: String
    /// The version of the API.
    package private(set) var api = 1
    /// The profiles in use, in their order.
    package let profiles: [ProfileVersion]

    package init(version: String, profiles: [ProfileVersion]) {
        self.version = version
        self.profiles = profiles
    }
}

extension RunVersions: ReadableRecord {
    package static let schema = Schema.record(
        "Version",
        [
            .required("version", .text, "the version of the program"),
            .required("api", .integer, "the version of the HTTP API"),
            .required("profiles", .array(ProfileVersion.schema), "the profiles in use"),
        ])
}

extension ProfileVersion {
    static let schema = Schema.record(
        "ProfileVersion",
        [
            .required("profile", .text, "the name of the profile"),
            .optional(
                "files", hash,
                "the hash of the files that it was read from, equal on all machines with these files; absent for a profile that was "
                    + "not read from a file"),
            .required(
                "effective", hash,
                "the hash of the profile in effect, after variables, selection and changes of clients: the tag of /v1/profile"
            ),
        ])

    private static let hash = Schema.text(pattern: "[0-9a-f]{16}", example: "3f2a9c1b00d4e5f6")
}

package struct ShowDescription: Operation {
    package static let name = "description"
    package static let method = OperationMethod.get
    package static let path = "/v1/openapi.json"
    package static let sentence = "This description (OpenAPI 3.1)."

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> DescriptionText { DescriptionText() }
}

/// The description as JSON.
package struct DescriptionText: Answer {
    package static let description = AnswerDescription.json(.anyObject)
    private static let bytes = Array(JSONLine.encode(OpenAPIDocument.document).utf8)

    package var content: Content { .bytes(BytesContent([Self.bytes], type: "application/json", isShared: true)) }
}

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

    let text: [[UInt8]]

    package var content: Content { .bytes(BytesContent(text, type: Self.type, isShared: false)) }
}

package struct Reset: Operation {
    package static let name = "reset"
    package static let method = OperationMethod.post
    package static let path = "/v1/reset"
    package static let sentence =
        "Reads the profiles again, and starts all over, without saved settings, bonds and connections."
    package static let failures: [EmulatorError.Code] = [.badProfile, .radio, .cannotCreate, .inputOutput]

    package var patience: Duration? { Patience.ofRadio }

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> Emulator.ReloadResult {
        try await run.emulator.reset()
    }
}

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
            return JSONBody(Body())
        }
    }
}

extension Stopped: ReadableAnswer {
    package init(_ response: Response) { end = nil }
}

package struct SetRadio: Operation {
    package static let name = "setRadio"
    package static let method = OperationMethod.put
    package static let path = "/v1/radio"
    package static let sentence = "Switches the radio on or off."
    package static let fields: [Field<SetRadio>] = [
        .required("power", .member, \.power, "whether the radio works")
    ]
    package static let failures: [EmulatorError.Code] = [.radio, .unsupported]

    package var power = RadioPower.on

    package var patience: Duration? { Patience.ofRadio }

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> RadioState {
        try await run.emulator.setRadio(power)
        return RadioState(power: power)
    }
}

/// The state of the radio.
package struct RadioState: ReadableRecord {
    package static let schema = Schema.record(
        "Radio", [.required("power", RadioPower.schema, "whether the radio works")])

    package let power: RadioPower
}
