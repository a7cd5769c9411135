// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Devices
import Glibc
import Persistence
import SystemPackage

/// `merge`: the report of the results of a sweep in several files.
package enum MergeTool {
    /// Where the line of a run is.
    private struct Place {
        let file: Int32
        let length: Int32
        let offset: Int
    }

    private struct Merged {
        var table: SweepTable?
        var first = ""
        var places: [Place?] = []
        var repeated = 0
    }

    /// Reads files, and prints the report.
    /// - Parameter output: the file of all results, in the order of the runs; `nil` for none.
    /// - Throws: `Failure` for files of different sweeps.
    package static func run(_ paths: [String], output: String?, replaces: Bool, as form: SweepForm) throws {
        if let output { try Failure.unlessFree(output, force: replaces) }
        var files: [FileDescriptor] = []
        defer { for file in files { try? file.close() } }
        var merged = Merged()
        for path in paths {
            do {
                files.append(try FileDescriptor.open(FilePath(path), .readOnly, options: .closeOnExec))
            } catch {
                throw SystemError(thrown: error, attempt: "open \(path)")
            }
            try read(files, paths, into: &merged)
        }
        guard let table = merged.table else { throw Failure.badData("\(paths[0]) is empty; run beaconry sweep first") }
        if merged.repeated > 0 {
            Output.note("\(Formatting.count(merged.repeated, "result")) of the same runs counted once")
        }
        if let output { try write(table, merged.places, files, to: output) }
        form.print(SweepReport(table))
    }

    private static func read(_ files: [FileDescriptor], _ paths: [String], into merged: inout Merged) throws {
        let number = files.count - 1
        let path = paths[number]
        var reader = LineReader(files[number], path)
        while let line = try reader.next() {
            guard line.isComplete else {
                Output.note("\(path): the last line is not complete, and not counted")
                return
            }
            switch try ResultLine(line, path) {
            case .header(let header):
                guard let known = merged.table?.header else {
                    do {
                        let table = try SweepTable(header)
                        merged.places = Array(repeating: nil, count: table.runCount)
                        merged.table = table
                        merged.first = path
                    } catch {
                        throw Failure.badData(error.message, in: path, line: line.number, column: 0)
                    }
                    continue
                }
                guard header == known else { throw header.difference(from: known, path, merged.first) }
            case .result(let result):
                guard line.number > 1, let run = try merged.table?.number(of: result, path, line) else {
                    throw ResultLine.missingHeader(path)
                }
                guard let earlier = merged.places[run] else {
                    merged.places[run] = Place(
                        file: Int32(number), length: Int32(line.bytes.count), offset: line.offset)
                    merged.table?.add(result, of: run)
                    continue
                }
                guard try bytes(at: earlier, files, paths) == line.bytes else {
                    throw Failure.badData(
                        "\(result.variant) with seed \(result.seed) has another result in "
                            + "\(paths[Int(earlier.file)]); a run has one "
                            + "result: remove the file that was changed, and run again", in: path, line: line.number,
                        column: 0)
                }
                merged.repeated += 1
            }
        }
    }

    private static func bytes(at place: Place, _ files: [FileDescriptor], _ paths: [String]) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Int(place.length))
        do {
            _ = try bytes.withUnsafeMutableBytes {
                try files[Int(place.file)].read(fromAbsoluteOffset: Int64(place.offset), into: $0)
            }
        } catch {
            throw SystemError(thrown: error, attempt: "read \(paths[Int(place.file)])")
        }
        return bytes
    }

    private static func write(
        _ table: SweepTable, _ places: [Place?], _ files: [FileDescriptor], to output: String
    ) throws {
        let file = try OutputFile(output)
        do {
            try write(table, places, files, to: file)
        } catch {
            file.cancel()
            throw error
        }
        try file.finish()
    }

    private static func write(
        _ table: SweepTable, _ places: [Place?], _ files: [FileDescriptor], to file: OutputFile
    ) throws {
        try file.write(Array("\(table.header.line)\n".utf8))
        var pending: [UInt8] = []
        for place in places.compactMap(\.self) {
            pending += try bytes(at: place, files, []) + [0x0A]
            if pending.count > 1 << 16 {
                try file.write(pending)
                pending = []
            }
        }
        try file.write(pending)
    }
}
