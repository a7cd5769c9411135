// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import Radio
import Synchronization

/// What this run has registered with the system, such as advertising instances, in a file that a later run finds after a
/// crash.
///
/// The file is locked while its run is alive, so a file whose lock is free belongs to a run that has ended.
package final class RunLedger: RadioLedger {
    private let folder: String
    /// The folders of the ledgers of other users' runs, which this one cleans up, too.
    private let besides: [String]
    /// The path, and its lock; `nil` for a ledger that no later run finds.
    private let file: (path: String, lock: FileLock)?
    private let contents = Mutex(Contents())

    private struct Contents {
        var entries: [String: [String]] = [:]
        /// What this run could not remove.
        var left: [String: [String]] = [:]
    }

    /// Creates the ledger of this run.
    /// - Parameter besides: folders with ledgers of other users, of which this process may use all, as root may.
    /// - Throws: `PersistenceError` if the folder or the file cannot be used.
    package init(folder: String, besides: [String] = []) throws(PersistenceError) {
        self.folder = folder
        self.besides = besides
        do throws(SystemError) {
            try Folder.createOwn(folder)
        } catch {
            let advice = error.reason == nil ? "" : "remove it, or give it mode 700 if it is yours; or "
            throw PersistenceError("\(error)", hint: advice + "set XDG_RUNTIME_DIR to a folder that you own")
        }
        do throws(FileLock.Failure) {
            file = try Self.claim(in: folder)
        } catch {
            throw PersistenceError(
                "the run's ledger cannot be created in \(folder)",
                hint: "set XDG_RUNTIME_DIR to a folder that you own")
        }
        removeAbandonedLocks()
    }

    /// A ledger that no later run finds, for a run without a folder of its own.
    /// - Parameter besides: as of the other initializer.
    package init(unsavedBesides besides: [String]) {
        folder = ""
        self.besides = besides
        file = nil
    }

    /// Removes the locks of runs that were killed and have left nothing else.
    private func removeAbandonedLocks() {
        for name in Folder.names(in: folder) where name.hasSuffix(".ledger.lock") {
            let ledger = "\(folder)/\(name.dropLast(".lock".count))"
            guard ledger != file?.path, !Folder.exists(ledger), let lock = try? FileLock("\(ledger).lock") else {
                continue
            }
            lock.release()
        }
    }

    package func record(_ entries: [String], under key: String) {
        contents.withLock { contents in
            contents.entries[key] = entries.isEmpty ? nil : entries
            write(contents)
        }
    }

    package func leave(_ entries: [String], under key: String) {
        guard !entries.isEmpty else { return }
        contents.withLock { contents in
            contents.left[key, default: []] += entries
            write(contents)
        }
    }

    package func leftovers(under key: String) -> [String] {
        // The ledger of this run is locked, so it is not among the abandoned ones.
        contents.withLock { $0.left[key] ?? [] } + (Self.abandonedEntries(in: folders)[key] ?? [])
    }

    package func takeLeftovers(under key: String) -> [String] {
        var leftovers = contents.withLock { contents in
            let left = contents.left.removeValue(forKey: key) ?? []
            if !left.isEmpty { write(contents) }
            return left
        }
        for other in others {
            guard let lock = try? FileLock("\(other).lock") else { continue }
            if var entries = Self.read(other) {
                leftovers += entries.removeValue(forKey: key) ?? []
                if entries.isEmpty { unlink(other) } else { Self.rewrite(entries, to: other) }
            }
            lock.release()
        }
        return leftovers
    }

    package func heldByOthers(under key: String) -> [String] {
        others.flatMap { other -> [String] in
            if let lock = try? FileLock("\(other).lock") {
                lock.release()
                return []
            }
            return Self.read(other)?[key] ?? []
        }
    }

    /// The entries of runs that have ended without cleaning up, by their keys. They stay there, for a later run.
    /// - Parameter time: only of runs that have recorded something since, in seconds since 1970.
    package static func abandonedEntries(in folders: [String], since time: Double = 0) -> [String: [String]] {
        folders.flatMap(ledgers).reduce(into: [:]) { found, ledger in
            var status = stat()
            guard stat(ledger, &status) == 0, Double(status.st_mtim.tv_sec) >= time.rounded(.down),
                let lock = try? FileLock("\(ledger).lock")
            else { return }
            found.merge(read(ledger) ?? [:], uniquingKeysWith: +)
            lock.release()
        }
    }

    /// Claims a name that no other run uses or has left behind: in containers, many runs have the same process number.
    private static func claim(in folder: String) throws(FileLock.Failure) -> (path: String, lock: FileLock) {
        var path = "\(folder)/run-\(getpid()).ledger"
        var number = 1
        while true {
            do throws(FileLock.Failure) {
                let lock = try FileLock("\(path).lock")
                if !Folder.exists(path) { return (path, lock) }
                lock.release()
            } catch {
                guard case .held = error else { throw error }
            }
            number += 1
            path = "\(folder)/run-\(getpid())-\(number).ledger"
        }
    }

    private var folders: [String] { (file == nil ? [] : [folder]) + besides }

    /// The ledgers of other runs, alive or not.
    private var others: [String] { folders.flatMap(Self.ledgers).filter { $0 != file?.path } }

    private static func ledgers(in folder: String) -> [String] {
        Folder.names(in: folder).filter { $0.hasSuffix(".ledger") }.map { "\(folder)/\($0)" }
    }

    /// Removes the ledger, at the end of a run that has cleaned up; what it could not remove stays for a later run.
    package func close() {
        contents.withLock { contents in
            contents.entries = [:]
            write(contents)
        }
        file?.lock.release()
    }

    private func write(_ contents: Contents) {
        guard let path = file?.path else { return }
        let all = contents.entries.merging(contents.left, uniquingKeysWith: +)
        if all.isEmpty { unlink(path) } else { Self.write(all, to: path) }
    }

    private static func read(_ path: String) -> [String: [String]]? {
        guard let bytes = try? LocalFileSystem().read(path) else { return nil }
        return try? JSONDecoder().decode([String: [String]].self, from: Data(bytes))
    }

    /// Replaces the ledger of another run, which stays its user's.
    private static func rewrite(_ all: [String: [String]], to path: String) {
        var status = stat()
        let isKnown = stat(path, &status) == 0
        write(all, to: path)
        if isKnown { chown(path, status.st_uid, status.st_gid) }
    }

    /// Errors are ignored: without a ledger a later run cannot clean up after a crash, but this run works.
    private static func write(_ all: [String: [String]], to path: String) {
        guard let data = try? JSONEncoder().encode(all) else { return }
        try? LocalFileSystem().replace(path, with: Array(data), isPrivate: true)
    }
}
