// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Emulator
import Persistence
import Synchronization
import SystemPackage

/// A file system that counts its calls, and makes one of them fail.
final class FaultyFileSystem: FileSystem {
    /// The counted calls.
    enum Call: Hashable, Sendable {
        case create, write, synchronize, close, rename, synchronizeFolder, remove, read
    }

    /// The kinds of faults.
    enum Fault: Hashable, Sendable, CaseIterable {
        /// A write accepts only part of the bytes.
        case shortWrite
        /// There is no room for a file, its bytes or its name.
        case noSpace
        /// A file's bytes do not reach the medium.
        case failedSync
        /// A folder's names do not reach the medium.
        case failedFolderSync
        /// A file cannot be renamed.
        case failedRename
        /// A file cannot be read.
        case failedRead
        /// The process crashes before this call.
        case crashBefore
        /// The process crashes after this call.
        case crashAfter
        /// The process crashes after a partial write.
        case crashAmidWrite

        static let crashes: Set<Fault> = [.crashBefore, .crashAfter, .crashAmidWrite]

        /// Whether the fault is a crash.
        var isCrash: Bool { Self.crashes.contains(self) }

        /// Whether a call can have this fault.
        func concerns(_ call: Call) -> Bool {
            switch self {
            case .shortWrite, .crashAmidWrite: call == .write
            case .noSpace: [.create, .write, .rename].contains(call)
            case .failedSync: call == .synchronize
            case .failedFolderSync: call == .synchronizeFolder
            case .failedRename: call == .rename
            case .failedRead: call == .read
            case .crashBefore, .crashAfter: true
            }
        }
    }

    private struct State {
        var calls: [Call] = []
        var plan: (fault: Fault, step: Int)?
        var hasStruck = false
        var isOff = false
    }

    private let base: any FileSystem
    private let state = Mutex(State())

    init(_ base: any FileSystem = LocalFileSystem()) { self.base = base }

    /// Restarts counting, and makes the call with this number fail, if it can have this fault.
    func arm(_ fault: Fault, at step: Int) {
        state.withLock { $0 = State(plan: (fault, step)) }
    }

    /// Restarts counting, without a fault.
    func disarm() { state.withLock { $0 = State() } }

    /// The calls since counting was restarted.
    var calls: [Call] { state.withLock(\.calls) }

    /// Whether the fault has happened.
    var hasStruck: Bool { state.withLock(\.hasStruck) }

    /// Counts a call, and returns its fault, if any.
    private func count(_ call: Call) throws(SystemError) -> Fault? {
        let (fault, isOff) = state.withLock { state -> (Fault?, Bool) in
            guard !state.isOff else { return (nil, true) }
            defer { state.calls.append(call) }
            guard let plan = state.plan, plan.step == state.calls.count, plan.fault.concerns(call) else {
                return (nil, false)
            }
            state.hasStruck = true
            state.isOff = plan.fault.isCrash
            return (plan.fault, plan.fault == .crashBefore)
        }
        if isOff { throw SystemError(.ioError, attempt: "do anything after a crash") }
        return fault
    }

    /// Performs a call that fails completely or not at all.
    private func perform<Value>(
        _ call: Call, _ body: () throws(SystemError) -> Value
    ) throws(SystemError) -> Value {
        switch try count(call) {
        case nil: return try body()
        case .crashAfter:
            _ = try body()
            throw SystemError(.ioError, attempt: "return after a crash")
        case .noSpace: throw SystemError(.noSpace, attempt: "\(call)")
        default: throw SystemError(.ioError, attempt: "\(call)")
        }
    }

    func create(_ path: String, isPrivate: Bool) throws(SystemError) -> FileDescriptor {
        try perform(.create) { () throws(SystemError) in try base.create(path, isPrivate: isPrivate) }
    }

    func write(_ bytes: ArraySlice<UInt8>, to descriptor: FileDescriptor) throws(SystemError) -> Int {
        switch try count(.write) {
        case nil: return try base.write(bytes, to: descriptor)
        case .shortWrite: return try base.write(bytes.prefix(bytes.count / 2), to: descriptor)
        case .crashAmidWrite: _ = try base.write(bytes.prefix(bytes.count / 2), to: descriptor)
        case .crashAfter: _ = try base.write(bytes, to: descriptor)
        default: throw SystemError(.noSpace, attempt: "write")
        }
        throw SystemError(.ioError, attempt: "return after a crash")
    }

    func synchronize(_ descriptor: FileDescriptor) throws(SystemError) {
        try perform(.synchronize) { () throws(SystemError) in try base.synchronize(descriptor) }
    }

    func close(_ descriptor: FileDescriptor) {
        // The descriptor is always closed, as the kernel does after a crash.
        _ = try? count(.close)
        base.close(descriptor)
    }

    func rename(_ path: String, to newPath: String) throws(SystemError) {
        try perform(.rename) { () throws(SystemError) in try base.rename(path, to: newPath) }
    }

    func synchronizeFolder(_ path: String) throws(SystemError) {
        try perform(.synchronizeFolder) { () throws(SystemError) in try base.synchronizeFolder(path) }
    }

    func remove(_ path: String) throws(SystemError) {
        try perform(.remove) { () throws(SystemError) in try base.remove(path) }
    }

    func read(_ path: String) throws(SystemError) -> [UInt8]? {
        try perform(.read) { () throws(SystemError) in try base.read(path) }
    }
}
