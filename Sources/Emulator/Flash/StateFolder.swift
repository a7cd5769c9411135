// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc

/// Where settings are kept: a folder for each profile, in it a file for each beacon.
package struct StateFolder: Sendable {
    /// The folder.
    package let path: String
    private let fileSystem: any FlashFileSystem

    /// This folder; it is made when it is needed.
    package init(_ path: String, fileSystem: any FlashFileSystem = LocalFileSystem()) {
        self.path = path
        self.fileSystem = fileSystem
    }

    /// The flash file of a beacon.
    package func flash(profile: String, beacon: String, kind: String) -> FlashFile {
        FlashFile(
            path: "\(path)/\(profile)/\(beacon).json", profile: profile, beacon: beacon, kind: kind,
            fileSystem: fileSystem)
    }

    /// The file of a beacon's bonds.
    package func bonds(profile: String, beacon: String) -> BondFile {
        BondFile(path: "\(path)/\(profile)/\(beacon).bonds", profile: profile, beacon: beacon, fileSystem: fileSystem)
    }

    /// The file of a phone's bonds.
    package func bonds(phone: String) -> BondFile {
        BondFile(
            path: "\(path)/\(Self.phones)/\(phone).bonds", profile: Self.phones, beacon: phone, fileSystem: fileSystem)
    }

    /// The folder of phones; no profile can have its name.
    private static let phones = ".phones"

    /// The beacons of a profile that have settings or bonds here, in the order of their names.
    package func beacons(of profile: String) -> [String] {
        let names = Self.names(in: "\(path)/\(profile)")
        return Set(
            [".json", ".bonds"].flatMap { suffix in
                names.filter { $0.hasSuffix(suffix) }.map { String($0.dropLast(suffix.count)) }
            }
        ).sorted()
    }

    /// Whether there is a file or a folder.
    package static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// The names in a folder, in order; none when it cannot be read.
    package static func names(in folder: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
    }

    /// Makes the folder of a profile and takes the lock of a beacon's settings.
    /// - Throws: `EmulatorError` `.cannotCreate` when the folder cannot be written, or somebody else has the lock.
    package func lock(profile: String, beacon: String) throws(EmulatorError) -> FileLock {
        try lock(beacon, in: profile, subject: "the settings of \(profile)/\(beacon)")
    }

    /// Makes the folder of phones and takes the lock of a phone's bonds.
    /// - Throws: `EmulatorError` `.cannotCreate` when the folder cannot be written, or somebody else has the lock.
    package func lock(phone: String) throws(EmulatorError) -> FileLock {
        try lock(phone, in: Self.phones, subject: "the bonds of the phone \(phone)")
    }

    private func lock(_ name: String, in folder: String, subject: String) throws(EmulatorError) -> FileLock {
        do throws(SystemError) {
            try Self.makeStateFolder("\(path)/\(folder)")
        } catch {
            throw EmulatorError(
                .cannotCreate, "\(error)",
                hint: "choose another state folder (--state DIR), or keep nothing (--ephemeral)")
        }
        do throws(FileLock.Failure) {
            return try FileLock("\(path)/\(folder)/\(name).lock")
        } catch {
            switch error {
            case .held(let owner):
                let who = owner.map { "process \($0)" } ?? "another process"
                throw EmulatorError(
                    .cannotCreate, "\(subject) are in use by \(who)",
                    hint: "stop that one first, or use another state folder (--state DIR)")
            case .system(let error):
                throw EmulatorError(
                    .cannotCreate, "\(error)",
                    hint: "choose another state folder (--state DIR), or keep nothing (--ephemeral)")
            }
        }
    }

    /// Makes a folder for settings and bonds, and those above it; one that is there is checked.
    ///
    /// Root may use the folder of any user. Links are allowed above it only, as systemd has them for dynamic users.
    private static func makeStateFolder(_ path: String) throws(SystemError) {
        try makeFolder(path)
        var status = stat()
        guard lstat(path, &status) == 0 else { throw .current("use \(path)") }
        let reason: String? =
            if status.st_mode & S_IFMT == S_IFLNK {
                "it is a symbolic link"
            } else if geteuid() != 0, status.st_uid != geteuid() {
                "it belongs to user \(status.st_uid), and this process runs as user \(geteuid())"
            } else if status.st_mode & 0o002 != 0 {
                "every user can write to it"
            } else {
                nil
            }
        if let reason { throw SystemError(code: EACCES, attempt: "use \(path)", reason: reason) }
    }

    /// Makes a folder for this user only, and those above it; one that is there is checked.
    ///
    /// Where everybody can make files, as in /tmp, the folder may be another user's, who made it first to have this
    /// process write into files of theirs or read what they say.
    /// - Parameter user: who must own the folder.
    /// - Throws: `SystemError`, also for a link, for a folder of another user, and for one that others can write to; within
    ///   a folder that others can write to, for one that they have any access to.
    static func makeOwnFolder(_ path: String, user: uid_t = geteuid()) throws(SystemError) {
        try makeFolder(path)
        func refusal(_ reason: String) -> SystemError {
            SystemError(code: EACCES, attempt: "use \(path)", reason: reason)
        }
        let path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        var status = stat()
        guard lstat(path, &status) == 0 else { throw .current("use \(path)") }
        guard status.st_mode & S_IFMT != S_IFLNK else { throw refusal("it is a symbolic link") }
        guard status.st_mode & S_IFMT == S_IFDIR else { throw refusal("it is not a folder") }
        guard status.st_uid == user else {
            throw refusal("it belongs to user \(status.st_uid), and this process runs as user \(user)")
        }
        var parent = stat()
        let isShared = stat("\(path)/..", &parent) == 0 && parent.st_mode & 0o022 != 0
        guard status.st_mode & (isShared ? 0o077 : 0o022) == 0 else {
            let mode = String(status.st_mode & 0o7777, radix: 8)
            throw refusal("other users have access to it (mode \(mode))")
        }
    }

    /// Makes a folder and those above it, for this user only.
    package static func makeFolder(_ path: String) throws(SystemError) {
        var parent = ""
        for component in path.split(separator: "/", omittingEmptySubsequences: true) {
            parent += (parent.isEmpty && !path.hasPrefix("/") ? "" : "/") + component
            guard mkdir(parent, 0o700) != 0, errno != EEXIST else { continue }
            let failure = SystemError.current("create \(parent)")
            if access(parent, F_OK) != 0 { throw failure }
        }
    }
}
