// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Devices
import Emulator
import Space
import Testing

@Suite struct LinkValuesTests {
    struct Case: Sendable {
        let values: [LinkOverride.Key: String]
        let override: LinkOverride?
    }

    @Test(arguments: [
        Case(values: [:], override: nil),
        Case(values: [.rssi: "-80"], override: LinkOverride(rssi: -80)),
        Case(values: [.rssi: "-80dBm", .duration: "10s"], override: LinkOverride(rssi: -80, duration: .seconds(10))),
        Case(values: [.loss: "6.5dB", .packetLoss: "25%"], override: LinkOverride(loss: 6.5, packetLoss: 0.25)),
        Case(values: [.blocked: "true"], override: LinkOverride(packetLoss: 1)),
        Case(values: [.blocked: "false"], override: LinkOverride()),
    ])
    func valuesAreRead(_ testCase: Case) throws {
        #expect(try LinkOverride(testCase.values) == testCase.override)
    }

    @Test(arguments: [
        (["rssi": "-200"], "\"-200\" is not a power in whole dBm from -128 to 127"),
        (["rssi": "-80", "loss": "6"], "rssi and loss exclude each other; leave one out"),
        (["packet-loss": "5", "blocked": "true"], "packet-loss and blocked exclude each other; leave one out"),
        (["loss": "-1"], "\"-1\" is not a number of decibels from 0dB to 100dB"),
        (["packet-loss": "101"], "\"101\" is not a percentage from 0% to 100%"),
        (["blocked": "yes"], "\"yes\" is not one of true, false"),
        (["for": "10s"], "a time changes nothing alone; give rssi, loss, packet-loss or blocked as well"),
        (["loss": "1", "for": "0s"], "0s is out of range: write 1ms to 1000h"),
    ])
    func wrongValuesAreRefused(_ texts: [String: String], message: String) {
        let values = Dictionary(
            uniqueKeysWithValues: texts.compactMap { name, text in LinkOverride.Key(rawValue: name).map { ($0, text) } }
        )
        let fault = #expect(throws: ValueFault.self) { try LinkOverride(values) }
        #expect(fault?.message == message)
    }
}
