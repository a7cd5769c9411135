// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BeaconryTools
import Bluetooth
import Devices
import Emulator
import JSON
import RunAPI
import Space

/// `beaconry ctl receiver`
struct ControlReceiver: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "receiver", abstract: "Add, follow and remove receivers.",
        discussion: """
            Example: beaconry ctl receiver listen phone 9 0

            A receiver scans within the run, as a phone does (listen); or it is a server with a name and a position, where a \
            host of another process gets a controller (add: HCI, H4 over TCP). The receivers of the profile and the \
            servers of --hci-server are there from the start to the end of the run.
            """,
        subcommands: [
            ControlReceiverListen.self, ControlReceiverChange.self, ControlReceiverBeacons.self,
            ControlReceiverMonitor.self,
            ControlReceiverUnmonitor.self, ControlReceiverRegions.self, ControlReceiverFollow.self,
            ControlReceiverConnect.self, ControlReceiverDisconnect.self, ControlReceiverConnections.self,
            ControlReceiverServices.self, ControlReceiverRead.self, ControlReceiverWrite.self,
            ControlReceiverNotifications.self, ControlReceiverUnsubscribe.self,
            ControlReceiverAdd.self,
            ControlReceiverRemove.self, ControlReceiverList.self,
        ])
}

/// `beaconry ctl receiver add`
struct ControlReceiverAdd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a receiver with a server at a free port of 127.0.0.1.",
        discussion: """
            Example: beaconry ctl receiver add phone 9 0 --json

            The answer has the port. In virtual time there are no receivers for other processes.
            """)
    @Argument(help: "The receiver's name.") var name: String
    @Argument(
        parsing: .allUnrecognized,
        help: ArgumentHelp(
            "X, Y and, if not 0, the height in metres (default: 1 m from every beacon).", valueName: "metres"))
    var metres: [String] = []
    @OptionGroup var options: ControlOptions

    func run() async throws {
        let add = try AddReceiver {
            $0.receiver = try NewName(json: .text(name))
            $0.position = metres.isEmpty ? nil : try PositionArgument.parse(metres.joined(separator: ","))
        }
        try await options.tool.perform(add) { LinkText.listServers([$0]) }
    }
}

/// `beaconry ctl receiver remove`
struct ControlReceiverRemove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a receiver that was added, with its hosts.",
        discussion: "Example: beaconry ctl receiver remove phone")
    @Argument(help: "The receiver's name.") var name: String
    @OptionGroup var options: ControlOptions
    func run() async throws {
        try await options.tool.perform(RemoveReceiver { $0.receiver = AirName(name) }) {
            $0.server == nil ? LinkText.listListeners([$0]) : LinkText.listServers([$0])
        }
    }
}

/// `beaconry ctl receiver list`
struct ControlReceiverList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Show the servers of receivers, with their positions and hosts.",
        discussion: "Example: beaconry ctl receiver list --json")
    @OptionGroup var options: ControlOptions
    func run() async throws { try await options.tool.listServers() }
}

/// `beaconry ctl walk`
struct ControlWalk: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "walk", abstract: "Move a beacon or a host on the virtual air along a path, from now on.",
        discussion: """
            Example: beaconry ctl walk phone 9,0 1,0 --over 20s

            It begins at the first position, has one speed, stays at the last position, and ends an earlier movement. The \
            command does not wait for its end.
            """)
    @Argument(help: "The beacon's id, or the name of the host or receiver.", completion: .beacons) var name: String
    @Argument(
        parsing: .allUnrecognized,
        help: ArgumentHelp("Two or more positions in metres: X,Y or X,Y,HEIGHT.", valueName: "positions"))
    var positions: [String]
    @Option(help: "Duration of the walk, such as 20s.") var over: String
    @OptionGroup var options: ControlOptions

    func run() async throws {
        guard positions.count > 1 else {
            throw Failure.usage("a walk needs two positions or more, such as 9,0 1,0")
        }
        var walk = Walk { $0.target = AirName(name) }
        walk.path = WalkPath(try positions.map(PositionArgument.parse))
        do throws(ValueFault) {
            walk.time = try ValueText.duration(over)
        } catch {
            throw Failure.usage(error.message)
        }
        try await options.tool.perform(walk) { [LinkText.line($0)] }
    }
}

/// A position among the arguments of a command.
enum PositionArgument {
    /// The position of a text.
    /// - Throws: `Failure` for another text.
    static func parse(_ text: String) throws(Failure) -> Position {
        do throws(ValueFault) {
            return try ValueText.position(text)
        } catch {
            throw Failure.usage(error.message)
        }
    }
}
