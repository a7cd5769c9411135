// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Emulator

package struct ClearJournal: Operation {
    package static let name = "clearJournal"
    package static let method = OperationMethod.delete
    package static let path = "/v1/journal"
    package static let sentence = "Removes the events that the run keeps."
    package static let fields: [Field<ClearJournal>] = [
        .optional("through", .query, \.through, "the number of the last event to remove; without it, all")
    ]
    package static let failures: [EmulatorError.Code] = [.badProfile]

    package var through: EventNumber?

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> Nothing {
        run.emulator.events.clearJournal(through: through?.number)
        return Nothing()
    }
}
