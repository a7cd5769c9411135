// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Why saved state cannot be used: a folder that is refused, or a lock that another process holds.
package struct PersistenceError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The problem, as a sentence without its full stop.
    package let message: String
    /// The fix.
    package let hint: String

    /// An error with this message and hint.
    package init(_ message: String, hint: String) {
        self.message = message
        self.hint = hint
    }

    package var description: String { "\(message); \(hint)" }
}

/// The folder of saved state: a subfolder for each profile, with a settings file and a bond file for each beacon, one for phones,
/// and one for the profiles that ran last.
package struct StateFolder: Sendable {
    /// The folder's path.
    package let path: String
    private let fileSystem: any FileSystem
    /// Whether commands use this folder unless they get another one.
    private let isUsual: Bool

    /// The subfolder of phones; a profile cannot have its name.
    private static let phones = ".phones"
    /// The subfolder of the profiles that ran last.
    private static let lastGood = ".last-good"

    /// A state folder; it is created when a lock is acquired.
    /// - Parameter isUsual: Whether commands of the user use this folder unless they get another one.
    package init(_ path: String, isUsual: Bool = false, fileSystem: any FileSystem = LocalFileSystem()) {
        self.path = path
        self.isUsual = isUsual
        self.fileSystem = fileSystem
    }

    /// The command that removes what was saved of these beacons: `beaconry reset museum/entrance --state /var/lib/beaconry`.
    package func resetCommand(of beacons: String) -> String {
        let command = "beaconry reset \(beacons)"
        return isUsual ? command : command + " --state \(ShellWord.quoted(Folder.absolute(path)))"
    }

    /// The flash file of a beacon.
    package func flash(profile: String, beacon: String, kind: String) -> FlashFile {
        FlashFile(
            path: "\(path)/\(profile)/\(beacon).json", profile: profile, beacon: beacon, kind: kind,
            isInUsualFolder: isUsual, fileSystem: fileSystem)
    }

    /// The bond file of a beacon.
    package func bonds(profile: String, beacon: String) -> BondFile {
        BondFile(path: "\(path)/\(profile)/\(beacon).bonds", profile: profile, beacon: beacon, fileSystem: fileSystem)
    }

    /// The bond file of a phone.
    package func bonds(phone: String) -> BondFile {
        BondFile(
            path: "\(path)/\(Self.phones)/\(phone).bonds", profile: Self.phones, beacon: phone, fileSystem: fileSystem)
    }

    /// The beacons of a profile that have saved settings or bonds, sorted by name.
    package func beacons(of profile: String) -> [String] {
        let names = Folder.names(in: "\(path)/\(profile)")
        return Set(
            [".json", ".bonds", ".json.reset", ".bonds.reset"].flatMap { suffix in
                names.filter { $0.hasSuffix(suffix) }.map { String($0.dropLast(suffix.count)) }
            }
        ).sorted()
    }

    /// Creates the folder of a profile and acquires the lock of a beacon's saved state. What a process that was killed during a
    /// write has left is removed.
    /// - Throws: `PersistenceError` if the folder cannot be used, or another process holds the lock.
    package func lock(profile: String, beacon: String) throws(PersistenceError) -> FileLock {
        let lock = try lock(beacon, in: profile, subject: "the settings of \(profile)/\(beacon)")
        for suffix in ["json", "bonds"] { fileSystem.cancelReplacement(of: "\(path)/\(profile)/\(beacon).\(suffix)") }
        return lock
    }

    /// Creates the folder of phones and acquires the lock of a phone's bonds.
    /// - Throws: `PersistenceError` if the folder cannot be used, or another process holds the lock.
    package func lock(phone: String) throws(PersistenceError) -> FileLock {
        let lock = try lock(phone, in: Self.phones, subject: "the bonds of the phone \(phone)")
        fileSystem.cancelReplacement(of: bonds(phone: phone).path)
        return lock
    }

    /// Creates the folder of the profiles that ran last, and acquires the lock of the profiles of one run.
    /// - Parameter run: What distinguishes the run from others with the same folder: its arguments.
    /// - Throws: `PersistenceError` if the folder cannot be used, or another process holds the lock.
    package func lockCopy(of run: [String]) throws(PersistenceError) -> (ProfileCopyFile, FileLock) {
        let name = ProfileCopyFile.name(of: run)
        let lock = try lock(
            name, in: Self.lastGood, subject: "the kept profiles of \(run.first ?? "the run")")
        let folder = "\(path)/\(Self.lastGood)/\(name)"
        do throws(SystemError) {
            try Folder.createForState(folder)
        } catch {
            lock.release()
            throw unusable(error)
        }
        return (ProfileCopyFile(folder: folder, of: run, fileSystem: fileSystem), lock)
    }

    private func lock(_ name: String, in folder: String, subject: String) throws(PersistenceError) -> FileLock {
        do throws(SystemError) {
            // A user who can write to it can replace the folders in it.
            try Folder.createForState(path, isWhole: true)
            try Folder.createForState("\(path)/\(folder)")
        } catch {
            throw unusable(error)
        }
        do throws(FileLock.Failure) {
            return try FileLock("\(path)/\(folder)/\(name).lock")
        } catch {
            switch error {
            case .held(let owner):
                let process = owner.map { "process \($0)" } ?? "another process"
                throw PersistenceError(
                    "\(subject) are in use by \(process)",
                    hint:
                        "end that one first (beaconry ctl stop, or systemctl stop for a service), or use another state folder "
                        + "(--state DIR)")
            case .system(let error): throw unusable(error)
            }
        }
    }

    private func unusable(_ error: SystemError) -> PersistenceError {
        let other = Self.ownershipHint(for: error, of: path) ?? "choose another state folder (--state DIR)"
        return PersistenceError("\(error)", hint: "\(other), or save nothing (--ephemeral)")
    }

    /// What to do about an error of reading or writing a file in a state folder.
    /// - Parameter path: the path of the state folder.
    package static func hint(for error: SystemError, in path: String) -> String {
        ownershipHint(for: error, of: path) ?? "check the state folder, or use another one (--state DIR)"
    }

    /// What to do about an error of reading or writing the file of a beacon.
    package static func hint(for error: SystemError, saving file: String) -> String {
        hint(for: error, in: Folder.containing(Folder.containing(file)))
    }

    /// How to give a folder to the user of this process; `nil` for an error that has another cause.
    package static func ownershipHint(for error: SystemError, of path: String) -> String? {
        guard error.isOfOwnership, geteuid() != 0 else { return nil }
        let user = getpwuid(geteuid()).map { String(cString: $0.pointee.pw_name) + ":" } ?? "\(geteuid()):\(getegid())"
        return
            "give the folder to the user of the run (sudo chown -R \(user) \(ShellWord.quoted(Folder.absolute(path)))), or choose another one "
            + "(--state DIR)"
    }
}

/// Words of a command for a shell.
package enum ShellWord {
    /// A word in single quotes, if it needs them.
    package static func quoted(_ word: String) -> String {
        let isPlain =
            !word.isEmpty
            && word.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
                case UInt8(ascii: "0")...UInt8(ascii: "9"): true
                default: "/._-+:,=@%".utf8.contains(byte)
                }
            }
        return isPlain ? word : "'" + word.replacing("'", with: "'\\''") + "'"
    }
}
