// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BeaconryTools
import Devices

/// A command without positional arguments: a name in front of its options is the misspelled name of a command.
protocol OptionsOnlyCommand: ParsableCommand {}

/// Checks the names of commands before ArgumentParser does: for an unknown command, it reports the options that follow
/// instead of the command.
enum CommandNames {
    /// Throws if one of the commands at the beginning of the arguments does not exist.
    /// - Throws: `Failure` that lists the existing commands.
    static func check(_ arguments: [String], of root: any ParsableCommand.Type) throws(Failure) {
        var rest = arguments[...]
        var command: any ParsableCommand.Type = root
        var path = root._commandName
        if let first = rest.first, ["version", "-v", "-V"].contains(first) {
            let kind = first.hasPrefix("-") ? "option" : "command"
            throw .usage("there is no \(kind) \"\(first)\"; write \(path) --version")
        }
        if rest.first == "help" { rest.removeFirst() }
        while let name = rest.popFirst(), !name.hasPrefix("-") {
            let commands = command.configuration.subcommands
            guard !commands.isEmpty else { return }
            guard let next = commands.first(where: { $0._commandName == name }) else {
                // The name may be an argument of the default command.
                if let known = command.configuration.defaultSubcommand, !(known is any OptionsOnlyCommand.Type) {
                    return
                }
                throw unknown(name, of: path, among: commands.map { $0._commandName })
            }
            command = next
            path += " \(name)"
        }
    }

    private static func unknown(_ name: String, of path: String, among names: [String]) -> Failure {
        let question = Spelling.question(name, among: names)
        return .usage(
            "there is no command \"\(path) \(name)\"\(question)\(question.isEmpty ? ";" : "") commands are "
                + "\(names.joined(separator: ", "))")
    }

    /// A message of ArgumentParser without the suggestion of an option that is not similar to the one typed.
    static func withoutFarSuggestion(_ message: String) -> String {
        let pattern = /Unknown option '(-*[^']*)'\.( Did you mean '(-*[^']*)'\?)/
        guard let match = message.firstMatch(of: pattern),
            Spelling.closest(to: String(match.1), among: [String(match.3)]) == nil
        else { return message }
        var text = message
        text.removeSubrange(match.2.startIndex..<match.2.endIndex)
        return text
    }
}
