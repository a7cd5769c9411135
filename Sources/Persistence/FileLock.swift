// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A lock file, which one process holds at a time. The kernel releases the lock when the process ends.
package final class FileLock: Sendable {
    private let path: String
    private let descriptor: Int32

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
            let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0o600)
            guard descriptor >= 0 else { throw .system(.currentOfFile("create \(path)")) }
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                let owner = Self.owner(descriptor)
                close(descriptor)
                throw .held(by: owner)
            }
            // The former owner may have removed the file between the two calls. This would then be the lock of a file
            // without a name, which no other process can find.
            guard Self.isFile(descriptor, named: path) else {
                close(descriptor)
                continue
            }
            let owner = Array("\(getpid())\n".utf8)
            ftruncate(descriptor, 0)
            // The owner's number is only for error messages.
            _ = pwrite(descriptor, owner, owner.count, 0)
            self.path = path
            self.descriptor = descriptor
            return
        }
    }

    /// Removes the file and releases the lock.
    package func release() {
        unlink(path)
        flock(descriptor, LOCK_UN)
    }

    deinit { close(descriptor) }

    private static func owner(_ descriptor: Int32) -> Int32? {
        var buffer = [UInt8](repeating: 0, count: 16)
        let count = pread(descriptor, &buffer, buffer.count, 0)
        guard count > 0 else { return nil }
        return Int32(String(decoding: buffer[..<count].prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
    }

    private static func isFile(_ descriptor: Int32, named path: String) -> Bool {
        var opened = stat()
        var named = stat()
        return fstat(descriptor, &opened) == 0 && lstat(path, &named) == 0
            && opened.st_ino == named.st_ino && opened.st_dev == named.st_dev
    }
}
