// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI

/// What a controller does beside advertising, and the advertising commands that it refuses meanwhile, as the monitor
/// channel shows them.
///
/// An obstacle begins with a refused command. The obstacle of a scan, a connection attempt or connections ends when
/// the scan, the attempt or the connections end (the obstacle of a scan also when the controller takes a random
/// address); any other obstacle ends with the next command that enables advertising. HCI Reset ends all obstacles.
/// While an obstacle exists, the kernel goes on with its turns, and the controller may refuse each turn again.
struct ControllerActivity {
    /// Why a controller refuses to advertise.
    enum Obstacle: Hashable {
        /// A scan: a legacy controller takes no new random address meanwhile (Core 5.4, Vol 4, Part E, 7.8.4).
        case scan(Scan)
        /// A connection that another program of this machine initiates.
        case connectionAttempt
        /// A connection: a controller need not advertise beside it (LE Read Supported States).
        case connection
        /// Nothing that the monitor channel shows.
        case unknown(HCIOpcode, HCIStatus)
    }

    /// The originator of a scan.
    enum Scan: Hashable {
        /// A program: an active scan (Linux, Start Discovery of the management interface).
        case program
        /// The kernel: a passive scan for devices that it connects to when they appear, or for the advertisement monitors of
        /// programs (Linux, `hci_update_passive_scan`).
        case kernel
    }

    /// The obstacle; `nil` while the controller takes all commands.
    private(set) var obstacle: Obstacle?
    /// The number of HCI Resets that completed.
    private(set) var resetCount = 0
    /// Whether bluetoothd reports that a program scans with the adapter.
    private var isDiscovering = false
    private var isScanning = false
    private var scanType: ScanType?
    private var isInitiating = false
    /// The handles of connections, and whether this host is their peripheral.
    private var connections: [UInt16: Bool] = [:]

    /// Whether a central is connected.
    var hasCentral: Bool { connections.values.contains(true) }

    /// The commands whose refusal keeps an advertisement off the air.
    private static let advertisingCommands: Set<HCIOpcode> = [
        LESetRandomAddress.opcode, LESetAdvertisingParameters.opcode, LESetAdvertisingData.opcode,
        LESetScanResponseData.opcode, LESetAdvertisingEnable.opcode, LESetAdvertisingSetRandomAddress.opcode,
        LESetExtendedAdvertisingParameters.opcode, LESetExtendedAdvertisingData.opcode,
        LESetExtendedScanResponseData.opcode, LESetExtendedAdvertisingEnable.opcode,
    ]

    /// Takes one packet of the controller.
    /// - Parameter completion: the command that it completes, or whose start it reports; `nil` for none.
    /// - Returns: whether the obstacle, the connections or the number of resets changed.
    mutating func observe(_ packet: MonitorPacket, _ completion: MonitoredCommands.Completion?) -> Bool {
        let before = (obstacle, hasCentral, resetCount)
        if let completion {
            take(completion)
        } else if packet.kind == MonitorPacket.event, let event = try? HCIEventPacket(parsing: packet.data) {
            take(event)
        } else if packet.kind == MonitorPacket.indexRemoved {
            clear()
        }
        return before != (obstacle, hasCentral, resetCount)
    }

    /// Takes from bluetoothd whether a program scans with the adapter, for scans that began before the observation.
    /// - Returns: whether the obstacle changed.
    mutating func note(isDiscovering: Bool) -> Bool {
        self.isDiscovering = isDiscovering
        guard scanType == nil, case .scan(let scan) = obstacle, scan != self.scan else { return false }
        obstacle = .scan(self.scan)
        return true
    }

    /// The originator of the present scan.
    private var scan: Scan {
        switch scanType {
        case .active: .program
        case .passive: .kernel
        default: isDiscovering ? .program : .kernel
        }
    }

    private mutating func take(_ completion: MonitoredCommands.Completion) {
        let isRefused = completion.status != .success
        switch completion.opcode {
        case HCIReset.opcode where !isRefused:
            clear()
            resetCount += 1
        case LESetScanParameters.opcode where !isRefused:
            scanType = (try? LESetScanParameters(parsing: completion.parameters))?.scanType
        case LESetExtendedScanParameters.opcode where !isRefused:
            let parameters = try? LESetExtendedScanParameters(parsing: completion.parameters)
            scanType = parameters?.parameters.first?.scanType
        case LESetScanEnable.opcode where !isRefused, LESetExtendedScanEnable.opcode where !isRefused:
            isScanning = completion.parameters.first == 1
            if !isScanning, case .scan = obstacle { obstacle = nil }
        case LECreateConnection.opcode where !isRefused, LEExtendedCreateConnection.opcode where !isRefused:
            isInitiating = true
        case let opcode where Self.advertisingCommands.contains(opcode):
            if isRefused {
                if !completion.disablesAdvertising, !isOfMissingSet(completion) { obstacle = cause(of: completion) }
            } else if completion.enablesAdvertising, case .unknown = obstacle {
                obstacle = nil
            } else if opcode == LESetRandomAddress.opcode, case .scan = obstacle {
                obstacle = nil
            }
        default: break
        }
    }

    /// Whether a command enables an advertising set that does not exist, which is no refusal to advertise: after a
    /// connection the kernel enables the set that led to it, and set 0 if it does not know which one that was (seen with
    /// Linux 6.12 and a controller that reports the end of the set before the connection).
    private func isOfMissingSet(_ refusal: MonitoredCommands.Completion) -> Bool {
        refusal.enablesAdvertising && refusal.status == .unknownAdvertisingIdentifier
    }

    private func cause(of refusal: MonitoredCommands.Completion) -> Obstacle {
        if isScanning { return .scan(scan) }
        if isInitiating { return .connectionAttempt }
        // The kernel has disabled advertising before it sets an address: what else forbids that is a scan or a connection
        // attempt, which began before the observation.
        if refusal.opcode == LESetRandomAddress.opcode, refusal.status == .commandDisallowed { return .scan(scan) }
        return connections.isEmpty ? .unknown(refusal.opcode, refusal.status) : .connection
    }

    private mutating func take(_ event: HCIEventPacket) {
        if event.subeventCode == LEConnectionComplete.subeventCode
            || event.subeventCode == LEEnhancedConnectionComplete.subeventCode
        {
            var reader = ByteReader(event.parameters[...].dropFirst())
            guard let status = try? reader.readUInt8(), let handle: UInt16 = try? reader.readLittleEndian(),
                let role = try? reader.readUInt8()
            else { return }
            let isPeripheral = role == ConnectionRole.peripheral.rawValue
            if status == 0 { connections[handle] = isPeripheral }
            // An attempt ends with its connection, or with a failure, which has the role of a central.
            guard !isPeripheral || status != 0 else { return }
            isInitiating = false
            end(.connectionAttempt)
        } else if event.code == DisconnectionComplete.eventCode, event.parameters.first == 0 {
            var reader = ByteReader(event.parameters[...].dropFirst())
            guard let handle: UInt16 = try? reader.readLittleEndian() else { return }
            connections[handle] = nil
            if connections.isEmpty { end(.connection) }
        }
    }

    private mutating func end(_ ended: Obstacle) {
        if obstacle == ended { obstacle = nil }
    }

    private mutating func clear() {
        obstacle = nil
        isScanning = false
        scanType = nil
        isInitiating = false
        connections = [:]
    }
}

/// Finds the commands that replies in the monitor channel belong to.
struct MonitoredCommands {
    /// A command and its result.
    struct Completion {
        let opcode: HCIOpcode
        let parameters: [UInt8]
        /// `.success` also for a command that has only started.
        let status: HCIStatus
        /// All return parameters, the status included; empty for a command that has only started.
        let returned: [UInt8]

        private var switchesAdvertising: Bool {
            opcode == LESetAdvertisingEnable.opcode || opcode == LESetExtendedAdvertisingEnable.opcode
        }

        /// Whether it enables advertising, if it succeeded.
        var enablesAdvertising: Bool { switchesAdvertising && parameters.first == 1 }

        /// Whether it disables advertising, if it succeeded.
        var disablesAdvertising: Bool { switchesAdvertising && parameters.first == 0 }
    }

    private var commands: [HCIOpcode: [UInt8]] = [:]

    /// The command that a packet completes, or whose start it reports; `nil` for other packets.
    mutating func completion(by packet: MonitorPacket) -> Completion? {
        switch packet.kind {
        case MonitorPacket.command:
            guard let command = try? HCICommandPacket(parsing: packet.data) else { return nil }
            commands[command.opcode] = command.parameters
            return nil
        case MonitorPacket.event where packet.data.first == HCICommandComplete.eventCode:
            guard let event = try? HCIEventPacket(parsing: packet.data),
                let complete = try? event.parameters(as: HCICommandComplete.self), let status = complete.status,
                let parameters = commands.removeValue(forKey: complete.opcode)
            else { return nil }
            return Completion(
                opcode: complete.opcode, parameters: parameters, status: status, returned: complete.returnParameters)
        case MonitorPacket.event where packet.data.first == CommandStatus.eventCode:
            guard let event = try? HCIEventPacket(parsing: packet.data),
                let status = try? event.parameters(as: CommandStatus.self),
                let parameters = commands.removeValue(forKey: status.opcode)
            else { return nil }
            return Completion(opcode: status.opcode, parameters: parameters, status: status.status, returned: [])
        default: return nil
        }
    }
}
