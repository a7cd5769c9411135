// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The help of commands that may be written without a subcommand: ArgumentParser lists the options of the subcommand that is meant
/// only in the help of that one.
enum DefaultCommandHelp {
    /// The arguments and options that a command takes without a subcommand; empty if it takes none, or if the text is no help.
    /// - Parameter help: the help of a command.
    static func lines(for help: String, of root: any ParsableCommand.Type) -> [String] {
        guard let usage = help.firstMatch(of: /USAGE: (.+) <subcommand>/) else { return [] }
        var command: any ParsableCommand.Type = root
        for name in usage.1.split(separator: " ").dropFirst() {
            guard let next = command.configuration.subcommands.first(where: { $0._commandName == name }) else {
                return []
            }
            command = next
        }
        guard let meant = command.configuration.defaultSubcommand else { return [] }
        let whole = root.helpMessage(for: meant).split(separator: "\n", omittingEmptySubsequences: false).map {
            String($0)
        }
        guard let first = whole.firstIndex(where: { ["ARGUMENTS:", "OPTIONS:"].contains($0) }) else { return [] }
        return ["", "WITHOUT A SUBCOMMAND, AS \(usage.1) \(meant._commandName):"] + whole[first...].drop { $0.isEmpty }
    }
}
