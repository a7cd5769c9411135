// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Emulator

/// A request of a run, with everything that a client or a description of it needs.
///
/// The properties of a type that conforms are the values of its parameters, and `fields` has one declaration for each of them.
/// From `Operations.all` follow the router of the HTTP server, `openapi.json`, the methods of the Python client, and the
/// tables of the documentation. A new operation is such a type in the file of its noun, and a line in that list:
///
///     package struct ShowCapture: Operation {
///         package static let name = "showCapture"
///         package static let method = OperationMethod.get
///         package static let path = "/v1/captures/{capture}"
///         package static let sentence = "A capture."
///         package static let fields: [Field<ShowCapture>] = [.required("capture", .path, \.capture, "the number of a capture")]
///         package var capture = CaptureNumber()
///         package init() {}
///         package func perform(on run: RunContext) async throws(EmulatorError) -> CaptureRecord { … }
///     }
package protocol Operation: Sendable {
    /// What the operation returns.
    associatedtype Reply: Answer

    /// Every parameter at its default; required ones are set from the request.
    init()

    /// The name, in camel case: `operationId` of the description, and in snake case the method of the Python client.
    static var name: String { get }
    static var method: OperationMethod { get }
    /// The path, such as `/v1/air/{name}/position`; a part in braces is a field in the path.
    static var path: String { get }
    /// What it does, for people: one sentence.
    static var sentence: String { get }
    static var fields: [Field<Self>] { get }
    /// The codes of the errors that its parameters and the state of the run cause.
    static var failures: [EmulatorError.Code] { get }
    /// How long clients wait for the answer to begin, in real time; `nil` for no limit.
    var patience: Duration? { get }

    /// Performs the request.
    /// - Throws: `EmulatorError` with one of `failures`; then nothing has changed.
    func perform(on run: RunContext) async throws(EmulatorError) -> Reply
}

extension Operation {
    package static var fields: [Field<Self>] { [] }
    package static var failures: [EmulatorError.Code] { [] }
    package var patience: Duration? { Patience.usual }

    /// An operation whose parameters a closure sets.
    package init<Failure: Error>(_ fill: (inout Self) throws(Failure) -> Void) throws(Failure) {
        self.init()
        try fill(&self)
    }
}

/// How long clients wait for an answer to begin, in real time: a run that does not answer in time is stopped, or no run.
enum Patience {
    static let usual = Duration.seconds(10)
    /// For operations that wait until a radio has done something: bluetoothd has a minute for each adapter.
    static let ofRadio = Duration.seconds(120) + usual
    /// For operations that use a connection: the discovery of attributes, pairing and a request have limits of their own.
    static let ofConnection = Duration.seconds(60 + 30 + 30) + usual
}

/// The method of a request (RFC 9110, 9.3, and RFC 5789).
package enum OperationMethod: String, Sendable {
    case get = "GET"
    case put = "PUT"
    case post = "POST"
    case patch = "PATCH"
    case delete = "DELETE"
}
