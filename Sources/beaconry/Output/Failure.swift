// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BeaconryCentral
import BluetoothCore
import Emulator
import Glibc
import Persistence
import Profiles
import Radio

/// A command whose errors are JSON, too, when its results are.
protocol ReportsErrorsAsJSON {
    /// Whether `--json` is given.
    var writesJSON: Bool { get }
}

/// How a command ends when it cannot do what it should: one sentence on standard error, and an exit code.
struct Failure: Error {
    let exitCode: Int32
    let message: String
    /// The faults of a profile, a line each, which are told instead of the message; empty for any other trouble.
    var diagnostics: [String] = []
    /// The same as JSON has it; empty where the message is all there is.
    var records: [ErrorRecord] = []

    /// Wrong usage, every bad argument included.
    static func usage(_ message: String) -> Failure { Failure(exitCode: 64, message: message) }
    /// Bad input data: what a file or a string of digits holds.
    static func badData(_ message: String) -> Failure { Failure(exitCode: 65, message: message) }
    /// Something that is checked is not so, and was told already.
    static let unmetExpectation = Failure(exitCode: 1, message: "")

    /// Refuses to write over a file that is there, unless that is wanted.
    static func unlessFree(_ path: String, force: Bool) throws(Failure) {
        guard !force, access(path, F_OK) == 0 else { return }
        throw Failure(exitCode: 73, message: "\(path) is there already; --force replaces it, or choose another file")
    }

    init(exitCode: Int32, message: String) {
        self.exitCode = exitCode
        self.message = message
    }

    init?(_ error: any Error) {
        switch error {
        case let failure as Failure: self = failure
        case let error as EmulatorError: self.init(error)
        case let error as PersistenceError: self.init(EmulatorError(error))
        case let error as RadioError: self.init(EmulatorError(error))
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

    private init(_ error: EmulatorError) {
        self.init(exitCode: error.exitCode, message: "\(error)")
        diagnostics = error.diagnostics
        records = ErrorRecord.records(of: error)
    }

    /// The stable code of an error that has none of its own.
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

    /// Its objects on standard output: one for each fault of a profile, else one; none when it was reported already.
    private var objects: [ErrorRecord] {
        guard records.isEmpty else { return records }
        return message.isEmpty ? [] : [ErrorRecord(code: code, message: message, exitCode: exitCode)]
    }

    /// What is said of it: the faults of a profile as compilers write them, else a line that begins with our name.
    private var lines: [String] {
        guard diagnostics.isEmpty else { return diagnostics }
        return message.isEmpty ? [] : ["beaconry: \(message)"]
    }

    /// Reports what is wrong and ends the process.
    /// - Parameter asJSON: whether objects on standard output come with the words on standard error.
    static func exit(with error: any Error, asJSON: Bool = false) -> Never {
        if let trouble = error as? Output.Trouble { Output.end(trouble) }
        if let failure = Failure(error) {
            if asJSON { for record in failure.objects { Output.line(JSONLine.encode(record)) } }
            for line in failure.lines { Output.note(line) }
            Glibc.exit(failure.exitCode)
        }
        let code = Beaconry.exitCode(for: error)
        if code != .failure {
            if asJSON, code == .validationFailure {
                let record = ErrorRecord(
                    code: "usage", message: CommandNames.withoutFarSuggestion(Beaconry.message(for: error)),
                    exitCode: code.rawValue)
                Output.line(JSONLine.encode(record))
            }
            let message = Beaconry.fullMessage(for: error)
            let text = code == .validationFailure ? CommandNames.withoutFarSuggestion(message) : message
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
            if code.isSuccess { Output.lines(lines) } else { lines.forEach(Output.note) }
            Glibc.exit(code.rawValue)
        }
        Output.note("beaconry: internal error: \(error); please report it")
        Glibc.exit(70)
    }
}
