// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Testing

@Suite struct ServicesTests {
    @Test(
        arguments: [
            ("03020f18", ["180F"]), ("05030f180a18", ["180F", "180A"]),
            ("050478563412", ["12345678"]), ("090578563412efbeadde", ["12345678", "DEADBEEF"]),
            ("1106566114ab537964ab6248559119e57321", ["2173E519-9155-4862-AB64-7953AB146156"]),
            ("1107566114ab537964ab6248559119e57321", ["2173E519-9155-4862-AB64-7953AB146156"]),
            ("04160f1864", ["180F"]), ("062078563412ff", ["12345678"]), ("052078563412", ["12345678"]),
            ("1221566114ab537964ab6248559119e5732101", ["2173E519-9155-4862-AB64-7953AB146156"]),
            // Malformed, or of another type: no services.
            ("0504785634" + "12" + "020106", ["12345678"]), ("0405785634", []), ("0420785634", []), ("0321aabb", []),
            ("0216aa", []), ("05140f180a18", []), ("05ff0f180a18", []), ("", []),
        ] as [(String, [String])])
    func servicesAreNamed(_ text: String, _ services: [String]) throws {
        let data = try AdvertisingData(parsing: try Hexadecimal.bytes(text))
        #expect(data.services.map(\.description) == services)
    }

    @Test(
        arguments: [
            ("03140f18", ["180F"]), ("051f78563412", ["12345678"]),
            ("1115d0002d121e4b0fa4994eceb531f40579", ["7905F431-B5CE-4E99-A40F-4B1E122D00D0"]),
            ("0201060409424f421115d0002d121e4b0fa4994eceb531f40579", ["7905F431-B5CE-4E99-A40F-4B1E122D00D0"]),
            ("03140f180a14", ["180F"]), ("04140f180a", []), ("0315d000", []), ("041f785634", []), ("03020f18", []),
            ("", []),
        ] as [(String, [String])])
    func servicesAreSolicited(_ text: String, _ services: [String]) throws {
        let data = AdvertisingData.prefix(of: try Hexadecimal.bytes(text)).data
        #expect(data.solicitedServices.map(\.description) == services)
    }
}
