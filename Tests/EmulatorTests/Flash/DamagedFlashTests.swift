// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestTraits
import Testing

@testable import Emulator
@testable import Persistence

/// Damaged files are renamed, reported, and never overwritten.
@Suite(.realTime, .timeLimit(.minutes(10)))
struct DamagedFlashTests {
    /// The text of a file, and the reason in the warning.
    struct Damage: CustomTestStringConvertible {
        let name: String
        let text: String
        let reason: String
        var testDescription: String { name }

        init(_ name: String, _ text: String, _ reason: String = "it is not a settings file") {
            self.name = name
            self.text = text
            self.reason = reason
        }
    }

    private static let settings = """
        "interval-ticks":160,"major":1,"measured-power":-59,"minor":2,"power-code":2,\
        "uuid":"2173E519-9155-4862-AB64-7953AB146156"
        """

    private static func file(
        version: String = "1", device: String = "iot-design-shop", settings: String = settings
    ) -> String {
        """
        {"v":\(version),"profile":"museum","beacon":"entrance","device":"\(device)","settings":{\(settings)}}
        """
    }

    private static func changed(_ name: String, _ key: String, to value: String) -> Damage {
        let pattern = "\"\(key)\":(\"[^\"]*\"|[-0-9]+)"
        let settings = settings.replacingOccurrences(
            of: pattern, with: "\"\(key)\":\(value)", options: .regularExpression)
        return Damage(name, file(settings: settings), "\"\(key)\" is missing or out of range")
    }

    static let damages: [Damage] = [
        Damage("empty", ""),
        Damage("garbage", "\u{1}\u{2}\u{FFFD} not JSON"),
        Damage("another kind of JSON", "[1, 2, 3]"),
        Damage("truncated", String(file().dropLast(10))),
        Damage("two files in one", file() + file()),
        Damage("NUL bytes", String(repeating: "\0", count: 300)),
        Damage(
            "too large", String(repeating: " ", count: 2 << 20) + file(),
            "its size is \((2 << 20) + file().utf8.count) bytes, and the limit is 1048576 bytes"),
        Damage("nested too deep", String(repeating: "[", count: 1 << 20)),
        Damage("without settings", #"{"v":1,"profile":"museum","beacon":"entrance","device":"iot-design-shop"}"#),
        Damage("a setting that is a truth value", changed("", "minor", to: "true").text),
        Damage("a setting that is no whole number", changed("", "major", to: "1.5").text),
        Damage("a number beyond all integers", changed("", "major", to: "1e400").text),
        Damage("wrong version", file(version: "2"), "it is of version 2, not 1"),
        Damage(
            "another device", file(device: "ibeacon"), "it is of a device \"ibeacon\", not \"iot-design-shop\""),
        Damage(
            "of another beacon", file().replacingOccurrences(of: "entrance", with: "exit"),
            "it is of \"museum/exit\", not \"museum/entrance\""),
        Damage(
            "of another profile", file().replacingOccurrences(of: "museum", with: "zoo"),
            "it is of \"zoo/entrance\", not \"museum/entrance\""),
        Damage("no settings", file(settings: ""), "\"uuid\" is missing or out of range"),
        Damage(
            "a missing key", file(settings: settings.replacingOccurrences(of: "\"minor\":2,", with: "")),
            "\"minor\" is missing or out of range"),
        changed("major too large", "major", to: "65536"),
        changed("minor negative", "minor", to: "-1"),
        changed("measured power too large", "measured-power", to: "128"),
        changed("interval too large", "interval-ticks", to: "65536"),
        changed("power code negative", "power-code", to: "-1"),
        changed("an invalid UUID", "uuid", to: "\"2173E519\""),
        changed("a UUID that is a number", "uuid", to: "5"),
        changed("a number that is a text", "major", to: "\"1\""),
        Damage(
            "an unknown last power", file(settings: settings + ",\"last-valid-power-code\":9"),
            "\"last-valid-power-code\" is missing or out of range"),
    ]

    /// The file that the damaged ones are derived from is valid.
    @Test
    func validFileIsRestored() async throws {
        let folder = try TemporaryFolder()
        try folder.write(Self.file(), to: "museum/entrance.json")
        let bench = try BeaconOnABench(StateFolder(folder.path))
        try await bench.beacon.restore(resets: false)
        #expect(bench.names == ["settings-restored"])
        #expect(await bench.read() == .success(Samples.majorMinor(1, 2)))
        #expect(folder.names("museum") == ["entrance.json", "entrance.lock"])
    }

    @Test(arguments: damages)
    func damagedFileIsRenamedAndReported(_ damage: Damage) async throws {
        let folder = try TemporaryFolder()
        try folder.write(damage.text, to: "museum/entrance.json")
        let bench = try BeaconOnABench(StateFolder(folder.path))
        try await bench.beacon.restore(resets: false)
        #expect(bench.names == ["settings-damaged"])
        let message = try #require(bench.records.first?.message)
        #expect(message.contains("(\(damage.reason))"))
        #expect(message.contains(folder.file("museum/entrance.json.damaged-1")))
        #expect(bench.records.first?.device == "entrance")

        // The beacon starts with its profile's values, and a write does not change the renamed file.
        #expect(await bench.read() == .success(Samples.majorMinor(2, 3)))
        #expect(!folder.has("museum/entrance.json"))
        #expect(await bench.write(Samples.majorMinor(5, 6)) == .success([]))
        #expect(folder.names("museum") == ["entrance.json", "entrance.json.damaged-1", "entrance.lock"])
        #expect(folder.text("museum/entrance.json.damaged-1") == damage.text)
    }

    @Test
    func everyDamagedFileGetsItsOwnName() async throws {
        let folder = try TemporaryFolder()
        for number in 1...3 {
            try folder.write("damage \(number)", to: "museum/entrance.json")
            let bench = try BeaconOnABench(StateFolder(folder.path))
            try await bench.beacon.restore(resets: false)
            #expect(bench.names == ["settings-damaged"])
            bench.beacon.lock?.release()
        }
        #expect(folder.names("museum") == (1...3).map { "entrance.json.damaged-\($0)" })
        for number in 1...3 { #expect(folder.text("museum/entrance.json.damaged-\(number)") == "damage \(number)") }
    }

    /// A file that cannot be read may be valid, so the beacon does not start without it.
    @Test
    func unreadableFilePreventsTheStart() async throws {
        let folder = try TemporaryFolder()
        try folder.write("", to: "museum/entrance.json/so it is a folder")
        let bench = try BeaconOnABench(StateFolder(folder.path))
        let error = await #expect(throws: EmulatorError.self) { try await bench.beacon.restore(resets: false) }
        #expect(error?.code == .inputOutput)
        #expect(error?.exitCode == 74)
        #expect(folder.has("museum/entrance.json/so it is a folder"))
    }

    @Test
    func resetRemovesALargeFile() async throws {
        let folder = try TemporaryFolder()
        try folder.write(String(repeating: " ", count: (1 << 20) + 1), to: "museum/entrance.json")
        let bench = try BeaconOnABench(StateFolder(folder.path))
        try await bench.beacon.restore(resets: true)
        #expect(bench.names == ["settings-reset"])
        #expect(folder.names("museum") == ["entrance.lock"])
    }

    @Test
    func resetRemovesADamagedFile() async throws {
        let folder = try TemporaryFolder()
        try folder.write("garbage", to: "museum/entrance.json")
        let bench = try BeaconOnABench(StateFolder(folder.path))
        try await bench.beacon.restore(resets: true)
        #expect(bench.names == ["settings-reset"])
        #expect(folder.names("museum") == ["entrance.lock"])
    }
}
