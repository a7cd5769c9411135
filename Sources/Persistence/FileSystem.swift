// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The system calls of an atomic write, one function each, so that a test can fail any of them.
package protocol FileSystem: Sendable {
    /// Creates a file, or truncates an existing one, for writing.
    /// - Parameter isPrivate: Whether only its owner may read it.
    func create(_ path: String, isPrivate: Bool) throws(SystemError) -> Int32
    /// Writes some of the bytes.
    /// - Returns: The number of bytes written.
    func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) throws(SystemError) -> Int
    /// Flushes a file's content to the medium.
    func synchronize(_ descriptor: Int32) throws(SystemError)
    /// Closes a descriptor.
    func close(_ descriptor: Int32)
    /// Renames a file atomically, replacing the file at the new path.
    func rename(_ path: String, to newPath: String) throws(SystemError)
    /// Flushes a folder's entries to the medium.
    func synchronizeFolder(_ path: String) throws(SystemError)
    /// Removes a file.
    func remove(_ path: String) throws(SystemError)
    /// The whole content of a regular file; `nil` if the file does not exist.
    /// - Throws: `SystemError`, also for a file that is not regular, or larger than `maximumFileSize`.
    func read(_ path: String) throws(SystemError) -> [UInt8]?
}

extension FileSystem {
    /// The size of the largest file that is read or written: 1 MiB.
    package static var maximumFileSize: Int { 1 << 20 }

    /// Creates a file that everyone may read, or truncates an existing one, for writing.
    package func create(_ path: String) throws(SystemError) -> Int32 { try create(path, isPrivate: false) }

    /// Replaces a file atomically: the bytes are on the medium before the file has its name.
    ///
    /// The new name survives a crash of the machine only after `synchronizeFolder`.
    /// - Parameter isPrivate: Whether only the file's owner may read it.
    /// - Throws: `SystemError`, also for more bytes than `read` accepts.
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

/// A failed system call, or a file that is refused: the attempt, the path and the reason.
package struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The system's error number.
    package let code: Int32
    /// The attempt, such as `create /var/lib/beaconry/museum/entrance.json`.
    package let attempt: String
    /// The reason, where it is more specific than the text of the error number.
    package let reason: String?

    /// An error with this number.
    package init(code: Int32, attempt: String, reason: String? = nil) {
        self.code = code
        self.attempt = attempt
        self.reason = reason
    }

    /// The error of this thread's last failed call.
    package static func current(_ attempt: String) -> SystemError {
        SystemError(code: errno, attempt: attempt)
    }

    /// The error of this thread's last failed call, which opened a file without following links.
    package static func currentOfFile(_ attempt: String) -> SystemError {
        let code = errno
        return SystemError(
            code: code, attempt: attempt,
            reason: code == ELOOP ? "it is a symbolic link, and links are not followed here" : nil)
    }

    /// A file with more bytes than are read or written.
    static func tooLarge(_ attempt: String, size: Int, limit: Int) -> SystemError {
        SystemError(code: EFBIG, attempt: attempt, reason: "its size is \(size) bytes, and the limit is \(limit) bytes")
    }

    /// Whether a file was refused for its size. That is bad data and not a failure of the system, whose own limits on
    /// file sizes have the same number.
    package var isTooLarge: Bool { code == EFBIG && reason != nil }

    /// The reason: `Permission denied`.
    package var cause: String { reason ?? String(cString: strerror(code)) }

    /// `cannot create …: Permission denied`
    package var description: String { "cannot \(attempt): \(cause)" }
}

/// The file system of this machine.
package struct LocalFileSystem: FileSystem {
    package init() {}

    /// Creates a file, or truncates an existing one, for writing.
    ///
    /// A symbolic link is not followed, since in a shared folder another user may have made it; and a FIFO without a
    /// reader is refused instead of blocking.
    package func create(_ path: String, isPrivate: Bool) throws(SystemError) -> Int32 {
        let flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
        let descriptor = open(path, flags, isPrivate ? 0o600 : 0o644)
        guard descriptor >= 0 else { throw .currentOfFile("create \(path)") }
        // An existing file keeps its mode.
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
        guard fsync(descriptor) == 0 else { throw .current("flush a file to the medium") }
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
        guard fsync(descriptor) == 0 else { throw .current("flush \(path) to the medium") }
    }

    package func remove(_ path: String) throws(SystemError) {
        guard unlink(path) == 0 else { throw .current("remove \(path)") }
    }

    package func read(_ path: String) throws(SystemError) -> [UInt8]? {
        // Without O_NONBLOCK, opening a FIFO blocks until there is a writer.
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
            // The file may have grown, and files in /proc report no size.
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
