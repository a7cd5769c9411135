// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Persistence
import Radio
import Synchronization

/// The bonds of all beacons of a run, or of a phone: in memory, and in files if settings are saved.
final class BondVault: BondStore {
    private struct Entry {
        var file: BondFile?
        var secrets = StoredSecrets()
    }

    private let entries = Mutex<[BeaconIdentifier: Entry]>([:])
    private let post: @Sendable (BeaconIdentifier, BeaconEvent) -> Void

    /// An empty vault.
    /// - Parameter post: Posts the events of files.
    init(post: @escaping @Sendable (BeaconIdentifier, BeaconEvent) -> Void) { self.post = post }

    /// Reads a beacon's bonds from its file, unless that was done before.
    /// - Parameter file: The file; `nil` keeps the bonds in memory only.
    /// - Throws: `SystemError` if the file exists and cannot be read.
    func open(_ beacon: BeaconIdentifier, _ file: BondFile?, resets: Bool) throws(SystemError) {
        guard entries.withLock({ $0[beacon]?.file?.path != file?.path || $0[beacon] == nil }) else { return }
        var entry = Entry(file: file)
        if let file {
            if resets, try file.erase() { post(beacon, .bondsReset(file: file.path)) }
            switch try file.load() {
            case .absent: break
            case .secrets(let secrets): entry.secrets = secrets
            case .damaged(let reason):
                let newPath = try file.setAside()
                post(beacon, .warning(Self.damaged(file.path, newPath, reason, beacon)))
            }
        }
        entries.withLock { [entry] in $0[beacon] = entry }
    }

    /// Forgets the bonds and keys of a beacon, whose file the caller removes.
    func clear(_ beacon: BeaconIdentifier) { entries.withLock { $0[beacon] = nil } }

    func secrets(of beacon: BeaconIdentifier) -> StoredSecrets {
        entries.withLock { $0[beacon]?.secrets ?? StoredSecrets() }
    }

    func save(_ secrets: StoredSecrets, of beacon: BeaconIdentifier) -> Bool {
        let outcome: (file: BondFile?, error: SystemError?) = entries.withLock { entries in
            let file = entries[beacon]?.file
            do throws(SystemError) {
                try file?.store(secrets)
            } catch {
                return (file, error)
            }
            entries[beacon, default: Entry()].secrets = secrets
            return (file, nil)
        }
        if let error = outcome.error {
            post(beacon, .warning(Self.notSaved(error)))
            return false
        }
        if let file = outcome.file { post(beacon, .bondsSaved(file: file.path)) }
        return true
    }

    func warn(_ warning: Warning, of beacon: BeaconIdentifier) { post(beacon, .warning(warning)) }

    private static func damaged(_ path: String, _ newPath: String, _ reason: String, _ owner: BeaconIdentifier)
        -> Warning
    {
        Warning(
            code: "bonds-damaged",
            message:
                "\(path) could not be used (\(reason)): \(owner) has no bonds, and the file was renamed to \(newPath)",
            hint: "remove the bond with \(owner) on the devices that it paired with, and pair again")
    }

    private static func notSaved(_ error: SystemError) -> Warning {
        Warning(
            code: "bond-not-kept",
            message: "a bond could not be saved (\(error)): the earlier bonds stay",
            hint: "make room in the state folder, or check its medium")
    }
}
