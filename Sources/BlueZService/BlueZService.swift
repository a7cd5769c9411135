// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
package import DBus
package import Radio

/// The service `org.bluez`: adapters whose radios are ours, for programs that use bluetoothd.
///
/// It has `/` with the object manager, `/org/bluez` with the agents, and below it the adapters with their devices. It lives
/// on `ServiceActor`, as all its objects do: a call is handled and answered in one turn, with the signals in the order of
/// the code. What takes time is a task that comes back to the actor. A caller is identified by its unique name; when it
/// leaves the bus, all that it registered or began ends.
@ServiceActor
package final class BlueZService {
    /// The well-known name.
    package nonisolated static let name = "org.bluez"

    /// The connection to the bus.
    package nonisolated let connection: DBusConnection
    let bus: ServiceBus
    let options: BlueZServiceOptions
    let agents: AgentRegistry
    private(set) var adapters: [Adapter] = []
    private var owners: Task<Void, Never>?
    private var isStopped = false

    private init(_ connection: DBusConnection, _ options: BlueZServiceOptions) {
        self.connection = connection
        self.options = options
        bus = ServiceBus(connection, warn: options.warn)
        agents = AgentRegistry(bus: bus)
        agents.defaultChanged = { [weak self] in
            for adapter in self?.adapters ?? [] { adapter.agentChanged() }
        }
    }

    /// Starts the service: connects to the bus, exports all objects, and then claims the name.
    /// - Parameters:
    ///   - bus: the bus.
    ///   - radios: the radios of the adapters `hci0`, `hci1`, …; they remain the caller's.
    /// - Throws: `BlueZServiceError`.
    package static func start(
        on bus: Bus, radios: [AdapterRadio], options: BlueZServiceOptions = BlueZServiceOptions()
    ) async throws(BlueZServiceError) -> BlueZService {
        let connection: DBusConnection
        do throws(DBusError) {
            connection = try await DBusConnection.connect(to: bus, on: ServiceActor.executor)
        } catch {
            throw .bus(error)
        }
        let service = BlueZService(connection, options)
        do throws(BlueZServiceError) {
            try await service.export(radios)
            return service
        } catch {
            await service.stop()
            throw error
        }
    }

    private func export(_ radios: [AdapterRadio]) async throws(BlueZServiceError) {
        do throws(DBusError) {
            // Before anything can be called, so that no caller is missed.
            follow(try await connection.vanishedNames())
        } catch {
            throw .bus(error)
        }
        bus.export(.root, [], isObjectManager: true)
        bus.export("/org/bluez", [agents.interface])
        for (index, radio) in radios.enumerated() {
            let adapter = try await open(radio, index)
            adapters.append(adapter)
            adapter.export()
        }
        let isOwner: Bool
        do throws(DBusError) {
            isOwner = try await connection.requestName(Self.name)
        } catch {
            throw .bus(error)
        }
        guard isOwner else { throw .nameTaken }
    }

    private func open(_ radio: AdapterRadio, _ index: Int) async throws(BlueZServiceError) -> Adapter {
        do throws(RadioError) {
            let capabilities = try await radio.central.openCentral(waits: false)
            let adapter = Adapter(index, radio, address: capabilities.address ?? .zero, of: self)
            await adapter.prepareCentral()
            return adapter
        } catch {
            throw .radio(error)
        }
    }

    private func follow(_ names: AsyncStream<String>) {
        owners = Task { [weak self] in
            for await name in names { self?.ownerVanished(name) }
        }
    }

    private func ownerVanished(_ name: String) {
        agents.ownerVanished(name)
        for adapter in adapters { adapter.ownerVanished(name) }
    }

    /// Waits until the bus has ended, or the service was stopped.
    package func waitUntilClosed() async { await connection.waitUntilClosed() }

    /// Releases the name, ends connections with devices, and closes the connection to the bus.
    package func stop() async {
        guard !isStopped else { return }
        isStopped = true
        try? await connection.releaseName(Self.name)
        for adapter in adapters { await adapter.stop() }
        owners?.cancel()
        bus.unexportTree(.root)
        adapters = []
        await connection.close()
    }
}

/// Why the service cannot start.
package enum BlueZServiceError: Error, Hashable {
    /// The bus cannot be reached, or refuses.
    case bus(DBusError)
    /// Another program has the name.
    case nameTaken
    /// The radio of an adapter is not usable.
    case radio(RadioError)
}

extension BlueZServiceError: CustomStringConvertible {
    /// One sentence: the cause and the hint.
    package var description: String {
        switch self {
        case .bus(let error): error.message
        case .nameTaken:
            "another program on this bus has the name \(BlueZService.name); use a private bus, or stop bluetoothd there"
        case .radio(let error): "\(error)"
        }
    }
}
