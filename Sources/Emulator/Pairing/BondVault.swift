// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Persistence
import Radio
import Synchronization

/// The bonds of all beacons of a run, or of a phone, in memory and, where settings are kept, in their files.
final class BondVault: BondStore {
    private struct Entry {
        var file: BondFile?
        var secrets = StoredSecrets()
    }

    private let entries = Mutex<[BeaconIdentifier: Entry]>([:])
    private let post: @Sendable (EventRecord) -> Void

    /// A vault without beacons, which tells what becomes of files.
    init(post: @escaping @Sendable (EventRecord) -> Void) { self.post = post }

    /// Takes a beacon's bonds from its file; `nil` keeps them in memory only. One that is known stays as it is.
    /// - Throws: `SystemError` when the file is there and cannot be read.
    func open(_ beacon: BeaconIdentifier, _ file: BondFile?, resets: Bool) throws(SystemError) {
        guard entries.withLock({ $0[beacon]?.file?.path != file?.path || $0[beacon] == nil }) else { return }
        var entry = Entry(file: file)
        if let file {
            if resets, try file.erase() {
                var record = EventRecord("bonds-reset", device: beacon.name)
                record.file = file.path
                post(record)
            }
            switch try file.load() {
            case .absent: break
            case .secrets(let secrets): entry.secrets = secrets
            case .damaged(let reason):
                let kept = try file.setAside()
                post(EventRecord(Self.damaged(file.path, kept, reason, beacon), device: beacon.name))
            }
        }
        entries.withLock { [entry] in $0[beacon] = entry }
    }

    func secrets(of beacon: BeaconIdentifier) -> StoredSecrets {
        entries.withLock { $0[beacon]?.secrets ?? StoredSecrets() }
    }

    func keep(_ secrets: StoredSecrets, of beacon: BeaconIdentifier) -> Bool {
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
            post(EventRecord(Self.notKept(error), device: beacon.name))
            return false
        }
        if let file = outcome.file {
            var record = EventRecord("bonds-persisted", device: beacon.name)
            record.file = file.path
            post(record)
        }
        return true
    }

    func warn(_ warning: Warning, of beacon: BeaconIdentifier) { post(EventRecord(warning, device: beacon.name)) }

    private static func damaged(_ path: String, _ kept: String, _ reason: String, _ owner: BeaconIdentifier) -> Warning
    {
        Warning(
            code: "bonds-damaged",
            message: "\(path) could not be used (\(reason)): \(owner) knows nobody, and the file is kept as \(kept)",
            hint: "forget \(owner) on the devices that it paired with, and pair again")
    }

    private static func notKept(_ error: SystemError) -> Warning {
        Warning(
            code: "bond-not-kept",
            message: "what is known of a peer could not be made durable (\(error)): what was known before stays",
            hint: "make room in the state folder, or check its medium")
    }
}
