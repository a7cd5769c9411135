// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Emulator

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

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> Emulator.ReloadResult {
        try await run.emulator.replaceProfile(profile, by: document.text, tag: tag?.text)
    }
}
