// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import BeaconryCentral
import Bluetooth
import Emulator
import Foundation
import Persistence
import Profiles
import Radio
import Receiving
import Testing

@testable import BeaconryTools

struct RegionWatchTests {
    private static let uuid = UUID128("E2C56DB5-DFFB-48D2-B060-D0F5A71096E0")
    private let start = Duration.seconds(1_000_000)

    private func entry(
        _ identifier: String = "shop", hello: String? = nil, atMostOncePer: Duration? = nil
    ) throws -> RegionList.Entry {
        RegionList.Entry(
            identifier: identifier, .numbers(Self.uuid, major: nil, minor: nil), hello: hello,
            goodbye: "Bye",
            atMostOncePer: atMostOncePer)
    }

    private func watch(_ entries: [RegionList.Entry]) throws -> RegionWatch {
        var watch = RegionWatch(
            RegionMonitor.Settings(quietTime: .seconds(30)), ranging: Ranging.Settings(), start: start)
        try watch.watch(entries, at: .zero)
        return watch
    }

    private func advertisement(at time: Duration) throws -> Reception {
        let beacon = IBeacon(uuid: Self.uuid, major: 1, minor: 2, measuredPower: MeasuredPower(-59))
        let device = RemoteAddress(try #require(BluetoothAddress("C0:FF:EE:00:00:01")), isRandom: true)
        return .received(
            Sighting(
                device: device, pdu: .nonConnectable,
                data: beacon.advertisingData(flags: AdvertisingFlags(rawValue: 6)).serialized(), rssi: RSSI(-60)),
            at: time)
    }

    /// Lets time pass in steps that are no gap.
    private func pass(_ watch: inout RegionWatch, from: Int, to: Int) -> [RegionWatch.Output] {
        stride(from: from * 2, through: to * 2, by: 1).flatMap { watch.take(.passed(.milliseconds($0 * 500))) }
    }

    private func messages(_ outputs: [RegionWatch.Output]) -> [String] {
        outputs.compactMap { output in
            guard case .changed(let event, let message, let isHeldBack) = output else { return nil }
            return "\(event.kind.rawValue) \(message ?? "-")\(isHeldBack ? " held back" : "")"
        }
    }

    @Test func regionIsEnteredWithTheFirstAdvertisementAndLeftAfterTheQuietTime() throws {
        var watch = try watch([try entry(hello: "Welcome")])
        #expect(messages(watch.take(try advertisement(at: .milliseconds(500)))) == ["entered Welcome"])
        #expect(watch.statuses.map(\.state) == [.inside])
        #expect(messages(pass(&watch, from: 1, to: 30)) == [])
        #expect(messages(pass(&watch, from: 31, to: 31)) == ["exited Bye"])
    }

    @Test func insideRegionsAreRanged() throws {
        var watch = try watch([try entry()])
        _ = watch.take(try advertisement(at: .milliseconds(500)))
        let ranged = pass(&watch, from: 1, to: 2).filter { if case .ranged = $0 { true } else { false } }
        #expect(!ranged.isEmpty)
    }

    @Test func changesWithinTheRateLimitAreHeldBackEvenWithoutAMessage() throws {
        var watch = try watch([try entry(hello: nil, atMostOncePer: .seconds(3600))])
        #expect(messages(watch.take(try advertisement(at: .milliseconds(500)))) == ["entered -"])
        #expect(messages(pass(&watch, from: 1, to: 32)) == ["exited Bye"])
        #expect(messages(watch.take(try advertisement(at: .seconds(33)))) == ["entered - held back"])
    }

    @Test func savedStatesSurviveARestart() throws {
        var first = try watch([try entry(hello: "Welcome", atMostOncePer: .seconds(3600))])
        _ = first.take(try advertisement(at: .milliseconds(500)))
        let saved = first.savedStates
        #expect(saved.map(\.state) == ["inside"])
        #expect(saved.first?.saidHello == 1_000_000.5)

        var second = RegionWatch(
            RegionMonitor.Settings(quietTime: .seconds(30)), ranging: Ranging.Settings(), start: start + .seconds(60))
        try second.watch([try entry(hello: "Welcome", atMostOncePer: .seconds(3600))], at: .zero)
        second.restore(saved, at: .zero)
        #expect(second.statuses.map(\.state) == [.inside])
        #expect(messages(second.take(try advertisement(at: .milliseconds(500)))) == [], "already inside")
        #expect(messages(pass(&second, from: 1, to: 32)) == ["exited Bye"])
        #expect(messages(second.take(try advertisement(at: .seconds(33)))) == ["entered - held back"])
    }

    @Test func gapInTimeRestartsTheQuietTimes() throws {
        var watch = try watch([try entry()])
        _ = watch.take(try advertisement(at: .milliseconds(500)))
        #expect(messages(watch.take(.passed(.seconds(300)))) == [], "receptions of the gap are still to come")
        #expect(watch.statuses.map(\.state) == [.inside])
        #expect(messages(pass(&watch, from: 301, to: 332)) == ["exited Bye"])
    }

    @Test func replacedListKeepsStatesAndRefusesTooManyRegions() throws {
        var watch = try watch([try entry("a"), try entry("b")])
        _ = watch.take(try advertisement(at: .milliseconds(500)))
        try watch.watch([try entry("b"), try entry("c")], at: .seconds(1))
        #expect(watch.statuses.map(\.region.identifier) == ["b", "c"])
        #expect(watch.statuses.map(\.state) == [.inside, .unknown])
        let many = try (0...20).map { try entry("\($0)") }
        #expect(throws: RegionMonitor.TooManyRegions.self) { try watch.watch(many, at: .seconds(2)) }
        #expect(watch.statuses.map(\.region.identifier) == ["b", "c"])
    }

    @Test func invalidSavedStatesAreIgnored() throws {
        let json =
            #"[{"identifier":"shop","uuid":"x","state":"inside"},{"identifier":"shop","uuid":"\#(Self.uuid)","state":"odd"}]"#
        let states = try JSONDecoder().decode([SavedState].self, from: Data(json.utf8))
        var watch = try watch([try entry()])
        watch.restore(states, at: .zero)
        #expect(watch.statuses.map(\.state) == [.unknown])
    }
}

struct MonitorFolderTests {
    private let state: TemporaryFolder
    private let folder: MonitorFolder
    private let region: SavedRegion

    init() throws {
        state = try TemporaryFolder()
        folder = MonitorFolder(state: state.path)
        region = SavedRegion(
            RegionList.Entry(
                identifier: "shop",
                .numbers(UUID128("E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"), major: 1, minor: nil),
                hello: "Welcome", atMostOncePer: .seconds(90), exitAfter: .milliseconds(500)))
    }

    @Test func savedRegionsAreReadBack() throws {
        #expect(try folder.savedRegions() == [])
        try folder.save([region])
        #expect(try folder.savedRegions() == [region])
        let entry = try #require(region.entry)
        #expect(entry.atMostOncePer == .seconds(90))
        #expect(entry.exitAfter == .milliseconds(500))
        #expect(
            BeaconRegion(entry).contains(
                BeaconIdentity(uuid: UUID128("E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"), major: 1, minor: 9))
        )
    }

    @Test func damagedListIsRefusedAndNotOverwritten() throws {
        try folder.save([region])
        _ = try state.write("{", to: ".monitor/saved.json")
        let failure = #expect(throws: Failure.self) { try folder.savedRegions() }
        #expect(failure?.exitCode == 65)
        #expect(state.text(of: ".monitor/saved.json") == "{")
    }

    @Test func damagedStatesAreLikeNone() throws {
        try folder.save([SavedState](), of: "saved")
        _ = try state.write("nonsense", to: ".monitor/saved.states.json")
        #expect(try folder.states(of: "saved") == [])
    }

    @Test func lockIsExclusive() throws {
        let lock = try folder.lock("saved.json")
        let failure = #expect(throws: Failure.self) { try folder.lock("saved.json") }
        #expect(failure?.exitCode == 73)
        #expect(failure?.message.contains("is in use by process") == true)
        lock.release()
        try folder.lock("saved.json").release()
    }

    @Test func changedFileIsNoticed() throws {
        var source = RegionSource(file: nil, folder: folder)
        #expect(try source.read().isEmpty)
        #expect(!source.hasChanged)
        try folder.save([region])
        #expect(source.hasChanged)
        #expect(try source.read().map(\.identifier) == ["shop"])
        #expect(!source.hasChanged)
    }

    @Test(
        arguments: [(nil, "saved"), ("regions.yaml", "file-regions.yaml"), ("/a b/c d.yaml", "file-c_d.yaml")]
            as [(String?, String)])
    func listsHaveNamesOfTheirFiles(_ file: String?, _ name: String) {
        #expect(RegionSource(file: file, folder: folder).listName == name)
    }

    @Test func statesAreSavedOnlyInTheFolderIfThereIsOne() throws {
        let states = [
            SavedState(
                RegionStatus(region: BeaconRegion(try #require(region.entry)), state: .inside), said: [:], start: .zero)
        ]
        StateStore(folder: folder, list: "saved", format: .json).save(states)
        #expect(try folder.states(of: "saved") == states)
        let memory = StateStore(folder: nil, list: "saved", format: .json)
        memory.save(states)
        #expect(try memory.states() == states)
    }
}
