// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

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

/// The folder of saved state: a subfolder for each profile, with a settings file and a bond file for each beacon.
package struct StateFolder: Sendable {
    /// The folder's path.
    package let path: String
    private let fileSystem: any FileSystem

    /// The subfolder of phones; a profile cannot have its name.
    private static let phones = ".phones"

    /// A state folder; it is created when a lock is acquired.
    package init(_ path: String, fileSystem: any FileSystem = LocalFileSystem()) {
        self.path = path
        self.fileSystem = fileSystem
    }

    /// The flash file of a beacon.
    package func flash(profile: String, beacon: String, kind: String) -> FlashFile {
        FlashFile(
            path: "\(path)/\(profile)/\(beacon).json", profile: profile, beacon: beacon, kind: kind,
            fileSystem: fileSystem)
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

    /// Creates the folder of a profile and acquires the lock of a beacon's saved state.
    /// - Throws: `PersistenceError` if the folder cannot be used, or another process holds the lock.
    package func lock(profile: String, beacon: String) throws(PersistenceError) -> FileLock {
        try lock(beacon, in: profile, subject: "the settings of \(profile)/\(beacon)")
    }

    /// Creates the folder of phones and acquires the lock of a phone's bonds.
    /// - Throws: `PersistenceError` if the folder cannot be used, or another process holds the lock.
    package func lock(phone: String) throws(PersistenceError) -> FileLock {
        try lock(phone, in: Self.phones, subject: "the bonds of the phone \(phone)")
    }

    private func lock(_ name: String, in folder: String, subject: String) throws(PersistenceError) -> FileLock {
        do throws(SystemError) {
            try Folder.createForState("\(path)/\(folder)")
        } catch {
            throw Self.unusable(error)
        }
        do throws(FileLock.Failure) {
            return try FileLock("\(path)/\(folder)/\(name).lock")
        } catch {
            switch error {
            case .held(let owner):
                let process = owner.map { "process \($0)" } ?? "another process"
                throw PersistenceError(
                    "\(subject) are in use by \(process)",
                    hint: "stop that one first, or use another state folder (--state DIR)")
            case .system(let error): throw Self.unusable(error)
            }
        }
    }

    private static func unusable(_ error: SystemError) -> PersistenceError {
        PersistenceError(
            "\(error)", hint: "choose another state folder (--state DIR), or save nothing (--ephemeral)")
    }
}
