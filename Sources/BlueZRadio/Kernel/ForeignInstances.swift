// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import KernelBluetooth

/// The advertising instances that other programs have added to one controller, with the length of their turns, as the
/// management commands of all programs in the monitor channel show them.
///
/// A command is *pending* until its event Command Complete in the same socket. A successful one makes the instance a foreign
/// one, even if it was ours: the kernel replaces an instance of that number without an event. Instances that were added before
/// the observation are not known here.
struct ForeignInstances {
    private struct Command: Hashable {
        /// The kernel's number of the socket.
        let socket: UInt32
        let opcode: UInt16
    }

    private struct Addition {
        let instance: UInt8
        /// In seconds; 0 for the kernel's default.
        let duration: UInt16
    }

    private var pending: [Command: Addition] = [:]
    private var durations: [UInt8: UInt16] = [:]

    /// Takes one packet of the controller.
    /// - Parameter isOurs: whether this process sent these parameters for an instance.
    /// - Returns: the instance that another program has added; `nil` for other packets.
    mutating func observe(_ packet: MonitorPacket, isOurs: (_ parameters: [UInt8], UInt8) -> Bool) -> UInt8? {
        var reader = ByteReader(packet.data)
        guard let socket: UInt32 = try? reader.readLittleEndian(), let code: UInt16 = try? reader.readLittleEndian()
        else { return nil }
        switch packet.kind {
        case MonitorPacket.controlCommand:
            guard let addition = Self.addition(code, reader) else { return nil }
            let isForeign = !isOurs(Array(reader.readAll()), addition.instance)
            pending[Command(socket: socket, opcode: code)] = isForeign ? addition : nil
            return nil
        case MonitorPacket.controlEvent:
            guard code == ManagementEvent.commandComplete, let opcode: UInt16 = try? reader.readLittleEndian(),
                let addition = pending.removeValue(forKey: Command(socket: socket, opcode: opcode)),
                let status = try? reader.readUInt8(), status == 0
            else { return nil }
            durations[addition.instance] = addition.duration
            return addition.instance
        default: return nil
        }
    }

    /// The start of the parameters of both commands that add an instance: instance, flags, duration.
    private static func addition(_ opcode: UInt16, _ parameters: ByteReader) -> Addition? {
        let additions = [ManagementOpcode.addAdvertising, .addExtendedAdvertisingParameters]
        guard additions.contains(where: { $0.rawValue == opcode }) else { return nil }
        var reader = parameters
        guard let instance = try? reader.readUInt8(), let _: UInt32 = try? reader.readLittleEndian(),
            let duration: UInt16 = try? reader.readLittleEndian()
        else { return nil }
        return Addition(instance: instance, duration: duration)
    }

    /// Takes note that an instance was removed, by any program.
    mutating func noteRemoval(of instance: UInt8) { durations[instance] = nil }

    /// The turns of a number of foreign instances, in seconds. Those that are not known have the kernel's default.
    func turns(of count: Int) -> [Int] {
        let known = durations.values.map { $0 == 0 ? AdvertisingRules.defaultTurn : Int($0) }.sorted().prefix(count)
        return known + Array(repeating: AdvertisingRules.defaultTurn, count: count - known.count)
    }
}
