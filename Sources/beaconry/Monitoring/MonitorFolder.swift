// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Emulator
import FoundationEssentials
import Persistence

/// Where `monitor` keeps what survives a restart: the saved list of regions, and the last states of each list.
///
/// Every file is written whole: it is always one write or the next, never half of one.
struct MonitorFolder {
    /// The name of the saved list, which no list in a file has.
    static let savedList = "saved"

    private let path: String
    private let files = LocalFileSystem()

    /// The part of a state folder that is `monitor`'s; no profile can have its name.
    init(state: String) { path = "\(state)/.monitor" }

    /// The file of the saved list.
    var savedListPath: String { "\(path)/saved.json" }

    /// Takes the lock of a list's states, or of the saved list's file.
    /// - Throws: `Failure` when the folder cannot be written, or somebody else has the lock.
    func lock(_ name: String) throws -> FileLock {
        do {
            try Folder.create(path)
            return try FileLock("\(path)/\(name).lock")
        } catch let error as FileLock.Failure {
            switch error {
            case .held(let owner):
                let who = owner.map { "process \($0)" } ?? "another process"
                throw Failure(exitCode: 73, message: "\(path)/\(name) is in use by \(who); stop that one first")
            case .system(let error): throw Self.notWritable(error)
            }
        } catch let error as SystemError {
            throw Self.notWritable(error)
        }
    }

    /// The last states of a list; none when there are none yet, or they cannot be used.
    func states(of list: String) throws(SystemError) -> [SavedState] {
        try load([SavedState].self, from: "\(path)/\(list).states.json") ?? []
    }

    /// Keeps the states of a list.
    func keep(_ states: [SavedState], of list: String) throws(SystemError) {
        try store(states, in: "\(path)/\(list).states.json")
    }

    /// The saved list; empty when nothing was saved.
    /// - Throws: `Failure` when its file cannot be used: it is not for us to throw away what somebody saved.
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
            throw Self.notWritable(error)
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

    private static func notWritable(_ error: SystemError) -> Failure {
        Failure(
            exitCode: 73, message: "\(error); choose another state folder (--state DIR), or keep nothing (--ephemeral)")
    }
}
