// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
package import Devices
import Glibc
import Persistence
package import Profiles
import Receiving

/// Reads and edits files of profiles.
package enum ProfileFiles {
    /// Reads profiles of beacons.
    /// - Parameters:
    ///   - files: takes the paths of all files that are read.
    ///   - record: takes the texts of these files, and the variables that are read.
    /// - Throws: `ProfileFaults` with the faults of all files.
    package static func load(
        _ paths: [String], noting files: WatchedFiles? = nil, keeping record: ProfileReadings? = nil
    ) throws(ProfileFaults) -> [Profile] {
        try load(paths) { path throws(ProfileFaults) in
            files?.insert(path)
            let text = try text(path)
            record?.note(text, at: path)
            return text
        } sources: { path in
            let sources = sources(beside: path, noting: files)
            return record?.noting(sources, beside: path) ?? sources
        }
    }

    /// Reads profiles from a copy of their files and variables.
    /// - Throws: `ProfileFaults`, also for a file that the copy does not have.
    static func load(_ paths: [String], from copy: ProfileCopy) throws(ProfileFaults) -> [Profile] {
        try load(paths) { path throws(ProfileFaults) in
            guard let text = copy.files[Folder.absolute(path)] else {
                throw ProfileFaults([
                    ProfileFault(file: path, line: 0, column: 0, field: "", message: "the copy does not have it")
                ])
            }
            return text
        } sources: { path in
            ProfileSources { name throws(ValueFault) in
                guard let text = copy.files[Folder.absolute(full(name, beside: path))] else {
                    throw ValueFault("the copy does not have the file \"\(name)\"")
                }
                return text
            } environment: { name in
                copy.variables[name] ?? nil
            } pictures: { name throws(ValueFault) in
                try copy.picture(named: name, at: Folder.absolute(full(name, beside: path)))
            }
        }
    }

    private static func load(
        _ paths: [String], text: (String) throws(ProfileFaults) -> String, sources: (String) -> ProfileSources
    ) throws(ProfileFaults) -> [Profile] {
        var profiles: [Profile] = []
        var faults: [ProfileFault] = []
        var names = NamesOnTheAir()
        for path in paths {
            do throws(ProfileFaults) {
                let profile = try Profile(parsing: try text(path), file: path, sources: sources(path))
                if let index = profiles.firstIndex(where: { $0.name == profile.name }) {
                    let message = "\(paths[index]) has the name \"\(profile.name)\" already"
                    faults.append(ProfileFault(file: path, line: 1, column: 1, field: "profile", message: message))
                }
                let both = "; write the same in both, or leave one out"
                faults += [
                    conflict(\.physics, "physics", "other physics", both, of: profile, in: path, after: profiles),
                    conflict(
                        \.building, "rooms", "other floors and rooms", both, of: profile, in: path, after: profiles),
                    conflict(\.plan, "map", "another map", "; leave one out", of: profile, in: path, after: profiles),
                    conflict(\.powerOn, "power-on", "another power-on", both, of: profile, in: path, after: profiles),
                ].compactMap(\.self)
                if let message = names.insert(profile, in: path) {
                    faults.append(ProfileFault(file: path, line: 1, column: 1, field: "receivers", message: message))
                }
                profiles.append(profile)
            } catch {
                faults += error.faults
            }
        }
        guard faults.isEmpty else { throw ProfileFaults(faults) }
        return profiles
    }

    /// The fault of a part of the surroundings of which an earlier profile has another one; `nil` for none.
    private static func conflict<Part: Equatable>(
        _ part: KeyPath<Surroundings, Part?>, _ field: String, _ other: String, _ advice: String, of profile: Profile,
        in path: String, after earlier: [Profile]
    ) -> ProfileFault? {
        guard let value = profile.surroundings[keyPath: part],
            earlier.contains(where: { $0.surroundings[keyPath: part] ?? value != value })
        else { return nil }
        let message = "an earlier profile has \(other), and there is one air\(advice)"
        return ProfileFault(file: path, line: 1, column: 1, field: field, message: message)
    }

    /// Reads profiles of beacons and of phones.
    /// - Throws: `ProfileFaults` with the faults of all files.
    package static func loadWithPhones(
        _ paths: [String]
    ) throws(ProfileFaults) -> (beacons: [Profile], phones: [PhoneProfile]) {
        var others: [String] = []
        var phones: [PhoneProfile] = []
        var faults: [ProfileFault] = []
        for path in paths {
            do throws(ProfileFaults) {
                let text = try text(path)
                if PhoneProfile.isPhone(text) {
                    phones.append(try PhoneProfile(parsing: text, file: path))
                } else {
                    others.append(path)
                }
            } catch {
                faults += error.faults
            }
        }
        var profiles: [Profile] = []
        do throws(ProfileFaults) {
            profiles = try load(others)
        } catch {
            faults += error.faults
        }
        guard faults.isEmpty else { throw ProfileFaults(faults) }
        return (profiles, phones)
    }

    /// The places of the beacons of valid profiles, by id and by PROFILE/ID.
    static func places(in paths: [String]) -> [String: FilePlace] {
        var places: [String: FilePlace] = [:]
        for path in paths {
            guard let text = try? text(path) else { continue }
            places.merge(Profile.places(in: text, file: path, sources: sources(beside: path))) { $1 }
        }
        return places
    }

    /// Sets the measured power of the beacons that advertise these numbers in a profile's file; nothing else changes.
    /// - Returns: the ids of the beacons.
    /// - Throws: `Failure` when no beacon matches, `ProfileFaults` when the text cannot be edited, and `SystemError`.
    static func setMeasuredPower(_ power: MeasuredPower, of frame: IBeacon, in path: String) throws -> [String] {
        var editor = ProfileEditor(try text(path), file: path, sources: sources(beside: path))
        let profile = try Profile(parsing: editor.text, file: path, sources: sources(beside: path))
        let ids = profile.beacons.filter { beacon in
            beacon.device.frame.map { BeaconIdentity($0) } == BeaconIdentity(frame)
        }.map(\.id)
        guard !ids.isEmpty else {
            throw Failure.badData(
                "\(path): no beacon has \(BeaconIdentity(frame)); add measured-power: \(power.decibelMilliwatts) "
                    + "to the right beacon")
        }
        try editor.setMeasuredPower(power, of: Set(ids))
        // A symbolic link is preserved.
        let target = realpath(path, nil).map { pointer in
            defer { free(pointer) }
            return String(cString: pointer)
        }
        var status = stat()
        let mode = stat(path, &status) == 0 ? status.st_mode & 0o7777 : nil
        try LocalFileSystem().replace(target ?? path, with: Array(editor.text.utf8))
        if let mode { chmod(target ?? path, mode) }
        return ids
    }

    /// The key in a file.
    /// - Throws: `Failure` for a file that cannot be read, or has no key.
    package static func bindKey(in path: String) throws(Failure) -> BindKey {
        guard let text = try InputFile.text(of: path, limit: 4096) else {
            throw .badData("\(path) is no file of a bind key: it is too long")
        }
        do throws(ValueFault) {
            return try BindKey(text, readsShort: true)
        } catch {
            throw .badData("\(path): \(error.message)")
        }
    }

    /// The files beside a profile, and the environment of the process.
    static func sources(beside profile: String, noting files: WatchedFiles? = nil) -> ProfileSources {
        ProfileSources(files: reader(beside: profile, noting: files)) { name in
            getenv(name).map { String(cString: $0) }
        } pictures: { path throws(ValueFault) in
            try PictureFile.read(path, beside: profile, noting: files)
        }
    }

    /// Reads the files that a profile refers to, by paths relative to the profile's folder.
    private static func reader(beside profile: String, noting files: WatchedFiles?) -> ProfileFileReader {
        { path throws(ValueFault) in
            let full = full(path, beside: profile)
            files?.insert(full)
            let bytes: [UInt8]?
            do throws(SystemError) {
                bytes = try LocalFileSystem().read(full)
            } catch {
                throw ValueFault("\(error)")
            }
            guard let bytes else {
                throw ValueFault("there is no file \"\(full)\"; paths are relative to the profile's folder")
            }
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw ValueFault("\(full) is not UTF-8 text")
            }
            return text
        }
    }

    /// A path in a profile, which is relative to the folder of the profile.
    static func full(_ path: String, beside profile: String) -> String {
        let folder = profile.lastIndex(of: "/").map { profile[...$0] } ?? ""
        return path.hasPrefix("/") ? path : folder + path
    }

    /// The text of a file.
    /// - Parameter examples: where to find examples of such files.
    package static func text(_ path: String, examples: String = "profiles/") throws(ProfileFaults) -> String {
        func fault(_ message: String) -> ProfileFaults {
            ProfileFaults([ProfileFault(file: path, line: 0, column: 0, field: "", message: message)])
        }
        let bytes: [UInt8]?
        do throws(SystemError) {
            bytes = try LocalFileSystem().read(path)
        } catch {
            throw fault("\(error)")
        }
        guard let bytes else { throw fault("there is no such file; \(InstalledFiles.path(examples)) has examples") }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw fault("the file is not UTF-8 text") }
        return text
    }
}

/// The names that the profiles of a run have on the air: a receiver has its own, also among several profiles.
private struct NamesOnTheAir {
    /// The files, by the ids in them.
    private var beacons: [String: String] = [:]
    private var receivers: [String: String] = [:]

    /// Inserts the names of another profile.
    /// - Returns: what is wrong with one of them; `nil` if all are free.
    mutating func insert(_ profile: Profile, in path: String) -> String? {
        var fault: String?
        let own = Set(profile.receivers.map(\.id))
        for id in profile.receivers.map(\.id) + profile.beacons.map(\.id) where fault == nil {
            guard let other = receivers[id] ?? (own.contains(id) ? beacons[id] : nil) else { continue }
            fault = "\(other) has the id \"\(id)\" already; give every receiver its own id"
        }
        for receiver in profile.receivers { receivers[receiver.id] = path }
        for beacon in profile.beacons { beacons[beacon.id] = path }
        return fault
    }
}
