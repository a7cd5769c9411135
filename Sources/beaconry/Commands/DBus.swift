// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BeaconryTools
import BlueZService
import Bluetooth
import Devices
import Emulator
import Glibc
import Profiles
import Space

/// `beaconry dbus`
struct DBus: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dbus",
        abstract: "Run a command that finds the beacons of profiles through BlueZ's D-Bus interface.",
        usage: "beaconry dbus [<profiles> ...] [<options>] [-- <command> ...]",
        discussion: """
            Example: beaconry dbus profiles/museum.yaml -- bluetoothctl --timeout 5 scan on

            The command gets a bus of its own with the service org.bluez, whose adapters are on the virtual air with the \
            beacons. Standard output is the command's; warnings go to standard error, and beaconry ctl events has all \
            events. Without a command, the address of the bus is printed for other shells, and the run continues until Ctrl-C.

            The exit code is the exit code of the command (after a signal, 128 plus the number of the signal), 126 if \
            the command cannot be executed and 127 if there is no command of this name.
            """)

    @Argument(help: "Profiles, in YAML (default: an air without beacons).", completion: .file())
    var profiles: [String] = []

    @Option(
        help: "Number of adapters: hci0, hci1 and so on (default: 1, or the number of addresses or positions).",
        transform: OptionValue.wholeNumber(in: 1...DBus.adapterLimit))
    var adapters: Int?

    @Option(
        help: """
            Public address of an adapter, such as 00:AA:01:00:00:00; for several adapters repeated (default: derived from the \
            name of the adapter, the same in every run).
            """,
        transform: DBus.adapterAddress)
    var adapterAddress: [BluetoothAddress] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help:
            "Position of an adapter in metres, such as 2,3.5; for several adapters repeated (default: 1 m from all beacons).",
        transform: ValueText.position)
    var adapterAt: [Position] = []

    @Option(
        help: "Bus of the service: private, system, or an address such as unix:path=/tmp/bus (default: private).",
        transform: DBus.busChoice)
    var bus: BlueZRun.BusChoice?

    @Option(
        help: """
            Least change of the RSSI that is signalled, in dB; 0 signals each packet that is received (default as in BlueZ: \
            0 while any discovery has a filter, else 8).
            """,
        transform: OptionValue.wholeNumber(in: 0...127))
    var rssiThreshold: Int?

    @Option(
        help: """
            Time after which a device is removed that is not received any more and not connected, such as 30s; 0s never \
            (default: 30s, as in BlueZ).
            """,
        transform: ValueText.duration)
    var temporaryTimeout: Duration?

    @OptionGroup var options: RunOptions

    @OptionGroup var state: StateOptions

    @Argument(parsing: .postTerminator, help: "Command and its arguments, after --.")
    var command: [String] = []

    private static let adapterLimit = 16

    func run() async throws {
        let folder = try state.folder()
        let paths = profiles
        let loaded = try Self.load(paths)
        let configuration = try options.configuration(
            profiles: loaded, state: folder, resets: state.resets
        ) { () throws(ProfileFaults) in try Self.load(paths) }
        let control = options.controlPlace
        let service = BlueZRun(settings(controlPath: control.paths(of: loaded).first))
        try await Running(
            options: options, configuration: configuration, control: control, service: service
        ).run()
        let code = await service.exitCode
        // The command has reported its errors itself.
        if code != 0 { throw Failure(exitCode: code, message: "") }
    }

    /// The profiles; without any, one without beacons, whose control socket no other run has.
    private static func load(_ paths: [String]) throws(ProfileFaults) -> [Profile] {
        paths.isEmpty ? [Profile(name: "dbus-\(getpid())", beacons: [])] : try ProfileFiles.load(paths)
    }

    private func settings(controlPath: String?) -> BlueZRun.Settings {
        let count = adapters ?? max(1, adapterAddress.count, adapterAt.count)
        let adapters = (0..<count).map { number in
            BlueZRun.Adapter(
                address: number < adapterAddress.count ? adapterAddress[number] : nil,
                position: number < adapterAt.count ? adapterAt[number] : nil)
        }
        let isJSON = options.writesJSON
        var service = BlueZServiceOptions(warn: { Output.note("warning: \($0)") })
        if let rssiThreshold { service.rssiThreshold = rssiThreshold }
        if let temporaryTimeout { service.temporaryTimeout = temporaryTimeout == .zero ? nil : temporaryTimeout }
        return BlueZRun.Settings(
            adapters: adapters, bus: bus ?? .ownBus, service: service, command: command,
            environment: controlPath.map { [EnvironmentVariable.control.name: $0] } ?? [:],
            announce: { address in Output.report(BusReport(address: address), as: isJSON ? .json : .text) })
    }

    private static func adapterAddress(_ text: String) throws(ValueFault) -> BluetoothAddress {
        let address = try ValueText.address(text)
        guard address.isOfDevice else {
            throw ValueFault("\"\(text)\" is not the address of an adapter; write one such as 00:AA:01:00:00:00")
        }
        return address
    }

    private static func busChoice(_ text: String) throws(ValueFault) -> BlueZRun.BusChoice {
        switch text {
        case "private": return .ownBus
        case "system": return .system
        case _ where text.contains(":") && !text.hasPrefix(":"): return .address(text)
        default:
            throw ValueFault(
                "\"\(text)\" is not private, system, or an address such as unix:path=/run/dbus/system_bus_socket")
        }
    }

    func validate() throws {
        guard adapterAddress.count <= Self.adapterLimit, adapterAt.count <= Self.adapterLimit else {
            throw ValidationError("There can be \(Self.adapterLimit) adapters at most.")
        }
        if let adapters, max(adapterAddress.count, adapterAt.count) > adapters {
            throw ValidationError("There are more addresses or positions than --adapters.")
        }
        guard Set(adapterAddress).count == adapterAddress.count else {
            throw ValidationError("Two adapters have the same --adapter-address.")
        }
    }
}
