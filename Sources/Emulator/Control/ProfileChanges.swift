// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Concurrency
import Devices
import Profiles
import Radio
import Synchronization

/// A profile in use.
package struct ProfileRecord: Hashable, Sendable {
    /// Its name.
    package let profile: String
    /// Its text in YAML, with all short forms written out, in UTF-8.
    package let bytes: [UInt8]
    /// The hash of the profile in effect (`ProfileVersion.effective`); a replacement may require it.
    package let tag: String

    package init(profile: String, bytes: [UInt8], tag: String) {
        self.profile = profile
        self.bytes = bytes
        self.tag = tag
    }

    /// The text.
    package var text: String { String(decoding: bytes, as: UTF8.self) }
}

extension ProfileRecord: Encodable {
    private enum CodingKeys: CodingKey {
        case profile, text, tag
    }

    package func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: CodingKeys.self)
        try object.encode(profile, forKey: .profile)
        try object.encode(text, forKey: .text)
        try object.encode(tag, forKey: .tag)
    }
}

/// What a run has of a profile, by hashes that are equal on machines with equal contents.
package struct ProfileVersion: Codable, Hashable, Sendable {
    /// The name of the profile.
    package let profile: String
    /// The hash of the files that it was read from (`ContentHash`); `nil` for a profile that was not read.
    package let files: String?
    /// The hash of the profile in effect: with the values of variables, without the beacons that were not selected, and with the
    /// changes of clients.
    package let effective: String

    package init(profile: String, files: String?, effective: String) {
        self.profile = profile
        self.files = files
        self.effective = effective
    }
}

/// The texts of the profiles in use, each of which is written once for all clients.
final class ProfileTexts: Sendable {
    typealias Document = (text: [UInt8], hash: ContentHash)

    private struct Text {
        let revision: Int
        let document: Task<Document, Never>
    }

    private let texts = Mutex<[String: Text]>([:])

    /// The text of a profile, and its hash.
    /// - Parameter revision: differs after each change of the profile.
    func document(of profile: Profile, _ revision: Int) async -> Document {
        let task = texts.withLock { texts in
            if let known = texts[profile.name], known.revision == revision { return known.document }
            let task = Task { await LongWork.profiles.perform { ProfileWriter.document(of: profile) } }
            texts[profile.name] = Text(revision: revision, document: task)
            return task
        }
        return await task.value
    }

    /// Forgets the texts of profiles that are not in use any more.
    func keep(_ names: Set<String>) { texts.withLock { $0 = $0.filter { names.contains($0.key) } } }
}

// Changes of the profiles by clients, until the next reload.
extension Emulator {
    /// A profile in use.
    /// - Parameter name: its name; `nil` for the first one.
    /// - Throws: `EmulatorError` `.unknownProfile`.
    package func profileRecord(_ name: String?) async throws(EmulatorError) -> ProfileRecord {
        let profiles = roster.profiles
        let profile = profiles[try Self.index(of: name, in: profiles)]
        let revision = roster.revision
        profileTexts.keep(Set(profiles.map(\.name)))
        let document = await profileTexts.document(of: profile, revision)
        return ProfileRecord(profile: profile.name, bytes: document.text, tag: "\(document.hash)")
    }

    /// The versions of the profiles in use, in their order. A handover that is under way is finished first.
    package func profileVersions() async -> [ProfileVersion] {
        await directory.handover?.value
        let (profiles, revision) = (roster.profiles, roster.revision)
        profileTexts.keep(Set(profiles.map(\.name)))
        var versions: [ProfileVersion] = []
        for profile in profiles {
            let hash = await profileTexts.document(of: profile, revision).hash
            versions.append(
                ProfileVersion(
                    profile: profile.name, files: profile.files?.description, effective: hash.description))
        }
        return versions
    }

    /// Replaces a profile in use. Beacons whose definition is the same keep their state.
    /// - Parameters:
    ///   - text: YAML or JSON, without references to files and environment variables.
    ///   - name: the profile to replace; `nil` for the first one.
    ///   - tag: the tag that the profiles must have; `nil` for any.
    /// - Throws: `EmulatorError` with the faults of the text, `.profileChanged` for another tag, `.unknownProfile`, or as
    ///   `reload`; then nothing has changed.
    package func replaceProfile(
        _ name: String?, by text: String, tag: String?
    ) async throws(EmulatorError) -> ReloadResult {
        let profile: Profile
        do throws(ProfileFaults) {
            // A short text may have many beacons.
            profile = try await LongWork.profiles.perform { () throws(ProfileFaults) in
                try Profile(parsing: text, file: "profile")
            }
        } catch {
            throw EmulatorError(error)
        }
        return try await changeProfiles { emulator throws(EmulatorError) in
            var next = emulator.roster.profiles
            let index = try Self.index(of: name, in: next)
            if let tag {
                let present = await emulator.profileTexts.document(of: next[index], emulator.roster.revision).hash
                guard tag == present.description else {
                    throw EmulatorError(
                        .profileChanged, "the profile has changed: its tag is \(present), not \(tag)",
                        hint: "read it again")
                }
            }
            let former = next[index]
            // A text that is sent has no pictures: the map of the file stays until the next reload.
            next[index] = profile.with(plan: former.surroundings.plan)
            next[index].files = former.files
            guard Set(next.map(\.name)).count == next.count else {
                throw EmulatorError(.badProfile, "another profile has the name \"\(profile.name)\" already")
            }
            return next
        }
    }

    /// Adds a beacon, or replaces one.
    /// - Parameters:
    ///   - name: its id, or `PROFILE/ID`; a new one without a profile is added to the first.
    ///   - text: the keys of its entry in a profile, in YAML or JSON.
    /// - Returns: the beacon, and whether it is new.
    /// - Throws: `EmulatorError` with the faults of the text, or as `reload`; then nothing has changed.
    package func putBeacon(_ name: String, _ text: String) async throws(EmulatorError) -> (BeaconStatus, isNew: Bool) {
        let (profile, id) = Self.parts(of: name)
        let beacon: BeaconDefinition
        do throws(ProfileFaults) {
            beacon = try await LongWork.profiles.perform { () throws(ProfileFaults) in
                try BeaconDefinition(parsing: text, id: id, file: "beacon")
            }
        } catch {
            throw EmulatorError(error)
        }
        return try await changeProfiles { emulator throws(EmulatorError) in
            var next = emulator.roster.profiles
            let place = Self.place(of: name, in: next)
            let index = if let place { place.profile } else { try Self.index(of: profile, in: next) }
            var beacons = next[index].beacons
            if let position = beacons.firstIndex(where: { $0.id == id }) {
                beacons[position] = beacon
            } else {
                guard !next.flatMap(\.receivers).contains(where: { $0.id == id }) else {
                    throw EmulatorError(
                        .conflict, "a receiver is named \"\(id)\" already", hint: "give the beacon another id")
                }
                beacons.append(beacon)
            }
            next[index] = next[index].with(beacons)
            return next
        } reply: { emulator, result throws(EmulatorError) in
            let isKnown = emulator.directory.beacon(BeaconIdentifier(name)) != nil
            let status = try await emulator.show(isKnown ? name : id)
            return (status, isNew: result.added.contains(status.identifier.name))
        }
    }

    /// Removes beacons, all or none.
    /// - Throws: `EmulatorError` `.unknownBeacon` if there are none, or as `reload`; then nothing has changed.
    package func removeBeacons(_ selection: BeaconSelection) async throws(EmulatorError) -> ReloadResult {
        try await changeProfiles { emulator throws(EmulatorError) in
            let removed = Set(try emulator.selected(selection).map { [$0.profileName, $0.profile.id] })
            return emulator.roster.profiles.map { profile in
                profile.with(profile.beacons.filter { !removed.contains([profile.name, $0.id]) })
            }
        }
    }

    /// The index of a profile; `nil` stands for the first one.
    private static func index(of name: String?, in profiles: [Profile]) throws(EmulatorError) -> Int {
        guard let index = name == nil ? profiles.indices.first : profiles.firstIndex(where: { $0.name == name }) else {
            throw unknownProfile(name ?? "", among: profiles.map(\.name))
        }
        return index
    }

    /// The indices of a beacon's profile and of the beacon in it; `nil` if the run has no such beacon.
    private static func place(of name: String, in profiles: [Profile]) -> (profile: Int, beacon: Int)? {
        for (profile, definition, identifier) in BeaconFactory.identified(profiles) where identifier.name == name {
            guard let index = profiles.firstIndex(where: { $0.name == profile.name }),
                let beacon = profiles[index].beacons.firstIndex(where: { $0.id == definition.id })
            else { return nil }
            return (index, beacon)
        }
        return nil
    }

    /// `PROFILE/ID`, or an id.
    private static func parts(of name: String) -> (profile: String?, id: String) {
        guard let slash = name.firstIndex(of: "/") else { return (nil, name) }
        return (String(name[..<slash]), String(name[name.index(after: slash)...]))
    }
}
