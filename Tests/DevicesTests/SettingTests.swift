// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Testing

@testable import Devices

/// A made-up kind of device: what its list of settings says is all that is written for them.
private struct Lamp: SelfContainedDevice {
    static let kind = "lamp"
    static let hasFlash = false

    struct Configuration: Hashable, Sendable {
        var serial: UInt16 = 7
        var isDimmed = false
        var major: UInt16 = 1
        var interval = AdvertisingInterval(160)
        var name: String?
    }

    static let settings: [Setting<Configuration>] = [
        Setting(
            "serial", "0 to 65535", .unsigned16, \.serial, isChangeable: true, parse: ValueText.unsigned16,
            print: { "\($0)" }),
        .flag("dimmed", "true or false", \.isDimmed), Setting(.major, \.major, in: "frame", isRequired: true),
        Setting(.interval, \.interval), .name(\.name),
    ]
    static let template = Configuration()

    private(set) var configuration: Configuration

    init(_ configuration: Configuration) { self.configuration = configuration }

    var advertisesWhileConnected: Bool { true }
    var advertisedName: String? { configuration.name }
    var advertising: AdvertisingSettings { AdvertisingSettings(interval: configuration.interval) }

    mutating func handle(_ input: DeviceInput, at now: DeviceTime) -> DeviceResponse {
        guard case .set(let changes) = input else { return [] }
        do throws(SettingRefusal) {
            try Self.settings.apply(changes, to: &configuration)
        } catch {
            return .refused(error.sentence)
        }
        return .done()
    }
}

@Suite struct SettingTests {
    private static let place = TextPlace(line: 1, column: 1)

    private static func node(_ text: String) -> ProfileNode { ProfileNode(.scalar(text), at: place) }

    private static func mapping(_ pairs: [(String, ProfileNode)]) -> ProfileNode {
        ProfileNode(.mapping(ProfileNode.Mapping(pairs.map { (node($0), $1) })), at: place)
    }

    private static func read(_ pairs: [(String, ProfileNode)]) -> (Lamp?, [String]) {
        var reader = ProfileReader(mapping(pairs), file: "p.yaml", path: "")
        let lamp = Lamp(from: &reader)
        return (lamp, reader.finish().map { $0.field.isEmpty ? $0.message : "\($0.field): \($0.message)" })
    }

    @Test func profileIsReadAndWritten() throws {
        let (read, faults) = Self.read([
            ("serial", Self.node("9")), ("dimmed", Self.node("true")),
            ("frame", Self.mapping([("major", Self.node("3"))])),
            ("interval", Self.node("1s")), ("name", Self.node("L")),
        ])
        let lamp = try #require(read)
        #expect(faults.isEmpty)
        #expect(
            lamp.configuration
                == Lamp.Configuration(
                    serial: 9, isDimmed: true, major: 3, interval: AdvertisingInterval(1600), name: "L"))
        var writer = DeviceWriter()
        lamp.write(to: &writer)
        #expect(
            writer.lines == ["serial: 9", "dimmed: true", "frame: { major: 3 }", "interval: 1000ms", "name: \"L\""])
        var plain = DeviceWriter()
        Lamp(Lamp.template).write(to: &plain)
        #expect(plain.lines == ["serial: 7", "frame: { major: 1 }", "interval: 100ms"])
    }

    @Test func faultsOfProfilesAreReported() {
        #expect(Self.read([]).1 == ["\"frame\" is missing"])
        #expect(Self.read([("frame", Self.mapping([]))]).1 == ["frame: \"major\" is missing"])
        let (lamp, faults) = Self.read([
            ("frame", Self.mapping([("major", Self.node("x")), ("minor", Self.node("1"))])), ("major", Self.node("1")),
            ("serail", Self.node("1")),
        ])
        #expect(lamp == nil)
        #expect(
            faults == [
                "frame.major: \"x\" is not a whole number from 0 to 65535",
                "frame: there is no key \"minor\" here; keys are major",
                "\"major\" belongs under frame: write frame: { major: … }",
                "there is no key \"serail\" here; did you mean \"serial\"? keys are serial, dimmed, frame, interval, name",
            ])
    }

    @Test func settingsAreChangedTogether() {
        var lamp = Lamp(Lamp.template)
        #expect(lamp.settings == [.named("serial", "7"), .major(1), .interval(AdvertisingInterval(160))])
        #expect(lamp.handle(.set([SettingChange("serial", "8"), SettingChange("major", "2")])) == .done())
        #expect(lamp.settings == [.named("serial", "8"), .major(2), .interval(AdvertisingInterval(160))])
        for (change, sentence) in [
            (SettingChange("serial", "x"), "serial: \"x\" is not a whole number from 0 to 65535"),
            (
                SettingChange("interval", "1ticks"),
                "interval: a radio can send every 20 ms to 10240 ms (32 to 16384 ticks)"
            ),
            (
                SettingChange("dimmed", "true"),
                "dimmed: this device has no such setting; it has serial, major, interval"
            ),
        ] {
            #expect(lamp.handle(.set([SettingChange("major", "9"), change])) == .refused(sentence))
        }
        #expect(lamp.settings[1] == .major(2))
    }

    @Test func declarationsHaveDefaults() {
        let declared = Lamp.declarations
        #expect(declared.map(\.key) == ["serial", "dimmed", "major", "interval", "name"])
        #expect(declared.map(\.standard) == ["7", "false", "required", "100ms", "none"])
        #expect(Lamp.commonSettings.map(\.key) == ["major", "interval"])
    }
}
