// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BeaconryCentral
import Bluetooth
package import Devices
package import Emulator
import Glibc
import JSON
import Persistence
import Radio
import RunAPI

/// Why a command cannot do its work: one sentence on standard error, and an exit code.
package struct Failure: Error {
    package let exitCode: Int32
    package let message: String
    /// The faults of a profile, equal ones in one line, which replace the message; empty for any other error.
    package var diagnostics: [String] = []
    /// The objects that replace the message in JSON; empty if the message is complete.
    package var records: [ErrorRecord] = []

    package init(exitCode: Int32, message: String) {
        self.exitCode = exitCode
        self.message = message
    }

    /// Wrong usage, every bad argument included.
    package static func usage(_ message: String) -> Failure { Failure(exitCode: 64, message: message) }
    /// Bad input data: the contents of a file, or a string of digits.
    package static func badData(_ message: String) -> Failure { Failure(exitCode: 65, message: message) }
    /// Bad input data at a place in a file: as compilers print it. Line and column are from 1; 0 for the whole file or line.
    static func badData(_ message: String, in file: String, line: Int, column: Int) -> Failure {
        var failure = badData(message)
        let place = [line, column].filter { $0 > 0 }.map { ":\($0)" }.joined()
        failure.diagnostics = ["\(file)\(place): error: \(message)"]
        var record = ErrorRecord(code: failure.code, message: message, exitCode: failure.exitCode)
        record.file = file
        record.line = line > 0 ? line : nil
        record.column = column > 0 ? column : nil
        failure.records = [record]
        return failure
    }

    /// An expectation that was not met; the command has reported it already.
    package static let unmetExpectation = Failure(exitCode: 1, message: "")

    /// Throws if a file exists that the command would replace without `--force`.
    package static func unlessFree(_ path: String, force: Bool) throws(Failure) {
        guard !force, access(path, F_OK) == 0, !OutputFile.isWrittenInPlace(path) else { return }
        throw Failure(exitCode: 73, message: "\(path) already exists; --force replaces it, or choose another file")
    }

    /// The failure of an error from any of our modules; `nil` for other errors.
    package init?(_ error: any Error) {
        switch error {
        case let failure as Failure: self = failure
        case let error as EmulatorError: self.init(error)
        case let error as RefusedRequest: self.init(error)
        case let error as RadioError: self.init(EmulatorError(error))
        case let error as PersistenceError: self.init(EmulatorError(error))
        case let error as CentralError:
            if case .radio(let reason) = error.reason, reason.code != .refused {
                self.init(reason)
            } else {
                self.init(exitCode: 74, message: "\(error)")
            }
        case let error as ProfileFaults: self.init(EmulatorError(error))
        case let error as ValueFault: self.init(exitCode: 65, message: error.message)
        case let error as WireError: self.init(exitCode: 65, message: "\(error)")
        case let error as SystemError: self.init(exitCode: error.isTooLarge ? 65 : 74, message: "\(error)")
        default: return nil
        }
    }

    /// The failure of a request that a run has refused.
    init(_ error: RefusedRequest) {
        self.init(exitCode: error.exitCode, message: error.description)
        let faults = error.faults.map { fault in
            ProfileFault(
                file: fault.file ?? "", line: fault.line ?? 0, column: fault.column ?? 0, field: fault.field ?? "",
                message: fault.message)
        }
        diagnostics = ProfileFaults(faults).lines
        let whole = ErrorRecord(code: error.code, message: error.message, hint: error.hint, exitCode: error.exitCode)
        records = error.faults.isEmpty ? [whole] : error.faults
    }

    /// Gives the faults of a text the name of its file, which a run does not know.
    mutating func rename(_ name: String, to file: String) {
        diagnostics = diagnostics.map { $0.hasPrefix("\(name):") ? file + $0.dropFirst(name.count) : $0 }
        for index in records.indices where records[index].file == name { records[index].file = file }
    }

    private init(_ error: EmulatorError) {
        self.init(exitCode: error.exitCode, message: "\(error)")
        diagnostics = error.diagnostics
        records = ErrorRecord.records(of: error)
    }

    /// The stable code of an error that does not define one.
    private var code: String {
        switch exitCode {
        case 1: "unmet"
        case 64: "usage"
        case 65: "invalid"
        case 69: "radio"
        case 73: "cannot-create"
        case 74: "input-output"
        default: "internal"
        }
    }

    /// One object for each fault of a profile, else one for the message; empty if the error was reported already.
    private var objects: [ErrorRecord] {
        guard records.isEmpty else { return records }
        return message.isEmpty ? [] : [ErrorRecord(code: code, message: message, exitCode: exitCode)]
    }

    /// The faults of a profile as compilers print them, else the message after the program's name.
    private var lines: [String] {
        guard diagnostics.isEmpty else { return diagnostics }
        return message.isEmpty ? [] : ["beaconry: \(message)"]
    }

    /// Prints the error: text on standard error and, with JSON, objects on standard output as well.
    package func report(as format: OutputFormat) {
        if format == .json { for record in objects { Output.line(JSONLine.encode(record)) } }
        lines.forEach(Output.note)
    }
}

extension ValueFault: CustomStringConvertible {
    /// The message: ArgumentParser prints the description of an error that refuses an option's value.
    package var description: String { message }
}
