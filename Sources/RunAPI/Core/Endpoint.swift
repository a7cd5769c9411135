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
    /// Whether it only reads from the run, and waits for nothing.
    package let isSnapshot: Bool
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
        isSnapshot =
            Performed.method == .get && Performed().patience == Patience.usual
            && Performed.Reply.description.type != "text/event-stream"
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
        try FieldDescription.refuseUnknown(values, Self.fields.map(\.description.name))
        for field in Self.fields {
            guard let value = try field.description.value(in: values) else { continue }
            do throws(ValueFault) {
                try field.read(value, &self)
            } catch {
                throw EmulatorError(.badProfile, "\(field.description.name): \(error.message)")
            }
        }
    }
}

extension FieldDescription {
    /// - Throws: `EmulatorError` `.badProfile` for a value of a request by a name that is none of these.
    fileprivate static func refuseUnknown(_ values: [String: JSONValue], _ names: [String]) throws(EmulatorError) {
        guard let unknown = values.keys.sorted().first(where: { !names.contains($0) }) else { return }
        let problem = "this request has no \"\(unknown)\""
        throw EmulatorError(
            .badProfile,
            names.isEmpty ? "\(problem), and nothing else" : Spelling.unknown(problem, unknown, "parameters", names))
    }

    /// Its value in a request.
    /// - Throws: `EmulatorError` `.badProfile` if it is required and missing.
    fileprivate func value(in values: [String: JSONValue]) throws(EmulatorError) -> JSONValue? {
        let value = values[name]
        guard value == nil, isRequired else { return value }
        throw EmulatorError(.badProfile, "\"\(name)\" is missing", hint: "send \(meaning)")
    }
}
