// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Emulator
package import JSON

package struct Reload: Operation {
    package static let name = "reload"
    package static let method = OperationMethod.post
    package static let path = "/v1/reload"
    package static let sentence = "Reads the profiles again; beacons whose definition is the same keep their state."
    package static let failures: [EmulatorError.Code] = [.badProfile, .radio, .cannotCreate, .inputOutput]

    package var patience: Duration? { Patience.ofRadio }

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> Emulator.ReloadResult {
        try await run.emulator.reload()
    }
}

package struct ShowProfile: Operation {
    package static let name = "showProfile"
    package static let method = OperationMethod.get
    package static let path = "/v1/profile"
    package static let sentence = "A profile in use, in YAML with all short forms written out."
    package static let fields: [Field<ShowProfile>] = [
        .optional("profile", .query, \.profile, "the name of the profile; without it, the first one")
    ]
    package static let failures: [EmulatorError.Code] = [.unknownProfile]

    package var profile: String?

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> ProfileText {
        ProfileText(record: try await run.emulator.profileRecord(profile))
    }
}

/// The text of a profile, with its tag.
package struct ProfileText: Answer {
    package static let description = AnswerDescription(statuses: [200], type: "application/yaml", schema: nil)

    package let record: ProfileRecord

    package var content: Content {
        .bytes(
            BytesContent(
                [record.bytes], type: "application/yaml", isShared: true, tag: record.tag,
                location: ShowProfile { $0.profile = record.profile }.request.target))
    }
}

extension ProfileText: ReadableAnswer {
    package init(_ response: Response) throws {
        guard String(validating: response.body, as: UTF8.self) != nil, let tag = response.fields["etag"],
            let name = response.fields["content-location"]?.split(separator: "profile=").last
        else { throw UnreadableAnswer() }
        record = ProfileRecord(profile: String(name), bytes: response.body, tag: tag.filter { $0 != "\"" })
    }
}

package struct ReplaceProfile: Operation {
    package static let name = "replaceProfile"
    package static let method = OperationMethod.put
    package static let path = "/v1/profile"
    package static let sentence = "Replaces a profile in use; beacons whose definition is the same keep their state."
    package static let fields: [Field<ReplaceProfile>] = [
        .optional("profile", .query, \.profile, "the name of the profile; without it, the first one"),
        .optional("tag", .header("If-Match"), \.tag, "the tag that the profile must have"),
        .required("text", .text, \.document, "a profile, see docs/profiles.md"),
    ]
    package static let failures: [EmulatorError.Code] = [
        .badProfile, .unknownProfile, .profileChanged, .conflict, .radio, .cannotCreate, .inputOutput,
    ]

    package var profile: String?
    package var tag: Tag?
    package var document = Document()

    package var patience: Duration? { Patience.ofRadio }

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> Emulator.ReloadResult {
        try await run.emulator.replaceProfile(profile, by: document.text, tag: tag?.text)
    }
}

extension Emulator.ReloadResult: ReadableRecord {
    package static let schema = Schema.record(
        "Reload",
        [
            .required("added", .texts, "new beacons"),
            .required("changed", .texts, "beacons whose definition has changed"),
            .required("removed", .texts, "beacons that are in no profile any more"),
            .required("kept", .texts, "beacons whose definition is the same; they keep their state"),
            .required(
                "keptSettings",
                .array(
                    .record(
                        "KeptSettings",
                        [
                            .required("device", .text, "the beacon"),
                            .required(
                                "settings",
                                .dictionary(
                                    .record(
                                        "KeptSetting",
                                        [
                                            .required("profile", .text, "the value in the profile"),
                                            .required("present", .text, "the value in force"),
                                        ])), "the settings that differ, by their keys"),
                        ])),
                "beacons with settings that clients or apps have changed, which stay in force; resetBeacon restores those of the profile"
            ),
        ])
}
