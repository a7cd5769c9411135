// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Devices
import Profiles
import Testing

@Suite struct AliasTests {
    private static func fault(_ text: String) -> String? {
        let error = #expect(throws: ProfileFaults.self) { try Profile(parsing: text, file: "p.yaml") }
        #expect(error?.faults.count == 1)
        return error?.faults.first?.description
    }

    /// Expanded, these aliases nest so deeply that they would exhaust the stack.
    @Test func deeplyNestedAliasesAreRefused() {
        let open = String(repeating: "[", count: 40)
        let close = String(repeating: "]", count: 40)
        var text = "a0: &a0 x\n"
        for number in 1...1000 { text += "a\(number): &a\(number) \(open)*a\(number - 1)\(close)\n" }
        let fault = Self.fault(text)
        #expect(
            fault?.hasPrefix("p.yaml:3:") == true
                && fault?.hasSuffix(": aliases expand to too many values here") == true)
    }

    /// Expanded, these aliases have more values than memory holds.
    @Test func aliasesWithTooManyValuesAreRefused() {
        var text = "a0: &a0 [x, x]\n"
        for number in 1...63 { text += "a\(number): &a\(number) [*a\(number - 1), *a\(number - 1)]\n" }
        #expect(Self.fault(text + "? *a63\n: 1\n")?.hasSuffix(": aliases expand to too many values here") == true)
    }

    @Test func aliasRefersToTheLatestAnchor() throws {
        let text = """
            profile: &x p
            beacons:
              - { id: &x first, device: &kind iot-design-shop, name: *x }
              - { id: &x second, device: *kind, name: *x }
            """
        let profile = try Profile(parsing: text, file: "p.yaml")
        let names = profile.beacons.map { beacon -> String? in
            (beacon.device as? IoTDesignShopBeacon)?.configuration.name
        }
        #expect(names == ["first", "second"])
    }

    @Test func anchorWithinItselfIsRefused() {
        #expect(Self.fault("profile: &p [*p]\n") == "p.yaml:1:14: this is not YAML: " + ProfileMistake.alias)
    }

    @Test func starsInTextAreText() throws {
        let text = """
            profile: p # *not* an alias
            beacons: [{ id: a, device: iot-design-shop, name: "*a*" }]
            """
        let device = try Profile(parsing: text, file: "p.yaml").beacons[0].device
        #expect((device as? IoTDesignShopBeacon)?.configuration.name == "*a*")
    }
}
