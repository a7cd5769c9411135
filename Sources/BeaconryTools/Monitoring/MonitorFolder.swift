// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Emulator
import FoundationEssentials
import JSON
package import Persistence

/// The files of `monitor`: the saved list of regions, and the last states of the regions of that list and of files.
///
/// Every file is replaced as a whole, so that a crash leaves the old one or the new one.
package struct MonitorFolder {
    /// The name of the saved list. The names of lists in files begin with `file-`.
    static let savedListName = "saved"

    private let path: String
    private let files = LocalFileSystem()

    /// The subfolder `.monitor` of a state folder. The name of a profile, also a subfolder, cannot begin with a dot.
    package init(state: String) { path = "\(state)/.monitor" }

    /// The file of the saved list.
    var savedListPath: String { "\(path)/saved.json" }

    /// Locks the states of a list, or the file of the saved list.
    /// - Parameter name: the name of a list, or `saved.json` for the file of the saved list.
    /// - Throws: `Failure` when the folder cannot be written, or another process has the lock.
    package func lock(_ name: String) throws -> FileLock {
        do {
            try Folder.create(path)
            return try FileLock("\(path)/\(name).lock")
        } catch let error as FileLock.Failure {
            switch error {
            case .held(let owner):
                let who = owner.map { "process \($0)" } ?? "another process"
                throw Failure(exitCode: 73, message: "\(path)/\(name).lock is in use by \(who); end that process first")
            case .system(let error): throw unusable(error)
            }
        } catch let error as SystemError {
            throw unusable(error)
        }
    }

    /// The last states of a list; empty if none were saved, or if the file is not JSON of this version.
    func states(of list: String) throws(SystemError) -> [SavedState] {
        try load([SavedState].self, from: "\(path)/\(list).states.json") ?? []
    }

    /// Saves the states of a list.
    func save(_ states: [SavedState], of list: String) throws(SystemError) {
        try store(states, in: "\(path)/\(list).states.json")
    }

    /// The saved list; empty when nothing was saved.
    /// - Throws: `Failure` if its file is invalid, which is not overwritten; `SystemError` if it cannot be read.
    func savedRegions() throws -> [SavedRegion] {
        guard try files.read(savedListPath) != nil else { return [] }
        guard let regions = try load([SavedRegion].self, from: savedListPath) else {
            throw Failure.badData("\(savedListPath) is not a list of regions; correct it, or remove it")
        }
        return regions
    }

    /// Replaces the saved list.
    func save(_ regions: [SavedRegion]) throws {
        do throws(SystemError) {
            try store(regions, in: savedListPath)
        } catch {
            throw unusable(error)
        }
    }

    private func load<Value: Codable>(_ type: Value.Type, from path: String) throws(SystemError) -> Value? {
        guard let bytes = try files.read(path),
            let document = try? JSONDecoder().decode(Document<Value>.self, from: Data(bytes)), document.v == 1
        else { return nil }
        return document.regions
    }

    private func store<Value: Codable>(_ value: Value, in path: String) throws(SystemError) {
        try Folder.create(self.path)
        try files.replace(path, with: Array((JSONLine.encode(Document(regions: value)) + "\n").utf8))
        try files.synchronizeFolder(self.path)
    }

    private struct Document<Regions: Codable>: Codable {
        var v = 1
        let regions: Regions
    }

    private func unusable(_ error: SystemError) -> Failure {
        let other = "choose another state folder (--state DIR), or watch with --ephemeral"
        return Failure(
            exitCode: 73,
            message: "\(error); \(StateFolder.ownershipHint(for: error, of: Folder.containing(path)) ?? other)")
    }
}
