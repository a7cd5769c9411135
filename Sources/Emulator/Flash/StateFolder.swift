// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc

/// Where settings are kept: a folder for each profile, in it a file for each beacon.
public struct StateFolder: Sendable {
    /// The folder.
    public let path: String
    private let fileSystem: any FlashFileSystem

    /// This folder; it is made when it is needed.
    public init(_ path: String, fileSystem: any FlashFileSystem = LocalFileSystem()) {
        self.path = path
        self.fileSystem = fileSystem
    }

    /// The flash file of a beacon.
    public func flash(profile: String, beacon: String, kind: String) -> FlashFile {
        FlashFile(
            path: "\(path)/\(profile)/\(beacon).json", profile: profile, beacon: beacon, kind: kind,
            fileSystem: fileSystem)
    }

    /// The file of a beacon's bonds.
    public func bonds(profile: String, beacon: String) -> BondFile {
        BondFile(path: "\(path)/\(profile)/\(beacon).bonds", profile: profile, beacon: beacon, fileSystem: fileSystem)
    }

    /// The file of a phone's bonds.
    public func bonds(phone: String) -> BondFile {
        BondFile(
            path: "\(path)/\(Self.phones)/\(phone).bonds", profile: Self.phones, beacon: phone, fileSystem: fileSystem)
    }

    /// The folder of phones; no profile can have its name.
    private static let phones = ".phones"

    /// The beacons of a profile that have settings or bonds here, in the order of their names.
    public func beacons(of profile: String) -> [String] {
        let names = Self.names(in: "\(path)/\(profile)")
        return Set(
            [".json", ".bonds"].flatMap { suffix in
                names.filter { $0.hasSuffix(suffix) }.map { String($0.dropLast(suffix.count)) }
            }
        ).sorted()
    }

    /// The names in a folder, in order; none when it cannot be read.
    public static func names(in folder: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
    }

    /// Makes the folder of a profile and takes the lock of a beacon's settings.
    /// - Throws: `EmulatorError` `.cannotCreate` when the folder cannot be written, or somebody else has the lock.
    public func lock(profile: String, beacon: String) throws(EmulatorError) -> FileLock {
        try lock(beacon, in: profile, subject: "the settings of \(profile)/\(beacon)")
    }

    /// Makes the folder of phones and takes the lock of a phone's bonds.
    /// - Throws: `EmulatorError` `.cannotCreate` when the folder cannot be written, or somebody else has the lock.
    public func lock(phone: String) throws(EmulatorError) -> FileLock {
        try lock(phone, in: Self.phones, subject: "the bonds of the phone \(phone)")
    }

    private func lock(_ name: String, in folder: String, subject: String) throws(EmulatorError) -> FileLock {
        do throws(SystemError) {
            try Self.makeFolder("\(path)/\(folder)")
        } catch {
            throw EmulatorError(
                .cannotCreate, "\(error)",
                cure: "choose another state folder (--state DIR), or keep nothing (--ephemeral)")
        }
        do throws(FileLock.Failure) {
            return try FileLock("\(path)/\(folder)/\(name).lock")
        } catch {
            switch error {
            case .held(let owner):
                let who = owner.map { "process \($0)" } ?? "another process"
                throw EmulatorError(
                    .cannotCreate, "\(subject) are in use by \(who)",
                    cure: "stop that one first, or use another state folder (--state DIR)")
            case .system(let error):
                throw EmulatorError(
                    .cannotCreate, "\(error)",
                    cure: "choose another state folder (--state DIR), or keep nothing (--ephemeral)")
            }
        }
    }

    /// Makes a folder and those above it, for this user only.
    public static func makeFolder(_ path: String) throws(SystemError) {
        var parent = ""
        for component in path.split(separator: "/", omittingEmptySubsequences: true) {
            parent += (parent.isEmpty && !path.hasPrefix("/") ? "" : "/") + component
            guard mkdir(parent, 0o700) != 0, errno != EEXIST else { continue }
            let failure = SystemError.current("create \(parent)")
            if access(parent, F_OK) != 0 { throw failure }
        }
    }
}
