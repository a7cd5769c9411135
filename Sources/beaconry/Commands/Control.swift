// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BeaconryTools
import Bluetooth
import Devices
import Emulator
import JSON
import Radio
import RunAPI
import Space

/// `beaconry ctl`
struct Control: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ctl", abstract: "Inspect and change a running `beaconry run`.",
        discussion: """
            Example: beaconry ctl set entrance major=7 interval=200ms
            """,
        subcommands: [
            ControlList.self, ControlShow.self, ControlSet.self, ControlEnable.self, ControlDisable.self,
            ControlAct.self, ControlMove.self, ControlWalk.self, ControlReceiver.self, ControlReceivers.self,
            ControlLinks.self, ControlLink.self, ControlPhysics.self, ControlDisconnect.self,
            ControlFailConnections.self, ControlMute.self,
            ControlUnmute.self,
            ControlBattery.self, ControlRadio.self, ControlBench.self, ControlClock.self, ControlScenario.self,
            ControlCapture.self,
            ControlPut.self, ControlRemove.self, ControlProfile.self, ControlReset.self, ControlReload.self,
            ControlStop.self, ControlVersion.self, ControlEvents.self, ControlJournal.self, ControlWait.self,
            ControlBonds.self, ControlForget.self,
            ControlPair.self,
        ])
}

/// The options of all `ctl` commands.
struct ControlOptions: ParsableArguments {
    @Option(help: "Control socket (default: the one of the profile, or the only one).")
    var control: String?

    @Option(help: "URL instead of the socket: http://HOST:PORT of --http, or unix:PATH of a control socket.")
    var url: String?

    @Option(help: "File with the token of that server (default: none).", completion: .file())
    var httpTokenFile: String?

    @Option(help: "Profile of the run, if several run.")
    var profile: String?

    @OptionGroup var output: OutputOptions

    var tool: ControlTool {
        ControlTool(
            socket: control, url: url, tokenFile: httpTokenFile, profile: profile, format: output.format)
    }
}

/// `beaconry ctl list`
struct ControlList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Show all beacons.", discussion: "Example: beaconry ctl list --json")
    @OptionGroup var options: ControlOptions
    func run() async throws { try await options.tool.list() }
}

/// `beaconry ctl show`
struct ControlShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show one beacon with all its settings.",
        discussion: "Example: beaconry ctl show entrance")
    @Argument(help: "The beacon's id, or a pattern such as 'shelf-*'.", completion: .beacons) var device: String
    @OptionGroup var options: ControlOptions
    func run() async throws {
        try await options.tool.show(device)
    }
}

/// `beaconry ctl set`
struct ControlSet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Change settings of a beacon, all or none.",
        discussion: """
            Example: beaconry ctl set entrance uuid=E2C56DB5-DFFB-48D2-B060-D0F5A71096E0 minor=3 tx-power=-6dBm

            Settings: label, a name for people, also of a receiver; \(BeaconText.commonSettings); and the named characteristics of a device, such as level=80. The value auto resumes the simulation of a characteristic that changes by itself. `ctl show` \
            lists the settings of a beacon.
            """)
    @Argument(help: "The beacon's id, or a pattern such as 'shelf-*'.", completion: .beacons) var device: String
    @Argument(help: "Settings as KEY=VALUE.") var settings: [String]
    @OptionGroup var options: ControlOptions

    func run() async throws {
        var values: [String: String] = [:]
        for setting in settings {
            let parts = setting.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty else {
                throw Failure.usage("\"\(setting)\" is not a setting; write KEY=VALUE, such as major=7")
            }
            guard values.updateValue(String(parts[1]), forKey: String(parts[0])) == nil else {
                throw Failure.usage("\(parts[0]) is given twice; leave one out")
            }
        }
        let keys = Set(values.keys)
        try await options.tool.change(device, showing: keys, BeaconChange(settings: values))
    }
}

/// `beaconry ctl enable`
struct ControlEnable: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enable", abstract: "Switch a beacon on.", discussion: "Example: beaconry ctl enable entrance")
    @Argument(help: "The beacon's id, or a pattern such as 'shelf-*'.", completion: .beacons) var device: String
    @OptionGroup var options: ControlOptions
    func run() async throws { try await options.tool.change(device, BeaconChange(isEnabled: true)) }
}

/// `beaconry ctl disable`
struct ControlDisable: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "disable", abstract: "Switch a beacon off, as if its battery were removed.",
        discussion: "Example: beaconry ctl disable entrance")
    @Argument(help: "The beacon's id, or a pattern such as 'shelf-*'.", completion: .beacons) var device: String
    @OptionGroup var options: ControlOptions
    func run() async throws { try await options.tool.change(device, BeaconChange(isEnabled: false)) }
}

/// `beaconry ctl act`
struct ControlAct: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "act", abstract: "Perform an action on a phone's notification, from a notification display.",
        discussion: """
            Example: beaconry ctl act bob positive 7

            The number is the uid of an event of the current session. The event action-performed or action-failed reports \
            the result.
            """)
    @Argument(help: "The display's id.") var device: String
    @Argument(help: "positive or negative.") var action: String
    @Argument(help: "The notification's number.") var notification: String
    @OptionGroup var options: ControlOptions

    func run() async throws {
        let command = PerformCommand {
            $0.beacon = BeaconName(device)
            $0.command = "act"
            $0.arguments = ["action": action, "notification": notification]
        }
        try await options.tool.perform(command) { [BeaconText.headline($0)] }
    }
}

/// `beaconry ctl move`
struct ControlMove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "move", abstract: "Move a beacon or a host on the virtual air, and end its movement.",
        discussion: """
            Example: beaconry ctl move phone 3 0

            The hosts of a receiver that connect later are there as well. The name of a host is the id of its receiver in the profile or the name after ?name= in --hci-server, else \
            host, host-2, and so on.
            """)
    @Argument(help: "The beacon's id, or the name of the host or receiver.", completion: .beacons) var name: String
    @Argument(
        parsing: .allUnrecognized,
        help: ArgumentHelp("X, Y and, if not 0, the height in metres.", valueName: "metres"))
    var metres: [String]
    @OptionGroup var options: ControlOptions

    func run() async throws {
        let move = try Move {
            $0.target = AirName(name)
            $0.position = try PositionArgument.parse(metres.joined(separator: ","))
        }
        try await options.tool.perform(move) { [LinkText.line($0)] }
    }
}

/// `beaconry ctl physics`
struct ControlPhysics: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "physics", abstract: "Show or change the physics of the virtual air.",
        discussion: """
            Example: beaconry ctl physics hall

            From then on, until another change, a reset, or a reload of a profile whose physics have changed; the walls stay. \
            With the same seed, the same changes at the same virtual times have the same result.
            """)
    @Argument(
        help: ArgumentHelp(
            "\(Propagation.environments.map(\.name).joined(separator: ", ")) or off, or the keys of physics in profiles, such as "
                + "'{ preset: hall, exponent: 1.8 }' (default: show the present ones).", valueName: "physics"),
        completion: .list(Propagation.environments.map(\.name) + ["off"]))
    var physics: String?
    @OptionGroup var options: ControlOptions

    func run() async throws {
        guard let physics else { return try await options.tool.perform(ShowAir(), lines: AirText.lines) }
        try await options.tool.perform(ChangePhysics { $0.model = Document(physics) }, lines: AirText.lines)
    }
}

/// `beaconry ctl receivers`
struct ControlReceivers: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "receivers", abstract: "Show the hosts on the virtual air, with their positions and scans.",
        discussion: "Example: beaconry ctl receivers --json")
    @OptionGroup var options: ControlOptions
    func run() async throws { try await options.tool.listHosts() }
}

/// `beaconry ctl links`
struct ControlLinks: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "links", abstract: "Show distance, RSSI and loss from each beacon to each host that scans.",
        discussion: """
            Example: beaconry ctl links --json

            On the virtual air only. MEAN RSSI is without shadowing, fading and noise.
            """)
    @OptionGroup var options: ControlOptions
    func run() async throws { try await options.tool.perform(ListLinks(), list: LinkText.list) }
}

/// `beaconry ctl link`
struct ControlLink: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "link", abstract: "Override RSSI or loss between a beacon and a host on the virtual air.",
        discussion: """
            Example: beaconry ctl link entrance phone --loss 20 --for 10s

            In both directions, until --reset, until the time is over, or until one of them leaves the air. It replaces \
            an earlier override. Advertising and connecting are affected; existing connections are not.
            """)
    @Argument(help: "The beacon's id, as in links.", completion: .beacons) var device: String
    @Argument(help: "The host's name, as in links.") var receiver: String

    @Option(parsing: .unconditional, help: "RSSI of all packets in dBm, whatever the distance (default: the model's).")
    var rssi: String?

    @Option(parsing: .unconditional, help: "Loss in dB in addition to the model's (default: 0).")
    var loss: String?

    @Option(parsing: .unconditional, help: "Percentage of packets that are lost in addition (default: 0).")
    var packetLoss: String?

    @Flag(help: "Lose all packets.") var blocked = false

    @Option(name: .customLong("for"), help: "Time until the override ends, such as 10s (default: no limit).")
    var time: String?

    @Flag(help: "Remove the override.") var reset = false

    @OptionGroup var options: ControlOptions

    func run() async throws {
        let texts: [LinkOverride.Key: String?] = [
            .rssi: rssi, .loss: loss, .packetLoss: packetLoss, .blocked: blocked ? "true" : nil, .duration: time,
        ]
        let values = texts.compactMapValues(\.self)
        guard values.isEmpty == reset else {
            throw Failure.usage(
                reset
                    ? "--reset removes the override; leave the other options out"
                    : "give --rssi, --loss, --packet-loss or --blocked, or --reset to remove the override")
        }
        do throws(ValueFault) {
            _ = try LinkOverride(values)
        } catch {
            throw Failure.usage("\(error.message)")
        }
        if reset { return try await options.tool.resetLink(from: device, to: receiver) }
        let change = OverrideLink {
            $0.from = AirName(device)
            $0.to = AirName(receiver)
            $0.rssi = rssi.map(SettingText.init)
            $0.loss = loss.map(SettingText.init)
            $0.packetLoss = packetLoss.map(SettingText.init)
            $0.isBlocked = blocked ? SettingText("true") : nil
            $0.duration = time.map(SettingText.init)
        }
        try await options.tool.perform(change) { [LinkText.line($0)] }
    }
}

/// `beaconry ctl reload`
struct ControlReload: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reload", abstract: "Read the profiles again.",
        discussion: """
            Example: beaconry ctl reload

            Environment variables in profiles have the values of the start of the run; another value needs another start.
            """)
    @OptionGroup var options: ControlOptions
    func run() async throws { try await options.tool.reload(Reload()) }
}

/// `beaconry ctl reset`
struct ControlReset: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset", abstract: "Start all over, as between two tests, or restore the settings of a beacon.",
        discussion: """
            Example: beaconry ctl reset
            Example: beaconry ctl reset door

            The profiles are read again, and every beacon starts with the settings of its profile: without saved \
            settings, bonds, connections and faults. Receivers that were added are removed, and the journal is empty.

            With a beacon, only its saved settings are removed, and it starts again with those of its profile.
            """)
    @Argument(help: "The beacon's id, or a pattern such as 'shelf-*' (default: the run).", completion: .beacons)
    var device: String?
    @OptionGroup var options: ControlOptions
    func run() async throws { try await options.tool.reset(device) }
}

/// `beaconry ctl version`
struct ControlVersion: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "version", abstract: "Show the version of the program that runs, and hashes of its profiles.",
        discussion: """
            Example: beaconry ctl version --url http://pi-3.local:8080

            Machines with the same files have the same hash of the files. The hash of what is in effect is that of the profile \
            after variables, --only and the changes of clients.
            """)
    @OptionGroup var options: ControlOptions
    func run() async throws { try await options.tool.printVersions() }
}

/// `beaconry ctl profile`
struct ControlProfile: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "profile", abstract: "Print the profile in use, with all changes of put and remove.",
        discussion: "Example: beaconry ctl profile > now.yaml")
    @OptionGroup var options: ControlOptions
    func run() async throws { try await options.tool.printProfile() }
}

/// `beaconry ctl put`
struct ControlPut: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "put", abstract: "Add a beacon, or replace one, until the next reload.",
        discussion: """
            Example: beaconry ctl put sign '{ device: beacon, format: eddystone-url, url: https://example.com }'
            Example: beaconry ctl put sign sign.yaml

            The keys are the same as in an entry of beacons in a profile, in YAML or JSON.
            """)
    @Argument(help: "The beacon's id.", completion: .beacons) var device: String
    @Argument(help: "The entry, its file, or - for standard input.", completion: .file()) var entry: String
    @OptionGroup var options: ControlOptions
    func run() async throws { try await options.tool.put(device, entry: entry) }
}

/// `beaconry ctl remove`
struct ControlRemove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a beacon, until the next reload.",
        discussion: "Example: beaconry ctl remove sign")
    @Argument(help: "The beacon's id, or a pattern such as 'shelf-*'.", completion: .beacons) var device: String
    @OptionGroup var options: ControlOptions
    func run() async throws { try await options.tool.remove(device) }
}

/// `beaconry ctl events`
struct ControlEvents: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "events", abstract: "Print events until the run ends.",
        discussion: "Example: beaconry ctl events --json")
    @OptionGroup var options: ControlOptions
    func run() async throws { try await options.tool.printEvents() }
}

/// `beaconry ctl stop`
struct ControlStop: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop", abstract: "End the run, as Ctrl-C does, and wait for its end.",
        discussion: "Example: beaconry ctl stop")
    @OptionGroup var options: ControlOptions
    func run() async throws { try await options.tool.stop() }
}

/// `beaconry ctl bonds`
struct ControlBonds: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bonds", abstract: "List the bonds of the beacons.",
        discussion: "Example: beaconry ctl bonds entrance")
    @Argument(help: "The beacon's id (default: all beacons).", completion: .beacons) var device: String?
    @OptionGroup var options: ControlOptions
    func run() async throws {
        try await options.tool.perform(ListBonds { $0.beacon = device.map(BeaconName.init) }) { $0.map(BondText.line) }
    }
}

/// `beaconry ctl forget`
struct ControlForget: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget", abstract: "Delete bonds of a beacon.",
        discussion: """
            Example: beaconry ctl forget entrance C0:FF:EE:00:00:02

            The peer keeps its keys, which no longer work: it must forget the beacon, too, and pair again.
            """)
    @Argument(help: "The beacon's id.", completion: .beacons) var device: String
    @Argument(help: "The peer's address as in bonds (default: all peers).") var peer: String?
    @OptionGroup var options: ControlOptions
    func run() async throws {
        let forget = try ForgetBonds { bonds throws(Failure) in
            bonds.beacon = BeaconName(device)
            guard let peer else { return }
            guard let address = BluetoothAddress(peer) else {
                throw .badData("\"\(peer)\" is not an address; see bonds for those known")
            }
            bonds.peer = BondPeer(address)
        }
        try await options.tool.forget(forget)
    }
}

/// `beaconry ctl pair`
struct ControlPair: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pair",
        abstract: "Answer a question of a pairing, or request pairing with the connected centrals.",
        discussion: """
            Example: beaconry ctl pair entrance 123456

            Answers: accept or reject if numbers are compared (event comparison-wanted), six digits if a passkey is \
            requested (passkey-wanted), cancel at any time. Without an answer, the beacon requests pairing with its \
            connected centrals.
            """)
    @Argument(help: "The beacon's id.", completion: .beacons) var device: String
    @Argument(help: "accept, reject, cancel, or six digits.") var answer: String?
    @OptionGroup var options: ControlOptions
    func run() async throws {
        guard let answer else {
            return try await options.tool.perform(RequestPairing { $0.beacon = BeaconName(device) })
        }
        let answering = try AnswerPairing { pairing throws(Failure) in
            pairing.beacon = BeaconName(device)
            do throws(ValueFault) {
                pairing.answer = try PairingAnswer(json: .text(answer))
            } catch {
                throw .badData("\"\(answer)\" is not an answer; write accept, reject, cancel or six digits")
            }
        }
        try await options.tool.perform(answering)
    }
}
