// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Devices
import Glibc
import Testing

@testable import BeaconryTools

@Suite(.serialized)
struct EnvironmentTests {
    private func with(_ variable: EnvironmentVariable, _ value: String?, _ body: () throws -> Void) rethrows {
        if let value { setenv(variable.name, value, 1) } else { unsetenv(variable.name) }
        defer { unsetenv(variable.name) }
        try body()
    }

    @Test func namesFollowTheOptions() {
        #expect(EnvironmentVariable.hciServer.name == "BEACONRY_HCI_SERVER")
        #expect(EnvironmentVariable.radio.name == "BEACONRY_RADIO")
        #expect(Set(EnvironmentVariable.allCases.map(\.name)).count == EnvironmentVariable.allCases.count)
    }

    @Test func emptyVariablesAreUnset() {
        with(.rssiNoise, "") { #expect(EnvironmentVariable.rssiNoise.value == nil) }
        with(.rssiNoise, nil) { #expect(EnvironmentVariable.rssiNoise.value == nil) }
    }

    @Test(arguments: [("1", true), ("true", true), ("yes", true), ("0", false), ("no", false), ("", false)])
    func flagsAreSwitchedOnByThreeValues(_ value: String, _ expected: Bool) {
        with(.factoryReset, value) { #expect(EnvironmentVariable.factoryReset.isSet == expected) }
    }

    @Test func valuesAreParsedAsTheOptionDoes() throws {
        for (text, expected) in [("2s", Duration.seconds(2)), (nil, nil)] as [(String?, Duration?)] {
            var parsed: Duration?
            try with(.pathLoss, text) { parsed = try EnvironmentVariable.pathLoss.parsed(ValueText.duration) }
            #expect(parsed == expected)
        }
    }

    @Test func refusedValuesNameOptionAndVariable() {
        with(.pathLoss, "soon") {
            let failure = #expect(throws: Failure.self) { try EnvironmentVariable.pathLoss.parsed(ValueText.duration) }
            #expect(failure?.exitCode == 64)
            #expect(failure?.message.hasPrefix("--path-loss: \"soon\" is not") == true)
            #expect(failure?.message.hasSuffix("(BEACONRY_PATH_LOSS)") == true)
        }
    }
}
