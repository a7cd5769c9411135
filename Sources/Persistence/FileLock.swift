// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Glibc
import SystemPackage

/// A lock file, which one process holds at a time. The kernel releases the lock when the process ends.
package final class FileLock: Sendable {
    private let path: String
    private let descriptor: FileDescriptor

    /// Why the lock was not acquired.
    package enum Failure: Error, Hashable, Sendable {
        /// Another process holds the lock: its process identifier, if the file holds one.
        case held(by: Int32?)
        /// The file cannot be created.
        case system(SystemError)
    }

    /// Acquires the lock of a file, which is created if it does not exist.
    /// - Throws: `Failure`.
    package init(_ path: String) throws(Failure) {
        while true {
            let descriptor: FileDescriptor
            do {
                descriptor = try FileDescriptor.open(
                    FilePath(path), .readWrite,
                    options: [.create, .closeOnExec, .noFollow, .nonBlocking, .noControllingTerminal],
                    permissions: .ownerReadWrite)
            } catch {
                throw .system(SystemError(opening: error, attempt: "create \(path)"))
            }
            guard flock(descriptor.rawValue, LOCK_EX | LOCK_NB) == 0 else {
                let owner = Self.owner(descriptor)
                try? descriptor.close()
                throw .held(by: owner)
            }
            // The former owner may have removed the file between the two calls. This would then be the lock of a file
            // without a name, which no other process can find.
            guard Self.isFile(descriptor, named: path) else {
                try? descriptor.close()
                continue
            }
            // The owner's number is only for error messages.
            try? descriptor.resize(to: 0)
            _ = try? descriptor.writeAll(toAbsoluteOffset: 0, "\(getpid())\n".utf8)
            self.path = path
            self.descriptor = descriptor
            return
        }
    }

    /// Removes the file and releases the lock.
    package func release() {
        unlink(path)
        flock(descriptor.rawValue, LOCK_UN)
    }

    deinit {
        // To close is not enough: a child that another thread is starting has the descriptor, too, until it executes its
        // program.
        flock(descriptor.rawValue, LOCK_UN)
        try? descriptor.close()
    }

    private static func owner(_ descriptor: FileDescriptor) -> Int32? {
        var buffer = [UInt8](repeating: 0, count: 16)
        let count = buffer.withUnsafeMutableBytes { try? descriptor.read(fromAbsoluteOffset: 0, into: $0) }
        guard let count else { return nil }
        return Int32(String(decoding: buffer[..<count].prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
    }

    private static func isFile(_ descriptor: FileDescriptor, named path: String) -> Bool {
        guard let opened = try? descriptor.stat(), let named = try? FilePath(path).stat(followTargetSymlink: false)
        else {
            return false
        }
        return opened.inode == named.inode && opened.deviceID == named.deviceID
    }
}
