// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import HCI
import Testing
import VirtualRadio

@testable import HostStack

/// Our host on a controller of every character, beside one that follows the specification: it works, or says why not.
///
/// Like a radio, the bench starts a host again 1 s after its controller has failed.
@Suite struct CharacterTests {
    /// A character, and the words of the failure where something does not work.
    struct Row: Sendable, CustomTestStringConvertible {
        let character: String
        var advertising: String?
        var scanning: String?
        var connecting: String?
        /// Of a scan beside a connection.
        var scanningBesideConnection: String?
        /// Of another beacon beside a connection.
        var advertisingBesideConnection: String?

        var testDescription: String { character }
        var name: Substring { character.prefix { $0 != ":" && $0 != "+" } }
    }

    private static let linked = "while it has a connection"
    private static let silence = "the controller did not answer within 5.0 seconds"

    static let rows = [
        Row(character: "dual-mode"), Row(character: "dual-mode+legacy-5.0"),
        Row(character: "legacy-5.0"),
        Row(character: "sets:1", advertisingBesideConnection: "the controller has only 1 advertising set"),
        Row(character: "sets:12"),
        Row(character: "low-handles:4"),
        Row(character: "mixing:counted"), Row(character: "mixing:uncounted"),
        Row(character: "feature-lies:no-feature"), Row(character: "feature-lies:no-commands"),
        Row(character: "ats2851"),
        Row(character: "le-only"),
        Row(character: "no-address"), Row(character: "no-address+legacy-5.0"),
        Row(character: "same-address"),
        Row(character: "power:nearest"), Row(character: "power:fixed"), Row(character: "power:unknown"),
        // The host does without what a controller does not answer when it starts.
        Row(character: "silent:0x204B"), Row(character: "silent:0x203A"), Row(character: "silent:0x202F"),
        Row(character: "silent:0x1002"), Row(character: "silent:0x2003"),
        Row(
            character: "silent:0x2036", advertising: "LE Set Extended Advertising Parameters: \(silence)",
            advertisingBesideConnection: "LE Set Extended Advertising Parameters: \(silence)"),
        Row(
            character: "silent:0x2042", scanning: "LE Set Extended Scan Enable: \(silence)",
            scanningBesideConnection: "LE Set Extended Scan Enable: \(silence)"),
        Row(character: "silent:0x2043", connecting: "LE Extended Create Connection: \(silence)"),
        Row(character: "hung:10,error"), Row(character: "hung:22,error"),
        Row(character: "hung:17,error", connecting: "LE Extended Create Connection: \(silence)"),
        Row(
            character: "hung:10,never", advertising: "Reset: \(silence)", scanning: "Reset: \(silence)",
            connecting: "Reset: \(silence)"),
        Row(character: "slow:20"), Row(character: "slow:100"), Row(character: "slow:400"),
        Row(
            character: "busy:0x3A", advertising: "controller busy (0x3A)",
            advertisingBesideConnection: "controller busy (0x3A)"),
        Row(
            character: "busy:0x0C", advertising: "command disallowed (0x0C)",
            advertisingBesideConnection: "\(linked): command disallowed (0x0C)"),
        Row(character: "states", advertisingBesideConnection: linked),
        Row(character: "scan-busy", scanningBesideConnection: linked),
        Row(character: "strict-random"), Row(character: "strict-random+legacy-5.0"),
        Row(character: "disable-first"),
        Row(character: "late-terminated:600"), Row(character: "early-terminated"), Row(character: "no-terminated"),
        Row(character: "terminated-0x44"),
        Row(character: "air-interval:3"),
    ]

    private let set = AdvertisingSetIdentifier.number(0)
    private let another = AdvertisingSetIdentifier.number(1)
    private let own = BluetoothAddress.random(1)
    private let theirs = BluetoothAddress.random(2)
    private let beacon = Advertisement.beacon(.connectableScannable, milliseconds: 100)

    @Test func `every character has a row`() {
        #expect(Set(Self.rows.map { String($0.name) }) == Set(ControllerCharacter.names))
    }

    /// A bench with an ordinary station and one of a character.
    private func bench(_ row: Row) throws -> (AirBench, ordinary: Int, odd: Int) {
        var bench = AirBench()
        bench.startsFailedHostsAgain = true
        let ordinary = bench.add(1)
        let odd = bench.add(2, character: try ControllerCharacter(row.character))
        return (bench, ordinary, odd)
    }

    @Test(arguments: rows)
    func `it advertises, and accepts connections`(row: Row) throws {
        var (bench, ordinary, odd) = try bench(row)
        bench.perform(odd) { $0.setAdvertising(beacon, for: set, address: .random(own)) }
        bench.perform(ordinary) { $0.startScanning() }
        guard try bench.works(odd, unless: row.advertising, { $0.reports(ordinary, of: own).count > 2 }) else {
            return
        }
        // A connection interrupts the beacon, which returns after it.
        bench.perform(ordinary) { $0.connect(to: own, type: .random) }
        try bench.wait { $0.connections(odd).count == 1 && $0.connections(ordinary).count == 1 }
        #expect(bench.connections(odd).first?.advertisingSet == set)
        bench.perform(odd) {
            $0.setAdvertising(.beacon(milliseconds: 200), for: another, address: .random(.random(3)))
        }
        try bench.works(odd, unless: row.advertisingBesideConnection) { !$0.reports(ordinary, of: .random(3)).isEmpty }
        // Changed while it does not advertise.
        let changed = Advertisement.beacon(.connectableScannable, milliseconds: 150, name: "new")
        bench.perform(odd) { $0.setAdvertising(changed, for: set, address: .random(own)) }
        let link = try #require(bench.connections(ordinary).first)
        bench.perform(ordinary) { $0.disconnect(link.id) }
        try bench.wait {
            $0.reports(ordinary, of: own).contains { $0.report.data == changed.advertisingData.serialized() }
        }
        if row.advertisingBesideConnection == Self.linked {
            try bench.wait { !$0.reports(ordinary, of: .random(3)).isEmpty }
        }
        let stops = bench.stations[odd].events.filter {
            if case .advertisingStopped(_, .controller) = $0.event { true } else { false }
        }
        #expect(stops.isEmpty)
    }

    @Test(arguments: rows)
    func `it scans and connects`(row: Row) throws {
        var (bench, ordinary, odd) = try bench(row)
        bench.perform(ordinary) { $0.setAdvertising(beacon, for: set, address: .random(theirs)) }
        bench.perform(ordinary) { host in
            host.setAdvertising(.beacon(milliseconds: 100), for: another, address: .random(.random(3)))
        }
        bench.perform(odd) { $0.startScanning() }
        let scans = try bench.works(odd, unless: row.scanning) { $0.reports(odd, of: theirs).count > 2 }
        bench.perform(odd) {
            $0.stopScanning()
            $0.connect(to: theirs, type: .random)
        }
        guard try bench.works(odd, unless: row.connecting, { $0.connections(odd).count == 1 }) else { return }
        let received = bench.reports(odd, of: .random(3)).count
        bench.perform(odd) { $0.startScanning() }
        try bench.works(odd, unless: row.scanningBesideConnection) {
            $0.reports(odd, of: .random(3)).count > received + 1
        }
        let link = try #require(bench.connections(odd).first)
        bench.perform(odd) { $0.disconnect(link.id) }
        try bench.wait { $0.connections(ordinary).isEmpty && $0.connections(odd).isEmpty }
        // The scan continues after the connection.
        let before = bench.reports(odd, of: .random(3)).count
        if scans { try bench.wait { $0.reports(odd, of: .random(3)).count > before + 1 } }
    }

    @Test func `a beacon of 20 ms is sent every 100 ms by a controller that refuses it`() throws {
        var (bench, ordinary, odd) = try bench(Row(character: "legacy-5.0"))
        bench.perform(odd) { $0.setAdvertising(.beacon(milliseconds: 20), for: set, address: .random(own)) }
        bench.perform(ordinary) { $0.startScanning() }
        try bench.wait { !$0.reports(ordinary, of: own).isEmpty }
        let effective = bench.stations[odd].events.compactMap { event -> AdvertisingInterval? in
            if case .advertising(_, let effective) = event.event { effective.interval } else { nil }
        }
        #expect(effective == [AdvertisingInterval(160)])
    }
}

extension AirBench {
    func connections(_ station: Int) -> [LEConnection] { stations[station].host.currentConnections }

    /// Advances the time, for a minute at most, until a condition holds.
    mutating func wait(
        _ sourceLocation: SourceLocation = #_sourceLocation, until holds: (AirBench) -> Bool
    ) throws {
        let isMet = advance(for: .seconds(60), until: holds)
        try #require(isMet, "\(stations.map { $0.events.suffix(12) })", sourceLocation: sourceLocation)
    }

    /// Waits until a condition holds; or, if it should not work, until a failure is reported in these words.
    /// - Returns: whether it works.
    @discardableResult
    mutating func works(
        _ station: Int, unless words: String?, sourceLocation: SourceLocation = #_sourceLocation,
        _ holds: (AirBench) -> Bool
    ) throws -> Bool {
        guard let words else {
            try wait(sourceLocation, until: holds)
            return true
        }
        let isReported = advance(for: .seconds(60)) { bench in
            bench.stations[station].events.contains { $0.event.failure.map { "\($0)".contains(words) } ?? false }
        }
        try #require(isReported, "\(stations[station].events.suffix(12))", sourceLocation: sourceLocation)
        #expect(!holds(self), sourceLocation: sourceLocation)
        return false
    }
}

extension LEHostEvent {
    /// The failure of what the owner requested.
    fileprivate var failure: LEHostFailure? {
        switch self {
        case .failed(let failure), .advertisingFailed(_, let failure), .scanFailed(let failure),
            .scanHeld(let failure), .connectionFailed(_, let failure):
            failure
        default: nil
        }
    }
}
