// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Glibc
import JSON
import Persistence
import SystemPackage

/// The file of the results of a sweep: a header, then a line for each finished run, in the order of their ends.
///
/// A line is written at once. What a crash has left of the last one is cut off when the file is opened; what a full
/// disk has taken of a line is cut off at once. One process writes at a time.
struct SweepOutput: Sendable {
    /// Where the lines go.
    private enum Place {
        /// A regular file, with the size of what is complete.
        case file(FileDescriptor, size: Int)
        /// A device or a pipe, which only takes lines.
        case taker(OutputFile)
    }

    private let path: String
    private var place: Place

    /// Opens a file, and reads the results in it into a table.
    /// - Throws: `Failure` for a file of another sweep, `SystemError`.
    init(_ path: String, for table: inout SweepTable) throws {
        self.path = path
        if OutputFile.isWrittenInPlace(path) {
            place = .taker(try OutputFile(path))
            try write(table.header.line)
            return
        }
        let file = try Self.open(path)
        place = .file(file, size: 0)
        do {
            guard flock(file.rawValue, LOCK_EX | LOCK_NB) == 0 else {
                throw Failure(
                    exitCode: 73,
                    message: "another sweep writes to \(path) now; wait for its end, or choose another file")
            }
            let end = try Self.read(file, path, into: &table)
            try cut(file, to: end)
            if end == 0 { try write(table.header.line) }
        } catch {
            close()
            throw error
        }
    }

    private static func open(_ path: String) throws(Failure) -> FileDescriptor {
        do {
            // Another user may have made a link, in a folder that all may write to.
            return try FileDescriptor.open(
                FilePath(path), .readWrite, options: [.create, .closeOnExec, .noControllingTerminal, .noFollow],
                permissions: [.ownerReadWrite, .groupRead, .otherRead])
        } catch Errno.tooManySymbolicLinkLevels {
            throw Failure(exitCode: 73, message: "\(path) is a symbolic link; write the path of the file itself")
        } catch {
            let reason = SystemError.missingFolder(of: path) ?? SystemError(thrown: error, attempt: "write \(path)")
            throw Failure(exitCode: 73, message: "\(reason); choose another file")
        }
    }

    /// Ends the writing; another process may write now.
    func close() {
        switch place {
        case .file(let file, _): try? file.close()
        case .taker(let file): try? file.finish()
        }
    }

    /// Reads the results of an earlier call.
    /// - Returns: the number of bytes of complete lines.
    private static func read(_ file: FileDescriptor, _ path: String, into table: inout SweepTable) throws -> Int {
        var reader = LineReader(file, path)
        var end = 0
        while let line = try reader.next(), line.isComplete {
            let parsed = try ResultLine(line, path)
            switch parsed {
            case .header(let header):
                guard header == table.header else { throw header.difference(from: table.header, path, "this sweep") }
            case .result(let result):
                guard line.number > 1 else { throw ResultLine.missingHeader(path) }
                table.add(result, of: try table.number(of: result, path, line))
            }
            end = line.offset + line.bytes.count + 1
        }
        return end
    }

    /// Writes the line of a run.
    /// - Throws: `Failure` if there is no room; the lines before it stay complete.
    mutating func write(_ line: String) throws(Failure) {
        let bytes = Array("\(line)\n".utf8)
        do {
            switch place {
            case .file(let file, let size):
                do {
                    place = .file(file, size: size + (try file.writeAll(bytes)))
                } catch {
                    try? cut(file, to: size)
                    throw error
                }
            case .taker(let file): try file.write(bytes)
            }
        } catch {
            let reason = error as? SystemError ?? SystemError(thrown: error, attempt: "write \(path)")
            throw Failure(
                exitCode: 74,
                message: "\(reason); the finished runs before are in it: make room, and the same command continues")
        }
    }

    private mutating func cut(_ file: FileDescriptor, to end: Int) throws {
        guard ftruncate(file.rawValue, off_t(end)) == 0, lseek(file.rawValue, off_t(end), SEEK_SET) >= 0 else {
            throw SystemError.current("write \(path)")
        }
        place = .file(file, size: end)
    }
}

/// A line of results.
enum ResultLine {
    case header(SweepHeader)
    case result(SweepLine)

    /// - Throws: `Failure` for a line that is neither.
    init(_ line: LineReader.Line, _ path: String) throws(Failure) {
        guard let node = try? JSONNode(parsing: line.bytes, .own) else { throw Self.unreadable(line, path) }
        if let result = SweepLine(node) {
            self = .result(result)
        } else if let header = SweepHeader(node) {
            self = .header(header)
        } else {
            throw Self.unreadable(line, path)
        }
    }

    private static func unreadable(_ line: LineReader.Line, _ path: String) -> Failure {
        .badData(
            "this is no line of a sweep's results; choose a file that beaconry sweep --output has written, or remove "
                + "the line",
            in: path, line: line.number, column: 0)
    }

    /// The failure of a file that does not begin with a header.
    static func missingHeader(_ path: String) -> Failure {
        .badData(
            "the line of the sweep itself is missing; copy the first line of another of its files in front of it",
            in: path,
            line: 1, column: 0)
    }
}

extension SweepHeader {
    /// Why results with this header do not belong to others.
    /// - Parameter whole: the others, for the message.
    func difference(from other: SweepHeader, _ path: String, _ whole: String) -> Failure {
        if version != other.version {
            return .badData(
                "\(path) is of \(version), and \(whole) of \(other.version): run all with one version, into "
                    + "another file"
            )
        }
        if name != other.name {
            return .badData("\(path) is of the sweep \(name), and \(whole) is \(other.name); choose another file")
        }
        return .badData(
            "\(path) is of the sweep \(name) before its spec or one of its files was changed (\(sweep), now "
                + "\(other.sweep)); choose another "
                + "file, or undo the change")
    }
}

extension SweepTable {
    /// The number of the run of a line.
    /// - Throws: `Failure` for a line of another sweep.
    func number(of result: SweepLine, _ path: String, _ line: LineReader.Line) throws(Failure) -> Int {
        do throws(Refusal) {
            return try number(of: result)
        } catch {
            let message =
                switch error {
                case .otherSweep:
                    "the run is of another sweep (\(result.sweep), not \(header.sweep)); remove the line, or choose "
                        + "another file"
                case .unknownRun: "the sweep \(header.name) has no such variant or seed; remove the line"
                }
            throw .badData(message, in: path, line: line.number, column: 0)
        }
    }
}
