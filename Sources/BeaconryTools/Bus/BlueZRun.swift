// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BlueZService
package import Bluetooth
import DBus
import Glibc
import HCIRadio
package import Radio
package import Space
package import UnixSignals

/// The service `org.bluez` beside a run on a virtual air, and the command that uses it.
///
/// `start`, before the run, starts the bus, a host on the air for each adapter, and the service with its name. `run`,
/// when all beacons are on the air, runs the command, and the run ends with the command. Call `stop` after the run.
package actor BlueZRun {
    /// An adapter.
    package struct Adapter: Hashable, Sendable {
        /// The public address; `nil` for one that is derived from the name of the adapter.
        package var address: BluetoothAddress?
        /// The position; `nil` is 1 m from every beacon.
        package var position: Position?

        /// An adapter.
        package init(address: BluetoothAddress? = nil, position: Position? = nil) {
            self.address = address
            self.position = position
        }
    }

    /// The bus of the service.
    package enum BusChoice: Hashable, Sendable {
        /// A bus of its own, in a temporary folder.
        case ownBus
        /// The system bus of the machine.
        case system
        /// The bus at an address.
        case address(String)
    }

    /// The settings.
    package struct Settings: Sendable {
        /// The adapters `hci0`, `hci1`, …
        package var adapters: [Adapter]
        /// The bus.
        package var bus: BusChoice
        /// The settings of the service.
        package var service: BlueZServiceOptions
        /// The command; empty for none.
        package var command: [String]
        /// The variables of the command, apart from the address of the bus.
        package var environment: [String: String]
        /// Prints the address of the bus, if there is no command.
        package var announce: @Sendable (String) -> Void

        /// Settings.
        package init(
            adapters: [Adapter], bus: BusChoice, service: BlueZServiceOptions, command: [String],
            environment: [String: String], announce: @escaping @Sendable (String) -> Void
        ) {
            self.adapters = adapters
            self.bus = bus
            self.service = service
            self.command = command
            self.environment = environment
            self.announce = announce
        }
    }

    private nonisolated let settings: Settings
    private var ownBus: PrivateBus?
    private var address: String?
    private var service: BlueZService?
    private var signals: UnixSignalsSequence?
    /// The exit code of the command, when it has ended.
    package private(set) var exitCode: Int32 = 0

    /// Makes a service that has not started.
    package init(_ settings: Settings) {
        self.settings = settings
    }

    /// Whether signals that end a run go to the command instead.
    package nonisolated var handlesSignals: Bool { !settings.command.isEmpty }

    /// Starts the bus, the adapters and the service.
    /// - Parameter signals: SIGINT and SIGTERM of this process, which go to the command if there is one.
    /// - Throws: `Failure`, or `RadioError` of the air.
    package func start(on radio: any PeripheralRadio, signals: UnixSignalsSequence) async throws {
        guard let radio = radio as? VirtualAirRadio else {
            throw Failure.usage("beaconry dbus needs the virtual air: --radio virtual")
        }
        if handlesSignals { self.signals = signals }
        async let bus = openBus()
        var radios: [AdapterRadio] = []
        for (number, adapter) in settings.adapters.enumerated() {
            var host = AirHost(
                "hci\(number)", address: adapter.address, motion: adapter.position.map(Motion.rest), service: "dbus")
            host.hasOneIdentity = true
            radios.append(AdapterRadio(try await radio.addHost(host)))
        }
        let chosen = try await bus
        do throws(BlueZServiceError) {
            service = try await BlueZService.start(on: chosen, radios: radios, options: settings.service)
        } catch {
            throw Failure(exitCode: 69, message: "\(error)")
        }
    }

    private func openBus() async throws(Failure) -> Bus {
        switch settings.bus {
        case .system: return .system
        case .address(let address):
            self.address = address
            return .address(address)
        case .ownBus:
            let bus = try await PrivateBus.start()
            ownBus = bus
            address = bus.address
            return .address(bus.address)
        }
    }

    /// Runs the command until it ends; without one, announces the bus and waits until the task is cancelled.
    /// - Throws: `Failure` if the command cannot be started, or if the bus ends.
    package func run() async throws {
        guard let service else { return }
        let child = settings.command.isEmpty ? nil : ChildCommand(settings.command)
        var variables = settings.environment
        if let address { variables["DBUS_SYSTEM_BUS_ADDRESS"] = address }
        if child == nil, let address { settings.announce(address) }
        let (environment, signals) = (variables, signals)
        // A task without an exit code has ended because all are being ended.
        exitCode = try await withThrowingTaskGroup(of: Int32?.self) { group in
            group.addTask {
                await service.waitUntilClosed()
                guard !Task.isCancelled else { return nil }
                throw Failure(exitCode: 74, message: "the bus has ended, and the service with it; start again")
            }
            if let child {
                group.addTask { try await child.run(environment: environment) }
                if let signals { group.addTask { await Self.forward(signals, to: child) } }
            }
            defer { group.cancelAll() }
            for try await code in group {
                if let code { return code }
            }
            return 0
        }
    }

    /// Sends the signals of this process to the command.
    /// - Returns: the exit code after a signal that arrives while there is no command.
    private static func forward(_ signals: UnixSignalsSequence, to child: ChildCommand) async -> Int32? {
        for await signal in signals {
            let number = signal == .sigint ? SIGINT : SIGTERM
            // The terminal has sent it to the command already.
            if signal == .sigint, ChildCommand.sharesTerminal { continue }
            if !child.send(number) { return 128 + number }
        }
        return nil
    }

    /// Ends the service and its bus.
    package func stop() async {
        await service?.stop()
        service = nil
        await ownBus?.stop()
        ownBus = nil
    }
}
