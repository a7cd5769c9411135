// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import DBus

/// Answers bluetoothd's questions while devices pair: an object on the bus.
struct BlueZAgent: Sendable {
    static let interface = "org.bluez.Agent1"
    private static let manager = "org.bluez.AgentManager1"
    private static let managerPath: ObjectPath = "/org/bluez"

    let daemon: BlueZDaemon
    let path: ObjectPath
    let settings: PairingSettings
    let responder: AgentResponder

    /// Puts the agent on the bus and tells bluetoothd of it.
    /// - Parameter isDefault: whether it is asked for pairings that others begin.
    /// - Throws: `DBusError`, the daemon's or the bus's.
    func register(isDefault: Bool) async throws(DBusError) {
        try await daemon.connection.export(
            ExportedObject(
                path: path, interfaces: [ExportedInterface(Self.interface, methods: responder.methods)],
                isConcurrent: true))
        _ = try await daemon.call(
            Self.managerPath, Self.manager, "RegisterAgent",
            [.objectPath(path), .string(settings.inputOutput.agentCapability)], timeout: .seconds(5))
        guard isDefault else { return }
        _ = try await daemon.call(
            Self.managerPath, Self.manager, "RequestDefaultAgent", [.objectPath(path)], timeout: .seconds(5))
    }

    /// Takes the agent off the bus.
    func unregister() async {
        // A daemon that is gone leaves nothing to do.
        _ = try? await daemon.call(
            Self.managerPath, Self.manager, "UnregisterAgent", [.objectPath(path)], timeout: .seconds(5))
        await daemon.connection.unexport(path)
    }
}

extension PairingSettings.InputOutput {
    /// The capability's name in org.bluez.AgentManager.
    var agentCapability: String {
        switch self {
        case .none: "NoInputNoOutput"
        case .display: "DisplayOnly"
        case .displayYesNo: "DisplayYesNo"
        case .keyboard: "KeyboardOnly"
        case .keyboardDisplay: "KeyboardDisplay"
        }
    }
}
