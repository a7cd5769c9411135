// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Devices
import Profiles
import Testing

@Suite struct ANCSAccessoryProfileTests {
    private static func configuration(_ keys: String) throws -> ANCSAccessory.Configuration {
        let text = "profile: p\nbeacons:\n  - id: bob\n    device: ancs-accessory\n\(keys)"
        guard let accessory = try Profile(parsing: text, file: "p.yaml").beacons[0].device as? ANCSAccessory else {
            throw ProfileFaults([])
        }
        return accessory.configuration
    }

    @Test func allKeysAreOptional() throws {
        #expect(try Self.configuration("") == ANCSAccessory.Configuration())
    }

    @Test func allKeysAreReadAndWritten() throws {
        let configuration = try Self.configuration(
            """
                name: Watch
                interval: 100ms
                tx-power: 4dBm
                address: C0:FF:EE:00:00:0B
                ask: [app, title 11, subtitle, message 64, message-size, date, positive-action, negative-action]
                app-names: false
            """)
        let expected = ANCSAccessory.Configuration(
            name: "Watch",
            advertising: AdvertisingSettings(
                interval: AdvertisingInterval(160), transmitPower: TransmitPower(4),
                address: BluetoothAddress("C0:FF:EE:00:00:0B")),
            consumer: ANCSConsumer.Configuration(
                attributes: [
                    ANCSAttributeRequest(.appIdentifier), ANCSAttributeRequest(.title, maximumLength: 11),
                    ANCSAttributeRequest(.subtitle, maximumLength: 64),
                    ANCSAttributeRequest(.message, maximumLength: 64),
                    ANCSAttributeRequest(.messageSize), ANCSAttributeRequest(.date),
                    ANCSAttributeRequest(.positiveActionLabel), ANCSAttributeRequest(.negativeActionLabel),
                ], asksAppNames: false))
        #expect(configuration == expected)
        let profile = Profile(name: "p", beacons: [BeaconDefinition(id: "bob", device: ANCSAccessory(configuration))])
        let written = try Profile(parsing: ProfileWriter.text(of: profile), file: "p.yaml")
        #expect(written.beacons == profile.beacons)
    }

    @Test func askMayBeEmpty() throws {
        #expect(try Self.configuration("    ask: []\n").consumer.attributes.isEmpty)
    }

    @Test(arguments: [
        ("ask: title", "ask", "a list such as [app, title 11, date] is expected here"),
        ("ask: [colour]", "ask[0]", "there is nothing \"colour\" to ask for; write one of app, title"),
        ("ask: [date 8]", "ask[0]", "\"date 8\": only title, subtitle and message take a length"),
        ("ask: [title 70000]", "ask[0]", "\"70000\" is not a whole number from 0 to 65535"),
        ("ask: [title 1 2]", "ask[0]", "\"title 1 2\": only title"),
        ("app-names: maybe", "app-names", "\"maybe\" is not one of true, false"),
        ("ibeacon: {}", "", "there is no key \"ibeacon\" here"),
        ("name: ''", "name", "a name has 1 to 100 characters"),
    ])
    func mistakeIsReported(_ key: String, _ field: String, _ message: String) throws {
        do {
            _ = try Self.configuration("    \(key)\n")
            Issue.record("it was accepted")
        } catch let faults as ProfileFaults {
            let fault = try #require(faults.faults.first)
            #expect(fault.field == ["beacons[0]", field].filter { !$0.isEmpty }.joined(separator: "."))
            #expect(fault.message.hasPrefix(message), "\(fault)")
            #expect(fault.line == 5)
        }
    }
}
