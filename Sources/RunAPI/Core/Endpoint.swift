// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Devices
package import Emulator
package import JSON

/// An operation without its type, as the router and the descriptions use it.
package struct Endpoint: Sendable {
    package let name: String
    package let method: OperationMethod
    package let path: String
    package let sentence: String
    package let fields: [FieldDescription]
    package let failures: [EmulatorError.Code]
    package let answer: AnswerDescription
    /// Performs the operation with the values of a request by the names of the fields.
    /// - Throws: `EmulatorError`, `.badProfile` for a value that is missing, not known or not valid.
    package let respond: @Sendable (_ values: [String: JSONValue], RunContext) async throws(EmulatorError) -> Content

    /// The request that a client sends for these values.
    /// - Throws: as `respond`.
    package let request: @Sendable (_ values: [String: JSONValue]) throws(EmulatorError) -> OperationRequest

    init<Performed: Operation>(_: Performed.Type) {
        name = Performed.name
        method = Performed.method
        path = Performed.path
        sentence = Performed.sentence
        fields = Performed.fields.map(\.description)
        failures = Performed.failures
        answer = Performed.Reply.description
        request = { values throws(EmulatorError) in try Performed(reading: values).request }
        respond = { values, run throws(EmulatorError) in
            try await Performed(reading: values).perform(on: run).content
        }
    }

    /// Whether the body is a text: YAML or JSON.
    package var takesText: Bool { fields.contains { $0.place == .text } }
    /// Whether there may be a body.
    package var takesBody: Bool { fields.contains { [.text, .object, .member].contains($0.place) } }
}

extension Operation {
    /// The operation of a request.
    /// - Parameter values: By the names of the fields.
    /// - Throws: `EmulatorError` `.badProfile` for a value that is missing, not known or not valid.
    init(reading values: [String: JSONValue]) throws(EmulatorError) {
        self.init()
        let names = Self.fields.map(\.description.name)
        if let unknown = values.keys.sorted().first(where: { !names.contains($0) }) {
            let problem = "this request has no \"\(unknown)\""
            throw EmulatorError(
                .badProfile,
                names.isEmpty ? "\(problem), and nothing else" : Spelling.unknown(problem, unknown, "parameters", names)
            )
        }
        for field in Self.fields {
            let description = field.description
            guard let value = values[description.name] else {
                guard description.isRequired else { continue }
                throw EmulatorError(
                    .badProfile, "\"\(description.name)\" is missing", hint: "send \(description.meaning)")
            }
            do throws(ValueFault) {
                try field.read(value, &self)
            } catch {
                throw EmulatorError(.badProfile, "\(description.name): \(error.message)")
            }
        }
    }
}
