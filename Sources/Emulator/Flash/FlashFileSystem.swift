// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The steps of which a durable write is made, one system call each, so that a test can fail any of them.
package protocol FlashFileSystem: Sendable {
    /// Creates a file, or empties one, for writing.
    /// - Parameter isPrivate: whether nobody but its owner may read it.
    func create(_ path: String, isPrivate: Bool) throws(SystemError) -> Int32
    /// Writes some of the bytes and returns how many.
    func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) throws(SystemError) -> Int
    /// Waits until a file's content is on the medium.
    func synchronize(_ descriptor: Int32) throws(SystemError)
    /// Gives a descriptor back.
    func close(_ descriptor: Int32)
    /// Replaces one name by another, atomically.
    func rename(_ path: String, to newPath: String) throws(SystemError)
    /// Waits until a folder's names are on the medium.
    func synchronizeFolder(_ path: String) throws(SystemError)
    /// Removes a name.
    func remove(_ path: String) throws(SystemError)
    /// The whole content of a regular file; `nil` when there is no such file.
    /// - Throws: `SystemError`, also for a file that is not regular, or larger than `maximumFileSize`.
    func read(_ path: String) throws(SystemError) -> [UInt8]?
}

extension FlashFileSystem {
    /// The size of the largest file that is read, and therefore written: 1 MiB.
    package static var maximumFileSize: Int { 1 << 20 }

    /// Creates a file that everybody may read, or empties one, for writing.
    package func create(_ path: String) throws(SystemError) -> Int32 { try create(path, isPrivate: false) }

    /// Puts bytes in the place of a file's, all or none: they are durable before the name is theirs.
    ///
    /// Whether the name survives a crash is for `synchronizeFolder` to see to.
    /// - Parameter isPrivate: whether nobody but its owner may read it.
    /// - Throws: `SystemError`, also for more bytes than `read` would accept.
    package func replace(_ path: String, with bytes: [UInt8], isPrivate: Bool = false) throws(SystemError) {
        guard bytes.count <= Self.maximumFileSize else {
            throw .tooLarge("write \(path)", size: bytes.count, limit: Self.maximumFileSize)
        }
        let temporary = "\(path).new"
        do throws(SystemError) {
            try write(bytes, to: temporary, isPrivate: isPrivate)
            try rename(temporary, to: path)
        } catch {
            try? remove(temporary)
            throw error
        }
    }

    private func write(_ bytes: [UInt8], to path: String, isPrivate: Bool) throws(SystemError) {
        let descriptor = try create(path, isPrivate: isPrivate)
        defer { close(descriptor) }
        var rest = bytes[...]
        while !rest.isEmpty { rest = rest.dropFirst(try write(rest, to: descriptor)) }
        try synchronize(descriptor)
    }
}

/// A failed system call, or a file that is not used: what was tried, on what, and why it failed.
package struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The system's error number.
    package let code: Int32
    /// What was tried, such as `create /var/lib/beaconry/museum/entrance.json`.
    package let attempt: String
    /// Why, where that is more than the text of the error number.
    package let reason: String?

    /// An error of this number.
    package init(code: Int32, attempt: String, reason: String? = nil) {
        self.code = code
        self.attempt = attempt
        self.reason = reason
    }

    /// The error of the last failed call of this thread.
    static func current(_ attempt: String) -> SystemError {
        SystemError(code: errno, attempt: attempt)
    }

    /// A file with more bytes than are read or written.
    static func tooLarge(_ attempt: String, size: Int, limit: Int) -> SystemError {
        SystemError(code: EFBIG, attempt: attempt, reason: "its size is \(size) bytes, and the limit is \(limit) bytes")
    }

    /// Whether a file's content is refused for its size, which is bad data and no failure of the system: `write` fails
    /// with the same number where the system limits sizes.
    package var isTooLarge: Bool { code == EFBIG && reason != nil }

    /// Why: `Permission denied`.
    var cause: String { reason ?? String(cString: strerror(code)) }

    /// `cannot create …: Permission denied`
    package var description: String { "cannot \(attempt): \(cause)" }
}

/// The file system of this machine.
package struct LocalFileSystem: FlashFileSystem {
    package init() {}

    /// Creates a file, or empties one, for writing.
    ///
    /// A symbolic link is not followed, since it may be another user's in a folder that many can write to; and a FIFO
    /// that nobody reads is refused rather than waited for.
    package func create(_ path: String, isPrivate: Bool) throws(SystemError) -> Int32 {
        let flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
        let descriptor = open(path, flags, isPrivate ? 0o600 : 0o644)
        guard descriptor >= 0 else { throw .currentOfFile("create \(path)") }
        // One that was there keeps its mode.
        if isPrivate { fchmod(descriptor, 0o600) }
        return descriptor
    }

    package func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) throws(SystemError) -> Int {
        let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        guard count >= 0 else {
            if errno == EINTR { return 0 }
            throw .current("write")
        }
        return count
    }

    package func synchronize(_ descriptor: Int32) throws(SystemError) {
        guard fsync(descriptor) == 0 else { throw .current("make a file durable") }
    }

    package func close(_ descriptor: Int32) {
        Glibc.close(descriptor)
    }

    package func rename(_ path: String, to newPath: String) throws(SystemError) {
        guard Glibc.rename(path, newPath) == 0 else { throw .current("rename \(path) to \(newPath)") }
    }

    package func synchronizeFolder(_ path: String) throws(SystemError) {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .current("open \(path)") }
        defer { Glibc.close(descriptor) }
        guard fsync(descriptor) == 0 else { throw .current("make \(path) durable") }
    }

    package func remove(_ path: String) throws(SystemError) {
        guard unlink(path) == 0 else { throw .current("remove \(path)") }
    }

    package func read(_ path: String) throws(SystemError) -> [UInt8]? {
        // Without O_NONBLOCK, opening a FIFO waits until somebody writes to it.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw .current("read \(path)")
        }
        defer { Glibc.close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .current("read \(path)") }
        guard status.st_mode & S_IFMT == S_IFREG else {
            let kind = Self.kind(of: status.st_mode)
            throw SystemError(code: EINVAL, attempt: "read \(path)", reason: "it is \(kind), not a regular file")
        }
        let limit = Self.maximumFileSize
        guard status.st_size <= limit else { throw .tooLarge("read \(path)", size: Int(status.st_size), limit: limit) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .current("read \(path)") }
            if count == 0 { return bytes }
            bytes += buffer[..<count]
            // It may have grown since, and files of /proc have no size.
            guard bytes.count <= limit else { throw .tooLarge("read \(path)", size: bytes.count, limit: limit) }
        }
    }

    private static func kind(of mode: mode_t) -> String {
        switch mode & S_IFMT {
        case S_IFDIR: "a folder"
        case S_IFIFO: "a FIFO"
        case S_IFSOCK: "a socket"
        default: "a device"
        }
    }
}

extension SystemError {
    /// The error of the last failed call of this thread that opened a file without following links.
    static func currentOfFile(_ attempt: String) -> SystemError {
        let code = errno
        return SystemError(
            code: code, attempt: attempt,
            reason: code == ELOOP ? "it is a symbolic link, and links are not followed here" : nil)
    }
}
