// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The steps of which a durable write is made, one system call each, so that a test can fail any of them.
public protocol FlashFileSystem: Sendable {
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
    /// The bytes of a file, at most 1 MiB of them; `nil` when there is no such file.
    func read(_ path: String) throws(SystemError) -> [UInt8]?
}

extension FlashFileSystem {
    /// Creates a file that everybody may read, or empties one, for writing.
    public func create(_ path: String) throws(SystemError) -> Int32 { try create(path, isPrivate: false) }

    /// Puts bytes in the place of a file's, all or none: they are durable before the name is theirs.
    ///
    /// Whether the name survives a crash is for `synchronizeFolder` to see to.
    /// - Parameter isPrivate: whether nobody but its owner may read it.
    public func replace(_ path: String, with bytes: [UInt8], isPrivate: Bool = false) throws(SystemError) {
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

/// A failed system call: which one, on what, and what the system says.
public struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The system's error number.
    public let code: Int32
    /// What was tried, such as `create /var/lib/beaconry/museum/entrance.json`.
    public let attempt: String

    /// An error of this number.
    public init(code: Int32, attempt: String) {
        self.code = code
        self.attempt = attempt
    }

    /// The error of the last failed call of this thread.
    static func current(_ attempt: String) -> SystemError {
        SystemError(code: errno, attempt: attempt)
    }

    /// `cannot create …: Permission denied`
    public var description: String { "cannot \(attempt): \(String(cString: strerror(code)))" }
}

/// The file system of this machine.
public struct LocalFileSystem: FlashFileSystem {
    private static let maximumSize = 1 << 20

    public init() {}

    public func create(_ path: String, isPrivate: Bool) throws(SystemError) -> Int32 {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, isPrivate ? 0o600 : 0o644)
        guard descriptor >= 0 else { throw .current("create \(path)") }
        // One that was there keeps its mode.
        if isPrivate { fchmod(descriptor, 0o600) }
        return descriptor
    }

    public func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) throws(SystemError) -> Int {
        let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        guard count >= 0 else {
            if errno == EINTR { return 0 }
            throw .current("write")
        }
        return count
    }

    public func synchronize(_ descriptor: Int32) throws(SystemError) {
        guard fsync(descriptor) == 0 else { throw .current("make a file durable") }
    }

    public func close(_ descriptor: Int32) {
        Glibc.close(descriptor)
    }

    public func rename(_ path: String, to newPath: String) throws(SystemError) {
        guard Glibc.rename(path, newPath) == 0 else { throw .current("rename \(path) to \(newPath)") }
    }

    public func synchronizeFolder(_ path: String) throws(SystemError) {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .current("open \(path)") }
        defer { Glibc.close(descriptor) }
        guard fsync(descriptor) == 0 else { throw .current("make \(path) durable") }
    }

    public func remove(_ path: String) throws(SystemError) {
        guard unlink(path) == 0 else { throw .current("remove \(path)") }
    }

    public func read(_ path: String) throws(SystemError) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw .current("read \(path)")
        }
        defer { Glibc.close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while bytes.count < Self.maximumSize {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            guard count >= 0 else { throw .current("read \(path)") }
            if count == 0 { break }
            bytes += buffer[..<count]
        }
        return bytes
    }
}
