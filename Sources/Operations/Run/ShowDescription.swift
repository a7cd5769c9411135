// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Emulator

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

    package var content: Content { .bytes(Self.bytes, type: "application/json") }
}
