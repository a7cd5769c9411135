// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BeaconryTools
import Bluetooth
import Devices
import Emulator
import RunAPI

// The `ctl` commands that provoke faults.

/// `beaconry ctl disconnect`
struct ControlDisconnect: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "disconnect", abstract: "End connections of a beacon or of a host, with a reason.",
        discussion: """
            Example: beaconry ctl disconnect door --reason supervision-timeout

            The other end gets the reason. With supervision-timeout and mic-failure, which are losses of the link and need \
            the virtual air, both ends get it. On the virtual air the connections of a host can be ended, too, and the peer \
            can be its name there.
            """)
    @Argument(help: "The beacon's id, or on the virtual air the host's name.", completion: .beacons) var name: String
    @Argument(help: "The address of the other end (default: all connections).") var peer: String?
    @Option(help: "The reason that the other end gets.") var reason = DisconnectionReason.remoteUser
    @OptionGroup var options: ControlOptions

    func run() async throws {
        let disconnect = Disconnect {
            $0.target = AirName(name)
            $0.peer = peer
            $0.reason = reason
        }
        try await options.tool.perform(disconnect) { [FaultText.line($0)] }
    }
}

/// `beaconry ctl fail-connections`
struct ControlFailConnections: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fail-connections",
        abstract: "Let the next connections to a beacon fail; the beacon advertises meanwhile.",
        discussion: """
            Example: beaconry ctl fail-connections door 3

            On the virtual air only. With the phase connected, the beacon ends the connection at once; with request, when the \
            first packet of the central arrives; with establishment, the beacon does not answer: the central gets \
            "connection failed to be established", and many hosts request the connection again until their time limit. \
            Without a number, the number that is left is shown.
            """)
    @Argument(help: "The beacon's id.", completion: .beacons) var beacon: String
    @Argument(
        help: "The number of connections, 0 to 1000; 0 ends the fault.",
        transform: OptionValue.wholeNumber(in: ConnectionFault.counts))
    var count: Int?
    @Option(help: "When a connection fails.") var phase = ConnectionFault.Phase.connected
    @Option(help: "The reason that the central gets (default: remote-user).") var reason: DisconnectionReason?
    @OptionGroup var options: ControlOptions

    func run() async throws {
        guard let count else {
            let show = ShowConnectionFault { $0.beacon = BeaconName(beacon) }
            return try await options.tool.perform(show) { [FaultText.line($0)] }
        }
        let fail = FailConnections {
            $0.beacon = BeaconName(beacon)
            $0.count = FailureCount(count)
            $0.phase = phase
            $0.reason = reason
        }
        try await options.tool.perform(fail) { [FaultText.line($0)] }
    }
}

/// `beaconry ctl mute`
struct ControlMute: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mute", abstract: "Block everything that a beacon sends; the beacon is unaware of it.",
        discussion: """
            Example: beaconry ctl mute door --for 10s

            On the virtual air only. Connections are lost after their supervision timeouts; one that is left when the \
            beacon is unmuted continues.
            """)
    @Argument(help: "The beacon's id, or a pattern such as 'shelf-*'.", completion: .beacons) var device: String
    @Option(name: .customLong("for"), help: "Unmute it after this time, such as 10s (default: ctl unmute).")
    var time: String?
    @OptionGroup var options: ControlOptions

    func run() async throws {
        var muting = BeaconChange.Muting.on
        if let time {
            do throws(ValueFault) {
                muting = .during(try ValueText.duration(time))
            } catch {
                throw Failure.usage("--for: \(error.message)")
            }
        }
        try await options.tool.change(device, BeaconChange(muting: muting))
    }
}

/// `beaconry ctl unmute`
struct ControlUnmute: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unmute", abstract: "End the muting of a beacon.", discussion: "Example: beaconry ctl unmute door")
    @Argument(help: "The beacon's id, or a pattern such as 'shelf-*'.", completion: .beacons) var device: String
    @OptionGroup var options: ControlOptions
    func run() async throws { try await options.tool.change(device, BeaconChange(muting: .off)) }
}

/// `beaconry ctl battery`
struct ControlBattery: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "battery", abstract: "Make the battery of a beacon flat, which switches it off, or full again.",
        discussion: """
            Example: beaconry ctl battery door flat

            A beacon with a flat battery is off the air without notice: on the virtual air, centrals lose it after the \
            supervision timeout. The battery level that a device reports is a setting: ctl set door level=5.
            """)
    @Argument(help: "The beacon's id, or a pattern such as 'shelf-*'.", completion: .beacons) var device: String
    @Argument(help: "flat or full.") var state: BatteryState
    @OptionGroup var options: ControlOptions
    func run() async throws { try await options.tool.change(device, BeaconChange(battery: state)) }
}

/// `beaconry ctl radio`
struct ControlRadio: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "radio", abstract: "Remove the radio of all beacons, like an unplugged adapter, or bring it back.",
        discussion: """
            Example: beaconry ctl radio off

            On the virtual air only. Connections and advertising end; with ctl radio on, advertising starts again.
            """)
    @Argument(help: "off or on.") var power: RadioPower
    @OptionGroup var options: ControlOptions
    func run() async throws { try await options.tool.setRadio(power) }
}
