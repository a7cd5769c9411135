// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Profiles
import Receiving

/// A region of the saved list, in JSON.
struct SavedRegion: Codable, Hashable {
    let identifier: String
    let uuid: String
    var major: UInt16?
    var minor: UInt16?
    var hello: String?
    var goodbye: String?
    var atMostOncePerSeconds: Double?
    var exitAfterSeconds: Double?

    init(_ entry: RegionList.Entry) {
        identifier = entry.identifier
        uuid = entry.uuid.description
        major = entry.major
        minor = entry.minor
        hello = entry.hello
        goodbye = entry.goodbye
        atMostOncePerSeconds = entry.atMostOncePer.map { $0 / .seconds(1) }
        exitAfterSeconds = entry.exitAfter.map { $0 / .seconds(1) }
    }

    /// The region; `nil` when its UUID is invalid.
    var entry: RegionList.Entry? {
        guard let uuid = UUID128(uuid) else { return nil }
        return RegionList.Entry(
            identifier: identifier, uuid: uuid, major: major, minor: minor, hello: hello, goodbye: goodbye,
            atMostOncePer: Self.duration(atMostOncePerSeconds), exitAfter: Self.duration(exitAfterSeconds))
    }

    private static func duration(_ seconds: Double?) -> Duration? {
        seconds.flatMap { 0...1e9 ~= $0 ? .seconds($0) : nil }
    }
}

/// The last state of a region, in JSON.
struct SavedState: Codable, Hashable {
    let identifier: String
    let uuid: String
    var major: UInt16?
    var minor: UInt16?
    /// unknown, inside or outside.
    let state: String
    /// The time of the last hello, in seconds since 1970.
    var saidHello: Double?
    /// The time of the last goodbye, in seconds since 1970.
    var saidGoodbye: Double?

    /// - Parameter start: the start of the announcer's times, since 1970.
    init(_ status: RegionStatus, said: [Announcer.Memory: Duration], start: Duration) {
        identifier = status.region.identifier
        uuid = status.region.uuid.description
        major = status.region.major
        minor = status.region.minor
        state = status.state.rawValue
        func when(_ kind: Announcement.Kind) -> Double? {
            said[Announcer.Memory(region: status.region.identifier, kind: kind)].map { ($0 + start) / .seconds(1) }
        }
        saidHello = when(.hello)
        saidGoodbye = when(.goodbye)
    }

    /// The state; `nil` when a value is invalid.
    var status: RegionStatus? {
        guard let uuid = UUID128(uuid), let state = RegionState(rawValue: state) else { return nil }
        return RegionStatus(
            region: BeaconRegion(identifier: identifier, uuid: uuid, major: major, minor: minor), state: state)
    }

    /// The times of its last messages relative to a start; at most zero, as they precede it.
    func said(start: Duration) -> [Announcer.Memory: Duration] {
        var said: [Announcer.Memory: Duration] = [:]
        for (kind, seconds) in [(Announcement.Kind.hello, saidHello), (.goodbye, saidGoodbye)] {
            guard let seconds, 0...1e11 ~= seconds else { continue }
            said[Announcer.Memory(region: identifier, kind: kind)] = min(.seconds(seconds) - start, .zero)
        }
        return said
    }
}
