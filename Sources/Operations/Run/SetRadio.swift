// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Devices
package import Emulator

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
