// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Emulator
import Persistence
import Synchronization
import SystemPackage

/// A file system in memory that distinguishes cached content from content on the medium.
///
/// After a power loss, bytes that were not flushed may be on the medium, in part, or not; so may, one by one,
/// names in a folder that was not flushed. `outcomes` lists all states that a reboot may find.
final class VolatileFileSystem: FileSystem {
    /// A call that returns before it has flushed anything.
    enum Lie: Hashable, Sendable, CaseIterable {
        case synchronize, synchronizeFolder
    }

    private struct File {
        var bytes: [UInt8] = []
        var durable: [UInt8] = []

        /// The contents that may be found after a power loss.
        var remains: Set<[UInt8]> {
            bytes == durable ? [durable] : [durable, [], Array(bytes.prefix(bytes.count / 2)), bytes]
        }
    }

    /// A change of a name: to a file, or its removal.
    private struct Change {
        let path: String
        let file: Int?
    }

    private struct State {
        var files: [File] = []
        var names: [String: Int] = [:]
        var durableNames: [String: Int] = [:]
        /// Changes that were not flushed; those of one call are all on the medium, or none of them.
        var pending: [[Change]] = []
        var callsLeft = Int.max
        var callCount = 0
    }

    private let state: Mutex<State>
    private let lie: Lie?

    /// A medium with these files.
    init(_ files: [String: [UInt8]] = [:], lie: Lie? = nil) {
        var state = State()
        for (path, bytes) in files {
            state.durableNames[path] = state.files.count
            state.files.append(File(bytes: bytes, durable: bytes))
        }
        state.names = state.durableNames
        self.state = Mutex(state)
        self.lie = lie
    }

    /// Cuts the power after a number of calls: every later one fails.
    func cutPower(after calls: Int) {
        state.withLock {
            $0.callsLeft = calls
            $0.callCount = 0
        }
    }

    /// The number of calls since then.
    var callCount: Int { state.withLock(\.callCount) }

    /// The sets of files that a reboot may find now.
    var outcomes: Set<[String: [UInt8]]> {
        state.withLock { state in
            var outcomes: Set<[String: [UInt8]]> = []
            for chosen in 0..<(1 << state.pending.count) {
                var names = state.durableNames
                for (number, changes) in state.pending.enumerated() where chosen & 1 << number != 0 {
                    for change in changes { names[change.path] = change.file }
                }
                var found: Set<[String: [UInt8]]> = [[:]]
                for (path, file) in names {
                    found = Set(
                        found.flatMap { files in
                            state.files[file].remains.map { files.merging([path: $0]) { $1 } }
                        })
                }
                outcomes.formUnion(found)
            }
            return outcomes
        }
    }

    private func call<Value>(_ body: (inout State) -> Value?) throws(SystemError) -> Value {
        let result = state.withLock { state -> Value? in
            guard state.callsLeft > 0 else { return nil }
            state.callsLeft -= 1
            state.callCount += 1
            return body(&state)
        }
        guard let result else { throw SystemError(.ioError, attempt: "do anything without power or without a file") }
        return result
    }

    private func change(_ changes: [Change], _ state: inout State) {
        for change in changes { state.names[change.path] = change.file }
        state.pending.append(changes)
    }

    func create(_ path: String, isPrivate: Bool) throws(SystemError) -> FileDescriptor {
        try call { state in
            if let file = state.names[path] {
                state.files[file].bytes = []
                return FileDescriptor(rawValue: Int32(file))
            }
            state.files.append(File())
            change([Change(path: path, file: state.files.count - 1)], &state)
            return FileDescriptor(rawValue: Int32(state.files.count - 1))
        }
    }

    func write(_ bytes: ArraySlice<UInt8>, to descriptor: FileDescriptor) throws(SystemError) -> Int {
        try call { state in
            state.files[Int(descriptor.rawValue)].bytes += bytes
            return bytes.count
        }
    }

    func synchronize(_ descriptor: FileDescriptor) throws(SystemError) {
        try call { state in
            if lie != .synchronize {
                state.files[Int(descriptor.rawValue)].durable = state.files[Int(descriptor.rawValue)].bytes
            }
            return ()
        }
    }

    func close(_ descriptor: FileDescriptor) {}

    func rename(_ path: String, to newPath: String) throws(SystemError) {
        try call { state -> Void? in
            guard let file = state.names[path] else { return nil }
            change([Change(path: path, file: nil), Change(path: newPath, file: file)], &state)
            return ()
        }
    }

    func synchronizeFolder(_ path: String) throws(SystemError) {
        try call { state in
            guard lie != .synchronizeFolder else { return () }
            state.durableNames = state.names
            state.pending = []
            return ()
        }
    }

    func remove(_ path: String) throws(SystemError) {
        try call { state -> Void? in
            guard state.names[path] != nil else { return nil }
            change([Change(path: path, file: nil)], &state)
            return ()
        }
    }

    func read(_ path: String) throws(SystemError) -> [UInt8]? {
        try call { state -> [UInt8]?? in .some(state.names[path].map { state.files[$0].bytes }) }
    }
}
