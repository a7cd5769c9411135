// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Glibc
package import SystemPackage

/// The system calls of an atomic write, one function each, so that a test can fail any of them.
package protocol FileSystem: Sendable {
    /// Creates a file, or truncates an existing one, for writing.
    /// - Parameter isPrivate: Whether only its owner may read it.
    func create(_ path: String, isPrivate: Bool) throws(SystemError) -> FileDescriptor
    /// Writes some of the bytes.
    /// - Returns: The number of bytes written.
    func write(_ bytes: ArraySlice<UInt8>, to descriptor: FileDescriptor) throws(SystemError) -> Int
    /// Flushes a file's content to the medium.
    func synchronize(_ descriptor: FileDescriptor) throws(SystemError)
    /// Closes a descriptor.
    func close(_ descriptor: FileDescriptor)
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
    package func create(_ path: String) throws(SystemError) -> FileDescriptor { try create(path, isPrivate: false) }

    /// Replaces a file atomically: the bytes are on the medium before the file has its name.
    ///
    /// The new name survives a crash of the machine only after `synchronizeFolder`.
    /// - Parameter isPrivate: Whether only the file's owner may read it.
    /// - Throws: `SystemError`, also for more bytes than `read` accepts.
    package func replace(_ path: String, with bytes: [UInt8], isPrivate: Bool = false) throws(SystemError) {
        try prepareReplacement(of: path, by: bytes, isPrivate: isPrivate)
        try commitReplacement(of: path)
    }

    /// Writes the bytes that are to replace a file beside it: they are on the medium, and need no more room there.
    /// - Throws: as `replace`.
    package func prepareReplacement(
        of path: String, by bytes: [UInt8], isPrivate: Bool = false
    ) throws(SystemError) {
        guard bytes.count <= Self.maximumFileSize else {
            throw .tooLarge("write \(path)", size: bytes.count, limit: Self.maximumFileSize)
        }
        try orCancel(path) { () throws(SystemError) in
            try write(bytes, to: Self.replacement(of: path), isPrivate: isPrivate)
        }
    }

    /// Replaces a file by what was prepared.
    /// - Throws: `SystemError`; then nothing is prepared any more.
    package func commitReplacement(of path: String) throws(SystemError) {
        try orCancel(path) { () throws(SystemError) in try rename(Self.replacement(of: path), to: path) }
    }

    /// Removes what was prepared.
    package func cancelReplacement(of path: String) { try? remove(Self.replacement(of: path)) }

    private static func replacement(of path: String) -> String { "\(path).new" }

    private func orCancel(_ path: String, _ step: () throws(SystemError) -> Void) throws(SystemError) {
        do throws(SystemError) {
            try step()
        } catch {
            cancelReplacement(of: path)
            throw SystemError.missingFolder(of: path)
                ?? SystemError(error.code, attempt: "write \(path)", reason: error.reason)
        }
    }

    private func write(_ bytes: [UInt8], to path: String, isPrivate: Bool) throws(SystemError) {
        let descriptor = try create(path, isPrivate: isPrivate)
        defer { close(descriptor) }
        try writeAll(bytes, to: descriptor)
        try synchronize(descriptor)
    }

    /// Writes all of the bytes.
    package func writeAll(_ bytes: [UInt8], to descriptor: FileDescriptor) throws(SystemError) {
        var rest = bytes[...]
        while !rest.isEmpty { rest = rest.dropFirst(try write(rest, to: descriptor)) }
    }
}

/// A failed system call, or a file that is refused: the attempt, the path and the reason.
package struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The system's error number.
    package let code: Errno
    /// The attempt, such as `create /var/lib/beaconry/museum/entrance.json`.
    package let attempt: String
    /// The reason, where it is more specific than the text of the error number.
    package let reason: String?

    /// An error with this number.
    package init(_ code: Errno, attempt: String, reason: String? = nil) {
        self.code = code
        self.attempt = attempt
        self.reason = reason
    }

    /// The error that a function of swift-system threw: these functions throw `Errno`, in a throw without a type.
    package init(thrown error: any Error, attempt: String) {
        self.init(error as? Errno ?? .ioError, attempt: attempt)
    }

    /// The error of opening a file without following links.
    package init(opening error: any Error, attempt: String) {
        let code = error as? Errno ?? .ioError
        self.init(
            code, attempt: attempt,
            reason: code == .tooManySymbolicLinkLevels ? "it is a symbolic link, and links are not followed here" : nil)
    }

    /// The error of this thread's last failed call.
    package static func current(_ attempt: String) -> SystemError {
        SystemError(Errno(rawValue: errno), attempt: attempt)
    }

    /// The error of writing a file in a folder that does not exist; `nil` if the folder exists.
    package static func missingFolder(of path: String) -> SystemError? {
        let folder = Folder.containing(path)
        guard !Folder.exists(folder) else { return nil }
        return SystemError(
            .noSuchFileOrDirectory, attempt: "write \(path)",
            reason: "there is no folder \(folder); create the folder")
    }

    /// A file with more bytes than are read or written.
    static func tooLarge(_ attempt: String, size: Int, limit: Int) -> SystemError {
        SystemError(
            .fileTooLarge, attempt: attempt, reason: "its size is \(size) bytes, and the limit is \(limit) bytes")
    }

    /// Whether a file was refused for its size. That is bad data and not a failure of the system, whose own limits on
    /// file sizes have the same number.
    package var isTooLarge: Bool { code == .fileTooLarge && reason != nil }

    /// The reason: `Permission denied`.
    package var cause: String { reason ?? "\(code)" }

    /// `cannot create …: Permission denied`
    package var description: String { "cannot \(attempt): \(cause)" }
}

extension FileDescriptor.OpenOptions {
    /// A terminal does not become the controlling terminal of this process; swift-system has no name for it.
    package static var noControllingTerminal: Self { Self(rawValue: O_NOCTTY) }
}

/// The file system of this machine.
package struct LocalFileSystem: FileSystem {
    package init() {}

    /// Creates a file, or truncates an existing one, for writing.
    ///
    /// A symbolic link is not followed, since in a shared folder another user may have made it; and a FIFO without a
    /// reader is refused instead of blocking.
    package func create(_ path: String, isPrivate: Bool) throws(SystemError) -> FileDescriptor {
        let descriptor: FileDescriptor
        do {
            descriptor = try FileDescriptor.open(
                FilePath(path), .writeOnly,
                options: [.create, .truncate, .closeOnExec, .noFollow, .nonBlocking, .noControllingTerminal],
                permissions: isPrivate ? .ownerReadWrite : [.ownerReadWrite, .groupRead, .otherRead])
        } catch {
            throw SystemError(opening: error, attempt: "create \(path)")
        }
        // An existing file keeps its mode.
        if isPrivate { fchmod(descriptor.rawValue, 0o600) }
        return descriptor
    }

    package func write(_ bytes: ArraySlice<UInt8>, to descriptor: FileDescriptor) throws(SystemError) -> Int {
        do {
            return try bytes.withUnsafeBytes { try descriptor.write($0) }
        } catch {
            throw SystemError(thrown: error, attempt: "write")
        }
    }

    package func synchronize(_ descriptor: FileDescriptor) throws(SystemError) {
        guard fsync(descriptor.rawValue) == 0 else { throw .current("flush a file to the medium") }
    }

    package func close(_ descriptor: FileDescriptor) {
        try? descriptor.close()
    }

    package func rename(_ path: String, to newPath: String) throws(SystemError) {
        guard Glibc.rename(path, newPath) == 0 else { throw .current("rename \(path) to \(newPath)") }
    }

    package func synchronizeFolder(_ path: String) throws(SystemError) {
        let descriptor: FileDescriptor
        do {
            descriptor = try FileDescriptor.open(FilePath(path), .readOnly, options: [.directory, .closeOnExec])
        } catch {
            throw SystemError(thrown: error, attempt: "open \(path)")
        }
        defer { try? descriptor.close() }
        guard fsync(descriptor.rawValue) == 0 else { throw .current("flush \(path) to the medium") }
    }

    package func remove(_ path: String) throws(SystemError) {
        guard unlink(path) == 0 else { throw .current("remove \(path)") }
    }

    package func read(_ path: String) throws(SystemError) -> [UInt8]? {
        let attempt = "read \(path)"
        do {
            // Without O_NONBLOCK, opening a FIFO blocks until there is a writer.
            let descriptor = try FileDescriptor.open(
                FilePath(path), .readOnly, options: [.closeOnExec, .nonBlocking, .noControllingTerminal])
            defer { try? descriptor.close() }
            return try contents(of: descriptor, attempt)
        } catch Errno.noSuchFileOrDirectory {
            return nil
        } catch {
            throw error as? SystemError ?? SystemError(thrown: error, attempt: attempt)
        }
    }

    /// - Throws: `Errno`, and `SystemError` for a file that is refused.
    private func contents(of descriptor: FileDescriptor, _ attempt: String) throws -> [UInt8] {
        let limit = Self.maximumFileSize
        let status = try descriptor.stat()
        guard status.type == .regular else {
            throw SystemError(
                .invalidArgument, attempt: attempt, reason: "it is \(Self.name(of: status.type)), not a regular file")
        }
        guard status.size <= limit else { throw SystemError.tooLarge(attempt, size: Int(status.size), limit: limit) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = try buffer.withUnsafeMutableBytes { try descriptor.read(into: $0) }
            if count == 0 { return bytes }
            bytes += buffer[..<count]
            // The file may have grown, and files in /proc report no size.
            guard bytes.count <= limit else { throw SystemError.tooLarge(attempt, size: bytes.count, limit: limit) }
        }
    }

    private static func name(of type: FileType) -> String {
        switch type {
        case .directory: "a folder"
        case .fifo: "a FIFO"
        case .socket: "a socket"
        default: "a device"
        }
    }
}
