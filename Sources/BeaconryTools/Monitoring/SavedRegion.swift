// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Profiles
import Receiving

/// A region of the saved list, in JSON.
struct SavedRegion: Codable, Hashable {
    private enum CodingKeys: CodingKey {
        case identifier, hello, goodbye, atMostOncePerSeconds, exitAfterSeconds
    }

    let identifier: String
    let identifiers: IdentifierRecord
    let hello: String?
    let goodbye: String?
    let atMostOncePerSeconds: Double?
    let exitAfterSeconds: Double?

    init(_ entry: RegionList.Entry) {
        identifier = entry.identifier
        identifiers = IdentifierRecord(entry.identifiers)
        hello = entry.hello
        goodbye = entry.goodbye
        atMostOncePerSeconds = entry.atMostOncePer.map { $0 / .seconds(1) }
        exitAfterSeconds = entry.exitAfter.map { $0 / .seconds(1) }
    }

    init(from decoder: any Decoder) throws {
        identifiers = try IdentifierRecord(from: decoder)
        let object = try decoder.container(keyedBy: CodingKeys.self)
        identifier = try object.decode(String.self, forKey: .identifier)
        hello = try object.decodeIfPresent(String.self, forKey: .hello)
        goodbye = try object.decodeIfPresent(String.self, forKey: .goodbye)
        atMostOncePerSeconds = try object.decodeIfPresent(Double.self, forKey: .atMostOncePerSeconds)
        exitAfterSeconds = try object.decodeIfPresent(Double.self, forKey: .exitAfterSeconds)
    }

    func encode(to encoder: any Encoder) throws {
        try identifiers.encode(to: encoder)
        var object = encoder.container(keyedBy: CodingKeys.self)
        try object.encode(identifier, forKey: .identifier)
        try object.encodeIfPresent(hello, forKey: .hello)
        try object.encodeIfPresent(goodbye, forKey: .goodbye)
        try object.encodeIfPresent(atMostOncePerSeconds, forKey: .atMostOncePerSeconds)
        try object.encodeIfPresent(exitAfterSeconds, forKey: .exitAfterSeconds)
    }

    /// The region; `nil` when its identifiers are invalid.
    var entry: RegionList.Entry? {
        guard let identifiers = identifiers.region else { return nil }
        return RegionList.Entry(
            identifier: identifier, identifiers, hello: hello, goodbye: goodbye,
            atMostOncePer: Self.duration(atMostOncePerSeconds), exitAfter: Self.duration(exitAfterSeconds))
    }

    private static func duration(_ seconds: Double?) -> Duration? {
        seconds.flatMap { 0...1e9 ~= $0 ? .seconds($0) : nil }
    }
}

/// The last state of a region, in JSON.
struct SavedState: Codable, Hashable {
    private enum CodingKeys: CodingKey {
        case identifier, state, saidHello, saidGoodbye
    }

    let identifier: String
    let identifiers: IdentifierRecord
    /// unknown, inside or outside.
    let state: String
    /// The time of the last hello, in seconds since 1970.
    let saidHello: Double?
    /// The time of the last goodbye, in seconds since 1970.
    let saidGoodbye: Double?

    /// - Parameter start: the start of the announcer's times, since 1970.
    init(_ status: RegionStatus, said: [Announcer.Memory: Duration], start: Duration) {
        identifier = status.region.identifier
        identifiers = IdentifierRecord(status.region.identifiers)
        state = status.state.rawValue
        func when(_ kind: Announcement.Kind) -> Double? {
            said[Announcer.Memory(region: status.region.identifier, kind: kind)].map { ($0 + start) / .seconds(1) }
        }
        saidHello = when(.hello)
        saidGoodbye = when(.goodbye)
    }

    init(from decoder: any Decoder) throws {
        identifiers = try IdentifierRecord(from: decoder)
        let object = try decoder.container(keyedBy: CodingKeys.self)
        identifier = try object.decode(String.self, forKey: .identifier)
        state = try object.decode(String.self, forKey: .state)
        saidHello = try object.decodeIfPresent(Double.self, forKey: .saidHello)
        saidGoodbye = try object.decodeIfPresent(Double.self, forKey: .saidGoodbye)
    }

    func encode(to encoder: any Encoder) throws {
        try identifiers.encode(to: encoder)
        var object = encoder.container(keyedBy: CodingKeys.self)
        try object.encode(identifier, forKey: .identifier)
        try object.encode(state, forKey: .state)
        try object.encodeIfPresent(saidHello, forKey: .saidHello)
        try object.encodeIfPresent(saidGoodbye, forKey: .saidGoodbye)
    }

    /// The state; `nil` when a value is invalid.
    var status: RegionStatus? {
        guard let identifiers = identifiers.region, let state = RegionState(rawValue: state) else { return nil }
        return RegionStatus(region: BeaconRegion(identifier: identifier, identifiers), state: state)
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
