// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Glibc
package import SystemPackage

/// A file that a command writes for its user.
///
/// A regular file is replaced when the new one is complete; a symbolic link to one is replaced itself, since in a shared folder another
/// user may have made it. A device, a pipe, or an open file of this process (`/dev/stdout`, `/dev/fd/N`, and links to these) is written
/// to in place, and neither replaced nor removed.
package struct OutputFile: Sendable {
    private enum Place {
        /// A regular file, or none, that a temporary one replaces.
        case replaced(temporary: String)
        case written
    }

    /// The time in which a pipe has to take something.
    private static let patience = Duration.seconds(10)
    /// What a pipe takes at once if it can be written to (pipe(7), PIPE_BUF).
    private static let pipeBuffer = 4096

    package let path: String
    private let place: Place
    private let descriptor: FileDescriptor
    private let files = LocalFileSystem()

    /// Begins a file, which `finish` completes and `cancel` drops.
    /// - Throws: `SystemError`, also for a FIFO that no process reads.
    package init(_ path: String) throws(SystemError) {
        self.path = path
        if let descriptor = try Self.openInPlace(path) {
            self.descriptor = descriptor
            place = .written
        } else {
            let temporary = "\(path).part"
            do throws(SystemError) {
                descriptor = try files.create(temporary)
            } catch {
                throw SystemError.missingFolder(of: path)
                    ?? SystemError(error.code, attempt: "write \(path)", reason: error.reason)
            }
            place = .replaced(temporary: temporary)
        }
    }

    /// Writes bytes at the end.
    /// - Throws: `SystemError`, also if a pipe takes nothing for 10 s.
    package func write(_ bytes: [UInt8]) throws(SystemError) {
        switch place {
        case .replaced: try files.writeAll(bytes, to: descriptor)
        case .written: try writeInPlace(bytes)
        }
    }

    /// Completes the file: a regular one gets its name when it is on the medium.
    /// - Throws: `SystemError`; then the file with that name is the former one.
    package func finish() throws(SystemError) {
        guard case .replaced(let temporary) = place else { return files.close(descriptor) }
        do throws(SystemError) {
            defer { files.close(descriptor) }
            try files.synchronize(descriptor)
            try files.rename(temporary, to: path)
        } catch {
            try? files.remove(temporary)
            throw SystemError(error.code, attempt: "write \(path)", reason: error.reason)
        }
    }

    /// Ends the file without its name; what was written in place stays.
    package func cancel() {
        files.close(descriptor)
        if case .replaced(let temporary) = place { try? files.remove(temporary) }
    }

    /// Writes a whole file.
    /// - Parameter limit: the number of bytes that its readers accept; `nil` for any.
    /// - Throws: `SystemError`.
    package static func write(_ bytes: [UInt8], to path: String, limit: Int? = nil) throws(SystemError) {
        if let limit, bytes.count > limit { throw .tooLarge("write \(path)", size: bytes.count, limit: limit) }
        let file = try OutputFile(path)
        do throws(SystemError) {
            try file.write(bytes)
        } catch {
            file.cancel()
            throw SystemError(error.code, attempt: "write \(path)", reason: error.reason)
        }
        try file.finish()
    }

    // MARK: - In place

    /// Whether a path is that of a device, a pipe or an open file of this process.
    package static func isWrittenInPlace(_ path: String) -> Bool {
        if openFileNumber(of: path) != nil { return true }
        var status = stat()
        return stat(path, &status) == 0 && ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT)
    }

    /// A duplicate of the open file of this process that a path such as `/dev/stdout` is; `nil` for another path.
    /// - Throws: `SystemError` if no file is open with the number of the path.
    package static func openFile(named path: String, _ attempt: String) throws(SystemError) -> FileDescriptor? {
        guard let number = openFileNumber(of: path) else { return nil }
        let descriptor = fcntl(number, F_DUPFD_CLOEXEC, 3)
        guard descriptor >= 0 else { throw .current(attempt) }
        return FileDescriptor(rawValue: descriptor)
    }

    private static func openFileNumber(of path: String) -> Int32? {
        var path = path
        // As many links as the kernel follows (path_resolution(7)).
        for _ in 0..<40 {
            if let folder = ["/dev/fd/", "/proc/self/fd/"].first(where: path.hasPrefix) {
                return Int32(path.dropFirst(folder.count))
            }
            guard let target = FilePath(path).targetOfLink else { return nil }
            path = FilePath(Folder.containing(path)).pushing(target).lexicallyNormalized().string
        }
        return nil
    }

    /// Opens what is written to in place; `nil` for a regular file, or none.
    private static func openInPlace(_ path: String) throws(SystemError) -> FileDescriptor? {
        let attempt = "write \(path)"
        if let descriptor = try openFile(named: path, attempt) { return descriptor }
        guard isWrittenInPlace(path) else { return nil }
        do {
            // Without O_NONBLOCK, opening a FIFO blocks until there is a reader.
            return try FileDescriptor.open(
                FilePath(path), .writeOnly, options: [.closeOnExec, .nonBlocking, .noControllingTerminal])
        } catch Errno.noSuchAddressOrDevice {
            throw SystemError(.noSuchAddressOrDevice, attempt: attempt, reason: "no process reads from it")
        } catch {
            throw SystemError(thrown: error, attempt: attempt)
        }
    }

    private func writeInPlace(_ bytes: [UInt8]) throws(SystemError) {
        let attempt = "write \(path)"
        var rest = bytes[...]
        while !rest.isEmpty {
            var request = pollfd(fd: descriptor.rawValue, events: Int16(POLLOUT), revents: 0)
            let milliseconds = Int32(Self.patience / .milliseconds(1))
            guard poll(&request, 1, milliseconds) > 0 else {
                throw SystemError(.timedOut, attempt: attempt, reason: "nothing reads from it")
            }
            do {
                let count = try rest.prefix(Self.pipeBuffer).withUnsafeBytes { try descriptor.write($0) }
                rest = rest.dropFirst(count)
            } catch Errno.resourceTemporarilyUnavailable {
                continue
            } catch {
                throw SystemError(thrown: error, attempt: attempt)
            }
        }
    }
}

extension FilePath {
    /// What a symbolic link has as its target; `nil` for anything else.
    fileprivate var targetOfLink: FilePath? {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(string, &bytes, bytes.count - 1)
        guard count > 0 else { return nil }
        return FilePath(String(decoding: bytes[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self))
    }
}
