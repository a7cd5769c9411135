// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BeaconryTools
import Emulator
import Glibc
import JSON

extension Beaconry {
    /// Reports an error and ends the process with its exit code. Requests for help and the version arrive here, too.
    /// - Parameter format: JSON adds objects on standard output to the text on standard error.
    static func end(with error: any Error, as format: OutputFormat) -> Never {
        if let trouble = error as? Output.Trouble { Output.end(trouble) }
        if let failure = Failure(error) ?? refusedValue(in: error) {
            failure.report(as: format)
            Glibc.exit(failure.exitCode)
        }
        let code = exitCode(for: error)
        guard code != .failure else {
            Output.note("beaconry: internal error: \(error); please report it")
            Glibc.exit(70)
        }
        if format == .json, code == .validationFailure {
            let reason = CommandNames.withoutFarSuggestion(message(for: error))
            Output.line(JSONLine.encode(ErrorRecord(code: "usage", message: reason, exitCode: code.rawValue)))
        }
        let usage = fullMessage(for: error)
        let text = code == .validationFailure ? CommandNames.withoutFarSuggestion(usage) : usage
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
        if code.isSuccess {
            Output.lines(lines + DefaultCommandHelp.lines(for: usage, of: Self.self))
        } else {
            lines.forEach(Output.note)
        }
        Glibc.exit(code.rawValue)
    }

    /// The failure of an option whose value could not be parsed: the option and the reason, without the usage of the command,
    /// which would not help.
    private static func refusedValue(in error: any Error) -> Failure? {
        guard exitCode(for: error) == .validationFailure else { return nil }
        let pattern = /(?s)The value '.*' is invalid for '(--[a-z0-9-]+|<[a-z-]+>)[^']*': (.*)/
        guard let match = message(for: error).wholeMatch(of: pattern) else { return nil }
        return .usage("\(match.1): \(match.2)")
    }
}
