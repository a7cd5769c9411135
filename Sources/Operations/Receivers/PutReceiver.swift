// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Emulator
import Radio

package struct PutReceiver: Operation {
    package static let name = "putReceiver"
    package static let method = OperationMethod.put
    package static let path = "/v1/receivers/{receiver}"
    package static let sentence =
        "Adds a receiver that scans within the run, or gives one these settings; its regions stay."
    package static let fields: [Field<PutReceiver>] =
        [
            .required("receiver", .path, \.receiver, "its name on the air"),
            .optional("if-none-match", .header("If-None-Match"), \.unless, "*: only if there is none of this name"),
        ] + ListenerChange.fields.map { $0.lifted(to: \.change) }
    package static let failures: [EmulatorError.Code] = [.badProfile, .exists, .conflict, .unsupported, .radio]

    package var receiver = NewName()
    package var change = ListenerChange()
    package var unless: Tag?

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> Stored<ReceiverRecord> {
        if let unless, unless.text != nil {
            throw EmulatorError(.badProfile, "If-None-Match takes * only", hint: "receivers have no tags")
        }
        let put = try await run.emulator.putListener(receiver.text, change, isNew: unless != nil)
        return Stored(try await run.receiver(put.listener.name), isNew: put.isNew)
    }
}
