// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import KernelBluetooth
import SystemPackage

/// What the user channel needs of the kernel.
protocol AdapterKernel: Sendable {
    /// Binds a socket to the user channel of hciN.
    /// - Returns: the descriptor.
    func bind(_ index: Int) throws(KernelError) -> Int32

    /// The state of hciN; `nil` if it is not set up, in use through the user channel, or not there.
    func state(of index: Int) async -> AdapterState?

    /// The numbers of the adapters that have a state.
    func indexes() async -> [Int]

    /// Switches hciN on or off.
    /// - Returns: whether it is.
    func setPowered(_ isPowered: Bool, _ index: Int) async -> Bool
}

/// A number of `errno`.
struct KernelError: Error, Hashable {
    let code: Int32
}

/// The state of an adapter that the kernel has set up.
struct AdapterState: Hashable {
    /// The public address; zero if it has none.
    var address: BluetoothAddress
    var isPowered = false
    /// The number of connections.
    var connections = 0
    /// The number of advertisements that programs have requested.
    var advertisements = 0

    /// What it is in use for, for people; `nil` if it is idle.
    var use: String? {
        let uses = [(connections, "connection"), (advertisements, "advertisement")].filter { $0.0 > 0 }
        guard !uses.isEmpty else { return nil }
        return uses.map { "\($0.0) \($0.1)\($0.0 == 1 ? "" : "s")" }.joined(separator: " and ")
    }
}

/// The kernel of this machine.
struct LinuxKernel: AdapterKernel {
    /// The limit of a reply: power off ends what the adapter does.
    private static let timeout = Duration.seconds(10)

    func bind(_ index: Int) throws(KernelError) -> Int32 {
        do throws(Errno) {
            return try BluetoothSocket.descriptor(of: .user, index: UInt16(truncatingIfNeeded: index))
        } catch {
            throw KernelError(code: error.rawValue)
        }
    }

    func state(of index: Int) async -> AdapterState? {
        guard let reply = await command(.readControllerInformation, index),
            let information = try? ControllerInformation(parsing: reply)
        else { return nil }
        var state = AdapterState(
            address: information.address, isPowered: information.currentSettings.contains(.powered))
        if var connections = await command(.getConnections, index).map({ ByteReader($0) }) {
            let count: UInt16? = try? connections.readLittleEndian()
            state.connections = Int(count ?? 0)
        }
        if let reply = await command(.readAdvertisingFeatures, index) {
            state.advertisements = (try? AdvertisingFeatures(parsing: reply))?.instances.count ?? 0
        }
        return state
    }

    func indexes() async -> [Int] {
        guard var list = await command(.readIndexList, nil).map({ ByteReader($0) }),
            let count: UInt16 = try? list.readLittleEndian()
        else { return [] }
        return (0..<count).compactMap { _ in
            let index: UInt16? = try? list.readLittleEndian()
            return index.map(Int.init)
        }
    }

    func setPowered(_ isPowered: Bool, _ index: Int) async -> Bool {
        await command(.setPowered, index, [isPowered ? 1 : 0]) != nil
    }

    /// The return parameters of success; `nil` for a failure.
    private func command(_ opcode: ManagementOpcode, _ index: Int?, _ parameters: [UInt8] = []) async -> [UInt8]? {
        guard let channel = try? ManagementChannel(timeout: Self.timeout) else { return nil }
        let index = index.map { UInt16(truncatingIfNeeded: $0) } ?? ManagementPacket.noController
        let reply = try? await channel.command(opcode, index: index, parameters: parameters)
        await channel.close()
        return reply
    }
}
