// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
package import Devices
import Emulator
package import Persistence
package import Profiles
import Synchronization

/// Notes what profiles are read from: the texts of their files, and the variables that they refer to.
package final class ProfileReadings: Sendable {
    private let read = Mutex(ProfileCopy())

    package init() {}

    /// What was read so far.
    var copy: ProfileCopy { read.withLock(\.self) }

    /// Notes the text of a file.
    func note(_ text: String, at path: String) { read.withLock { $0.files[Folder.absolute(path)] = text } }

    /// Sources whose files and variables are noted.
    func noting(_ sources: ProfileSources, beside profile: String) -> ProfileSources {
        ProfileSources { path throws(ValueFault) in
            let text = try sources.files(path)
            self.note(text, at: ProfileFiles.full(path, beside: profile))
            return text
        } environment: { name in
            let value = sources.environment?(name)
            _ = self.read.withLock { $0.variables.updateValue(value, forKey: name) }
            return value
        } pictures: { path throws(ValueFault) in
            let picture = try sources.pictures(path)
            self.read.withLock { $0.note(picture, at: Folder.absolute(ProfileFiles.full(path, beside: profile))) }
            return picture
        }
    }
}

/// The profiles that a run had last: it falls back to them at a start at which its profiles cannot be read, or the radio cannot
/// carry them (`--last-good`).
///
/// They are kept in the state folder, in a copy for each combination of profiles and `--only`, once their beacons have been on the
/// radio. What clients change during a run is not in it.
package final class LastGoodProfiles: Sendable {
    private let paths: [String]
    /// Why they are neither kept nor used; `nil` if they are.
    private let obstacle: PersistenceError?
    private let file: ProfileCopyFile?
    /// Held until the end of the run, so that no other one replaces the copy.
    private let lock: FileLock?
    /// What the profiles in use were read from.
    private let latest = Mutex(ProfileCopy())
    private let hasRun = Mutex(false)

    /// The last profiles of a run.
    /// - Parameters:
    ///   - paths: the profiles.
    ///   - patterns: the patterns of `--only`.
    package init(of paths: [String], only patterns: [String], in folder: StateFolder) {
        self.paths = paths
        let run = paths.map(Folder.absolute) + patterns.map { "--only \($0)" }
        do throws(PersistenceError) {
            (file, lock) = try folder.lockCopy(of: run)
            obstacle = nil
        } catch {
            (file, lock) = (nil, nil)
            obstacle = error
        }
    }

    deinit { lock?.release() }

    /// Reads the profiles.
    /// - Parameter files: takes the paths of all files that are read.
    /// - Throws: `ProfileFaults` with the faults of all files.
    package func load(noting files: WatchedFiles) throws(ProfileFaults) -> [Profile] {
        let record = ProfileReadings()
        let profiles = try ProfileFiles.load(paths, noting: files, keeping: record)
        latest.withLock { $0 = record.copy }
        return profiles
    }

    /// The profiles that ran last, in place of profiles that cannot be used.
    /// - Parameter error: why they cannot.
    /// - Returns: The profiles, and a warning that they run; `nil`, after a note that says why, if there are none.
    package func substitute(for error: any Error) -> (profiles: [Profile], warning: Warning)? {
        // It is no fault of the profiles if they have been on the air already.
        guard !hasRun.withLock(\.self) else { return nil }
        do {
            if let obstacle { throw obstacle }
            guard let kept = try file?.load() else {
                Output.note("beaconry: no profile that ran before is kept (\(file?.folder ?? ""))")
                return nil
            }
            let profiles = try ProfileFiles.load(paths, from: kept.copy)
            return (profiles, warning(Self.reason(of: error), kept.time, profiles))
        } catch let error as ProfileFaults {
            Output.note("beaconry: the profile that ran last cannot be used by this version:")
            error.lines.forEach(Output.note)
        } catch {
            Output.note("beaconry: the profile that ran last cannot be used: \(error)")
        }
        return nil
    }

    private static func reason(of error: any Error) -> String {
        guard let faults = error as? ProfileFaults else {
            return Failure(error)?.message ?? "\(error)"
        }
        let more = faults.faults.count - 1
        return (faults.faults.first.map { "\($0)" } ?? "") + (more > 0 ? " (and \(more) more)" : "")
    }

    private func warning(_ reason: String, _ time: String, _ profiles: [Profile]) -> Warning {
        let files = paths.map { ShellWord.quoted(Folder.absolute($0)) }.joined(separator: " ")
        // Each path has a profile, and a run has at least one path.
        let name = ShellWord.quoted(profiles.first?.name ?? "")
        return Warning(
            code: "profile-is-last-good",
            message: "the profile cannot be used, and the one that ran last runs, of \(time): \(reason)",
            hint: "correct it (beaconry check \(files) has all faults), then reload "
                + "(beaconry ctl reload --profile \(name))")
    }

    /// Keeps what the profiles in use were read from.
    /// - Returns: Why that is not possible; `nil` if it was done.
    package func keep() -> Warning? {
        hasRun.withLock { $0 = true }
        guard let file else {
            return obstacle.map { Self.notKept("\($0.message)", $0.hint) }
        }
        do throws(SystemError) {
            try file.store(latest.withLock(\.self), at: Timestamp.now)
            return nil
        } catch {
            let folder = Folder.containing(Folder.containing(file.folder))
            return Self.notKept("\(error)", StateFolder.hint(for: error, in: folder))
        }
    }

    private static func notKept(_ reason: String, _ hint: String) -> Warning {
        Warning(
            code: "profile-not-kept",
            message: "the profile is not kept for a start at which it cannot be read: \(reason)", hint: hint)
    }
}
