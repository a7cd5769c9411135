// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import TestSupport

/// YAML-aware damage to profiles.
enum ProfileMutation {
    static let samples = [
        """
        profile: museum
        beacons:
          - id: entrance
            device: iot-design-shop
            address: C0:FF:EE:00:00:01
            ibeacon: { uuid: 2173E519-9155-4862-AB64-7953AB146156, major: 2, minor: 3, measured-power: -59 }
            interval: 100ms
            tx-power: 0dBm
            name: Entrance
            on-bad-interval: fail
            advertise-while-connected: true
            measured-power-by-tx-power: { 0dBm: -59, -6dBm: -65 }
          - id: exit
            device: ibeacon
            ibeacon:
              uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0
              major: 65535
              minor: 0x10
            flags: 0x1a
            pdu: ADV_IND
            services: [2173E519-9155-4862-AB64-7953AB146156]
        """,
        """
        # Anchors, quotes and more than one way to write a mapping.
        profile: "park"
        physics: { preset: office, exponent: 2.2, shadowing: { sigma: 2.7dB, distance: 0.75m }, fading: { k: 4 },
                   fast: 3dB, sensitivity: -95dBm, capture: off }
        walls: [{ from: [4, 0], to: [4, 6], loss: 6dB }, { from: [0, 0], to: [9, 1], material: brick }]
        floors: [{ id: ground, from: 0m, slab: { material: concrete } }, { id: upper, from: 2.6m, slab: { loss: 9 } }]
        rooms:
        - { id: a, floor: ground, outline: [[0, 0], [4, 0], [4, 3], [0, 3]], walls: brick, doors: [{ at: [4, 1], width: 1 }] }
        - { id: b, floor: ground, outline: [[4, 0], [9, 1], [4, 3]], walls: 8dB }
        beacons:
        - { id: a, device: ibeacon, ibeacon: &f { uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0, major: 1 } }
        - { id: 'b', device: ibeacon, ibeacon: *f, name: "Gr\\u00fc\\xdfe" }
        - id: c
          device: iot-design-shop
          name: >-
            a folded
            name
        """,
        """
        profile: one
        beacons:
          - id: beacon
            device: iot-design-shop
          - id: raw
            device: raw
            advertising-data: 0201060303aafe
            scan-response: "0509 41:42 43 44"
            path: { through: [[0.00001, -2], [3, 4, 1]], speed: 1.2m/s, pauses: { 2: 20s }, repeat: true }
          - id: tag
            device: sensortag
            firmware: 1.5
            temperature: { object: 36.6, ambient: 22 }
            acceleration: { x: -8, y: 0, z: 1 }
            orbit: { centre: [1, 2], radius: 5, period: 60s, angle: -90 }
            pressure: 1013.25
            keys: left+right
            advertising: side-key
        """,
        """
        profile: declared
        beacons:
          - id: strap
            device: gatt
            name: Strap
            appearance: 0x0341
            centrals: 2
            advertise: { services: [180D], solicited-services: [1805], tx-power: false,
                         service-data: [{ uuid: 180F, value-of: level }], manufacturer-data: { company: 1, data: 0a } }
            services:
              - uuid: 180D
                characteristics:
                  - name: measurement
                    uuid: 2A37
                    properties: [notify, indicate]
                    notify: 1s
                    fields:
                      - { name: flags, type: uint8, value: 0x0E }
                      - { name: rate, type: uint8, waveform: { shape: sine, min: 6, max: 118.5, period: 60s, phase: 0.25 } }
                      - { name: energy, type: uint16 be, counter: { start: 1, every: 10s, max: 65535, wrap: false } }
                      - { name: time, clock: current-time }
                  - name: point
                    uuid: 2A39
                    properties: [read, write, write-without-response]
                    permissions: { read: open, write: authenticated }
                    type: int24
                    scale: 0.1
                    value: -1.5
                    range: [-2, 2]
                    range-error: 0x80
                    restarts: [measurement.energy, level]
                    read-error: { code: 0x81, until-written: true }
                    write-error: { code: 0x82, time: 3 }
                    write-delay: 200ms
              - uuid: 180F
                characteristics:
                  - { name: level, uuid: 2A19, properties: [read, notify], type: uint8, drain: { from: 96, every: 10m } }
          - id: odd
            device: gatt
            services:
              - uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0
                characteristics:
                  - { name: a, uuid: FFF1, properties: [write, notify], type: text, echo: b, length: { min: 1, max: 20 } }
                  - { name: b, uuid: FFF1, properties: [indicate, write], stored: true, value: 0a0b, length: 2 }
                  - { name: c, uuid: FFF2, properties: [read], type: float, decimals: 1,
                      random-walk: { seed: 7, start: 36.6, step: 0.1, min: 36, max: 37, every: 2s } }
                  - { name: d, uuid: FFF3, properties: [read], type: sfloat, trace: { points: [[0s, 1], [1.5s, -2]], repeat: true } }
                  - { name: e, uuid: FFF4, properties: [read], type: float64 le, value: 1e-7, description: text,
                      presentation: { format: 4, exponent: -2, unit: 0x27AD }, descriptors: [{ uuid: 2908, value: 0102 }] }
          - { id: battery, device: battery, level: { drain: { every: 1s } }, book-compatible: true, name: Battery }
        """,
    ]

    /// Lists of regions, and plans of settings.
    static let lists = [
        """
        regions:
          - identifier: Front door
            uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0
            major: 1
            minor: 2
            hello: "Welcome"
            goodbye: |
              Good
              bye
            at-most-once-per: 1h
            exit-after: 500ms
          - { identifier: all, uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0 }
        """,
        """
        beacons:
          - beacon: C0:FF:EE:00:00:01
            uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0
            major: 1
            tx-power: -6dBm
          - { beacon: Entrance, minor: 7, interval: 160ticks }
        """,
        """
        expect:
          - advertisement: { uuid: [E2C56DB5-DFFB-48D2-B060-D0F5A71096E0], major: 1, minor: 2, rssi: -70..-40 }
            count: 3
            beacons: true
            within: 5s
          - advertisement: { format: eddystone-url, fields: { url: "https://a*" }, distance: ..3, proximity: near }
            absent: true
          - advertisement: { name: Thermo*, service: 180F, address: "C0:FF:EE:00:00:01" }
            value: { characteristic: 2A19, hex: 64 }
          - { event: "written,device=door", count: 2 }
        """,
    ]

    private static let tokens = [
        "&a ", "*a", "*f", "!!binary ", "!!str ", "!x ", "<<: *f", "---\n", "...\n", "%YAML 1.1\n", "~", "null", "true",
        "|\n", ">\n", "'", "\"", "\"\\", "\u{FEFF}", "\r", "\u{85}", "\u{2028}", "\t", "#", ": ", "- ", "? ", ", ",
        "[", "]", "{", "}", "@", "`", "\0", "é", "𝕏", "1e400", "99999999999999999999999", "-1", "0x", "0.0000000001ms",
        "999999999.9999999s", "65536ticks", "4294967296ticks", "٣", "-129dBm", "C0:FF:EE", "ADV_IND", "none", "yes",
        "_1",
    ]

    /// One of the samples with up to five damages.
    static func text(of samples: [String] = samples, _ generator: inout SplitMix64) -> String {
        var text = samples.randomElement(using: &generator) ?? ""
        for _ in 0..<Int.random(in: 0...5, using: &generator) {
            if Int.random(in: 0...400, using: &generator) == 0 { return nested(&generator) }
            if Int.random(in: 0...400, using: &generator) == 0 { return aliases(&generator) }
            text = Bool.random(using: &generator) ? lines(of: text, &generator) : tokens(in: text, &generator)
        }
        return text
    }

    /// Duplicates, removes, exchanges and reindents lines.
    private static func lines(of text: String, _ generator: inout SplitMix64) -> String {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard let one = lines.indices.randomElement(using: &generator),
            let other = lines.indices.randomElement(using: &generator)
        else { return text }
        switch Int.random(in: 0...6, using: &generator) {
        case 0: lines.insert(lines[one], at: other)
        case 1: lines.remove(at: one)
        case 2: lines.swapAt(one, other)
        case 3:
            let (first, second) = (lines[one].prefix { $0 == " " }, lines[other].prefix { $0 == " " })
            lines[one] = String(second + lines[one].dropFirst(first.count))
        case 4: lines[one] = String(repeating: " ", count: Int.random(in: 1...9, using: &generator)) + lines[one]
        case 5: lines[one] = String(lines[one].drop { $0 == " " })
        default: lines[one] = String(lines[other].prefix { $0 == " " }) + "- " + lines[one].drop { $0 == " " }
        }
        return lines.joined(separator: "\n")
    }

    /// Replaces a token by one that is difficult for YAML or for a value.
    private static func tokens(in text: String, _ generator: inout SplitMix64) -> String {
        let token = tokens.randomElement(using: &generator) ?? ""
        var words = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        guard let index = words.indices.randomElement(using: &generator) else { return token }
        switch Int.random(in: 0...3, using: &generator) {
        case 0: words[index] = token
        case 1: words[index] = token + words[index]
        case 2: words[index] += token
        default:
            // A number that is far too large, or almost.
            let digits = String(repeating: "9", count: Int.random(in: 1...400, using: &generator))
            words[index] = words[index].replacing(/[0-9]+/, with: digits)
        }
        return words.joined(separator: " ")
    }

    /// Opening brackets, with text that may hide them from a counter.
    private static let openings = [
        "[", "{", "- ", "? ", "{a: ", "[\"]\", ", "[ ']', ", "[ #]\n", "[\n", "{? ", "[[]", "[{},", "!!seq [", "&a [",
        "- - ",
    ]
    private static let beginnings = [
        "", "\u{FEFF}", "x\r", "x:\r", "x:\u{85}", "x:\u{2028}", "--- ", "profile: ", "profile: a\nbeacons:\n",
    ]

    /// A deeply nested value.
    private static func nested(_ generator: inout SplitMix64) -> String {
        let opening = openings.randomElement(using: &generator) ?? ""
        let count = Int.random(in: 1...(Bool.random(using: &generator) ? 250 : 60_000), using: &generator)
        let closing = opening.contains("{") ? "}" : "]"
        let text = (beginnings.randomElement(using: &generator) ?? "") + String(repeating: opening, count: count)
        return Bool.random(using: &generator) ? text + String(repeating: closing, count: count) : text
    }

    /// Anchors of anchors, which expand exponentially.
    private static func aliases(_ generator: inout SplitMix64) -> String {
        let width = Int.random(in: 1...9, using: &generator)
        let depth = Int.random(in: 1...40, using: &generator)
        var text = "a0: &a0 { uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0 }\n"
        for level in 1...depth {
            let inner = Array(repeating: "*a\(level - 1)", count: width).joined(separator: ", ")
            text += "a\(level): &a\(level) [\(inner)]\n"
        }
        let uses = [
            "? *aN : 1", "? *aN\n: 1\n? *aN\n: 2", "profile: *aN", "beacons: *aN", "beacons: [*aN, *aN]", "*aN : *aN",
        ]
        return text + (uses.randomElement(using: &generator) ?? "").replacing("aN", with: "a\(depth)")
    }
}
