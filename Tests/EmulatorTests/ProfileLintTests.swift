// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Devices
import Profiles
import Radio
import Space
import Testing

@testable import Emulator

struct ProfileLintTests {
    private static let uuid = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"

    private static func findings(_ beacons: String...) throws -> [ProfileFinding] {
        let text = "profile: museum\nbeacons:\n" + beacons.map { "  - \($0)\n" }.joined()
        return ProfileLint([try Profile(parsing: text, file: "museum.yaml")]).findings
    }

    private static func plain(_ rest: String = "", frame: String = "") -> String {
        "{ id: a, device: ibeacon, ibeacon: { uuid: \(uuid)\(frame) }\(rest) }"
    }

    private static func configurable(_ rest: String = "", frame: String = "major: 1") -> String {
        "{ id: a, device: iot-design-shop, ibeacon: { \(frame) }\(rest) }"
    }

    private static func declared(_ keys: String, _ value: String) -> String {
        let beacon = keys.isEmpty ? "" : "\(keys), "
        let name = keys.contains("name") ? "" : "name: n, "
        let characteristic = "{ uuid: 2A19, properties: [read]\(value.isEmpty ? "" : ", ")\(value) }"
        return
            "{ id: a, device: gatt, \(name)\(beacon)services: [{ uuid: 180F, characteristics: [\(characteristic)] }] }"
    }

    @Test
    func defaultPlainBeaconHasNoFindings() throws {
        #expect(try Self.findings(Self.plain()) == [])
    }

    @Test(
        arguments: [
            (plain(", flags: none"), "flags-missing", ProfileFinding.Severity.warning),
            (plain(", services: [\(uuid)]"), "service-needs-connection", .warning),
            (plain(", interval: 1s"), "interval-not-100ms", .advice),
            (plain(", pdu: ADV_IND, flags: 0x1a"), "flags-allow-classic", .advice),
            (plain(frame: ", measured-power: 0"), "measured-power-zero", .warning),
            (plain(frame: ", measured-power: 4"), "measured-power-positive", .warning),
            (plain(", name: \(String(repeating: "n", count: 30))"), "name-shortened", .advice),
            (configurable(), "iphone-pairing-dialog", .advice),
            (configurable(", interval: 31ticks"), "interval-out-of-range", .warning),
            (configurable(", interval: 16385ticks"), "interval-out-of-range", .warning),
            (configurable(", interval: 32ticks"), "interval-not-100ms", .advice),
            (configurable(frame: "measured-power: 0"), "measured-power-zero", .warning),
            (configurable(frame: "measured-power: 20"), "measured-power-positive", .warning),
            (configurable(", name: Twelve bytes"), "name-shortened", .advice),
            (declared("advertise: { services: [180D] }", ""), "service-not-advertised", .advice),
            (declared("name: \(String(repeating: "n", count: 30))", ""), "name-shortened", .advice),
            (declared("", "read-delay: 30s"), "answer-too-late", .warning),
            (declared("", "permissions: { read: encrypted }"), "protection-impossible", .warning),
            (
                declared("pairing: { io: none }", "permissions: { read: authenticated }"), "protection-impossible",
                .warning
            ),
            (
                declared("pairing: { io: none }", "permissions: { read: encrypted }"), "iphone-pairing-dialog", .advice
            ),
            (declared("interval: 1s", ""), "iphone-pairing-dialog", .advice),
            ("{ id: a, device: battery }", "iphone-pairing-dialog", .advice),
            ("{ id: a, device: raw, advertising-data: 0302 }", "data-malformed", .warning),
            ("{ id: a, device: sensortag }", "iphone-pairing-dialog", .advice),
            (
                "{ id: a, device: sensortag, temperature: { ambient: 41.5 } }", "humidity-temperature-sign", .advice
            ),
            ("{ id: a, device: raw, advertising-data: 020106, scan-response: ff }", "data-malformed", .warning),
        ])
    func problemIsFound(_ beacon: String, _ code: String, _ severity: ProfileFinding.Severity) throws {
        let findings = try Self.findings(beacon).filter { $0.code != "iphone-pairing-dialog" || $0.code == code }
        // Malformed data may be a near miss, too.
        #expect(findings.map(\.code).filter { $0 != "near-miss" || code == $0 } == [code])
        let finding = try #require(findings.first)
        #expect(finding.severity == severity)
        #expect(finding.device == "a")
        for text in [finding.receiver, finding.message, finding.hint] { #expect(!text.isEmpty) }
    }

    @Test(
        arguments: [
            plain(", flags: 0x1a"), plain(", services: [\(uuid)], pdu: ADV_IND"), plain(frame: ", measured-power: -1"),
            plain(", name: \(String(repeating: "n", count: 29))"), plain(", interval: 160ticks"),
            "{ id: a, device: raw, advertising-data: 020106, interval: 1s }", "{ id: a, device: gatt }",
            "{ id: a, device: raw, advertising-data: 02010600, scan-response: 0000 }",
        ])
    func validBeaconHasNoFindings(_ beacon: String) throws {
        #expect(try Self.findings(beacon) == [])
    }

    /// Eleven bytes are the longest name that fits beside the service.
    @Test
    func nameOfElevenBytesFits() throws {
        #expect(try Self.findings(Self.configurable(", name: ElevenBytes")).map(\.code) == ["iphone-pairing-dialog"])
    }

    /// The profile parser refuses such data, so the device is made without it.
    @Test
    func dataThatDoesNotFitIntoAPDUIsAnError() throws {
        let service = try #require(UUID128(Self.uuid))
        let frame = IBeacon(uuid: service, major: 0, minor: 0, measuredPower: MeasuredPower(-59))
        let configuration = PlainIBeacon.Configuration(
            frame: frame, pdu: .connectableScannable, services: [service, service])
        let profile = Profile(
            name: "museum", beacons: [BeaconDefinition(id: "a", device: PlainIBeacon(configuration))])
        let findings = ProfileLint([profile]).findings
        #expect(findings.map(\.code) == ["scan-response-over-budget"])
        #expect(findings.first?.severity == .error)
        #expect(findings.first?.message == "the scan response has 34 bytes, and a PDU carries 31")
    }

    @Test(
        arguments: [
            (.advertisingDataTooLong(32), "over-budget", "leave services out"),
            (.scanResponseTooLong(34), "scan-response-over-budget", "shorten the name"),
            (.scanResponseNeedsScannablePDU, "scan-response-without-scans", "ADV_SCAN_IND"),
            (.intervalOutOfRange(AdvertisingInterval(7)), "interval-impossible", "20ms to 10240ms"),
        ] as [(Advertisement.Problem, String, String)])
    func problemOfAnAdvertisementHasACodeAndAHint(_ problem: Advertisement.Problem, _ code: String, _ hint: String) {
        let finding = ProfileFinding.unsendable(problem)
        #expect(finding.severity == .error)
        #expect(finding.code == code)
        #expect(finding.hint.contains(hint))
    }

    @Test
    func duplicateAddressesAreFound() throws {
        func beacon(_ id: String, _ address: String) -> String {
            "{ id: \(id), device: ibeacon, address: \"\(address)\", ibeacon: { uuid: \(Self.uuid), minor: \(id.utf8.first!) } }"
        }
        let (one, other) = ("C0:FF:EE:00:00:01", "C0:FF:EE:00:00:02")
        let findings = try Self.findings(
            beacon("a", one), beacon("b", other), beacon("c", one.lowercased()), beacon("d", one))
        #expect(findings.map(\.code) == ["duplicate-address", "duplicate-address"])
        #expect(findings.map(\.device) == ["c", "d"])
        #expect(findings.allSatisfy { $0.severity == .warning })
        #expect(
            findings.first?.message
                == "a has the address \(one), too: receivers take both for one device")
    }

    @Test
    func duplicateIdentitiesAreFound() throws {
        let first = "{ id: a, device: ibeacon, ibeacon: { uuid: \(Self.uuid), major: 1, minor: 2 } }"
        let findings = try Self.findings(
            first, first.replacing("id: a", with: "id: b").replacing("minor: 2", with: "minor: 2, measured-power: -40"),
            first.replacing("id: a", with: "id: c").replacing("minor: 2", with: "minor: 3"))
        #expect(findings.map(\.code) == ["duplicate-identity"])
        #expect(findings.first?.device == "b")
        #expect(findings.first?.message.hasPrefix("a has the same UUID, major and minor:") == true)
    }

    @Test
    func identitiesAreComparedAcrossProfilesAndDevices() throws {
        let plain = try Profile(
            parsing: """
                profile: one
                beacons:
                  - id: a
                    device: ibeacon
                    ibeacon: { uuid: 2173E519-9155-4862-AB64-7953AB146156, major: 1, minor: 1 }
                """, file: "one.yaml")
        let configurable = try Profile(
            parsing: """
                profile: two
                beacons:
                  - { id: a, device: iot-design-shop }
                """, file: "two.yaml")
        let findings = ProfileLint([plain, configurable]).findings.filter { $0.code == "duplicate-identity" }
        #expect(findings.map(\.device) == ["two/a"])
    }

    /// An exponent that contains walls, beside walls with places; without an exponent, presets have another one beside walls.
    @Test(
        arguments: Propagation.environments.map { ($0.name, false) } + [
            ("off", false), ("{ preset: home, exponent: 2.4 }", true), ("{ exponent: 2.1 }", true),
            ("{ preset: home, exponent: 2 }", false), ("{ preset: hall, exponent: 1.8 }", false),
            ("{ preset: home, open-space: { exponent: 2.5, sigma: 3dB } }", true),
        ])
    func wallsAreNotCountedTwice(_ physics: String, _ isTwice: Bool) throws {
        for (walls, isFound) in [("walls: [{ from: [4, 0], to: [4, 6], loss: 6dB }]", isTwice), ("", false)] {
            let text = "profile: flat\nphysics: \(physics)\n\(walls)\nbeacons:\n  - \(Self.plain())\n"
            let findings = ProfileLint([try Profile(parsing: text, file: "flat.yaml")]).findings
            #expect(findings.map(\.code) == (isFound ? ["walls-count-twice"] : []), "\(physics), \(walls)")
        }
    }

    /// A beacon at rest outside of all rooms, and below its floor; what moves, and what has no position, is in no room of its own.
    @Test
    func beaconOutsideOfEveryRoomIsFound() throws {
        let text = """
            profile: house
            floors: [{ id: ground, from: 0m }]
            rooms: [{ id: hall, floor: ground, outline: [[0, 0], [4, 0], [4, 3], [0, 3]] }]
            beacons:
            """
        for (place, message) in [
            ("", nil), ("position: [1, 1]", nil), ("position: [4, 3, 2]", nil),
            ("position: [5.5, 1, 2]", "[5.5, 1, 2] is in no room; the nearest one is hall, 1.5 m away"),
            ("position: [1, 1, -0.5]", "[1, 1, -0.5] is in no room; the nearest one is hall, 0.5 m away"),
            ("path: { through: [[9, 9], [1, 1]], speed: 1m/s }", nil),
        ] as [(String, String?)] {
            let keys = place.isEmpty ? "" : ", \(place)"
            let beacon = "\n  - { id: a, device: ibeacon, ibeacon: { uuid: \(Self.uuid) }\(keys) }\n"
            let findings = ProfileLint([try Profile(parsing: text + beacon, file: "house.yaml")]).findings
            #expect(
                findings.filter { $0.code == "beacon-outside-rooms" }.map(\.message) == [message].compactMap(\.self))
        }
    }

    // MARK: - Forecasts

    @Test
    func warningsOfAForecastAreFindings() throws {
        let lint = ProfileLint([try Profile(parsing: Samples.museum, file: "museum.yaml")])
        #expect(lint.plans.map(\.identifier.name) == ["entrance", "exit"])
        #expect(lint.plans.map { $0.advertisement?.frame?.minor } == [3, 4])
        let capabilities = RadioCapabilities(
            name: "scripted", way: "script", wayReason: "this is a test", address: nil, hasExtendedAdvertising: false,
            instances: 1, freeInstances: 1, sharesTime: true, canReadBack: true)
        let forecast = RadioForecast(
            capabilities: capabilities, fitting: 1,
            obstacle: RadioError(.cannotCarry, "it carries one", hint: "leave one out"),
            warnings: [
                BeaconIdentifier("exit"): [
                    Warning(code: "flags-last", message: "the flags come last", hint: "none"),
                    Warning(code: "new-one", message: "something new", hint: "none"),
                ],
                BeaconIdentifier("nobody"): [Warning(code: "flags-last", message: "of another run", hint: "none")],
            ])
        let findings = lint.findings(on: forecast)
        #expect(findings.map(\.code) == ["cannot-carry", "flags-last", "new-one"])
        #expect(findings.map(\.severity) == [.error, .warning, .warning])
        #expect(findings.map(\.device) == [nil, "exit", "exit"])
        #expect(findings.map(\.receiver).last == "all")
        #expect(findings[1].receiver.hasPrefix("receivers that match the prefix"))
        #expect(findings[0].hint == "leave one out")
    }
}
