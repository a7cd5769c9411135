// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Devices
import Glibc
package import Profiles

/// The option `--only`: patterns of the ids of beacons, `room-3-*`, or of `PROFILE/ID`.
package struct BeaconPatterns: Sendable {
    private static let namedBeacons = 10

    /// The patterns; empty for all beacons.
    package let patterns: [String]
    /// Where they are from, for messages.
    private let source: String

    /// These patterns; without any, all beacons.
    package init(_ patterns: [String]) { self.init(patterns, from: "--only") }

    private init(_ patterns: [String], from source: String) {
        self.patterns = patterns
        self.source = source
    }

    /// The patterns of the option, or else those of `BEACONRY_ONLY`, with spaces or commas between them.
    package static func chosen(_ patterns: [String]) -> BeaconPatterns {
        let variable = EnvironmentVariable.only
        guard patterns.isEmpty, let text = variable.value else { return BeaconPatterns(patterns) }
        let others = text.split { $0.isWhitespace || $0 == "," }.map { String($0) }
        return BeaconPatterns(others, from: "--only (\(variable.name))")
    }

    /// The profiles with the beacons that match; receivers, physics and walls stay.
    package func selected(_ profiles: [Profile]) -> [Profile] {
        guard !patterns.isEmpty else { return profiles }
        return profiles.map { profile in
            profile.with(
                profile.beacons.filter { beacon in
                    patterns.contains { Self.matches(beacon.id, of: profile, $0) }
                })
        }
    }

    /// Checks that each pattern matches a beacon.
    /// - Throws: `Failure` that names the beacons.
    package func check(_ profiles: [Profile]) throws(Failure) {
        if let fault = fault(in: profiles) { throw .usage(fault) }
    }

    /// The beacons of changed profiles that match, of which each pattern matches one, as at the start.
    /// - Parameter files: the files of the profiles, for the message.
    /// - Throws: `ProfileFaults` that name the beacons.
    package func selectedAgain(_ profiles: [Profile], from files: [String]) throws(ProfileFaults) -> [Profile] {
        guard let fault = fault(in: profiles) else { return selected(profiles) }
        let file = files.first ?? ""
        throw ProfileFaults([ProfileFault(file: file, line: 0, column: 0, field: "", message: fault)])
    }

    /// The first pattern without a beacon, and the beacons that there are; `nil` if each pattern matches one.
    private func fault(in profiles: [Profile]) -> String? {
        for pattern in patterns {
            let isUsed = profiles.contains { profile in
                profile.beacons.contains { Self.matches($0.id, of: profile, pattern) }
            }
            guard !isUsed else { continue }
            let ids = profiles.flatMap(\.beacons).map(\.id)
            let more = ids.count > Self.namedBeacons ? " and \(ids.count - Self.namedBeacons) more" : ""
            let names = ids.prefix(Self.namedBeacons).joined(separator: ", ") + more
            return "\(source): no beacon matches \"\(pattern)\"; "
                + (ids.isEmpty ? "there are none" : "beacons are \(names)")
        }
        return nil
    }

    private static func matches(_ id: String, of profile: Profile, _ pattern: String) -> Bool {
        fnmatch(pattern, pattern.contains("/") ? "\(profile.name)/\(id)" : id, 0) == 0
    }
}
