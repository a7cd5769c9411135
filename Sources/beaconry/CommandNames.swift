// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Profiles

/// The names of commands on the command line, looked at before anything else is.
///
/// Where a command is unknown, ArgumentParser complains about the options that come with it.
enum CommandNames {
    /// Fails when the arguments begin with commands of which one does not exist.
    /// - Throws: `Failure` with the commands that exist.
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
                guard command.configuration.defaultSubcommand == nil else { return }
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

    /// A message of ArgumentParser without the suggestion of an option that is not like the one that was typed.
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
