// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CBluetooth
import Glibc

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

/// The kernel of this machine: sockets of AF_BLUETOOTH, and commands of its management interface (mgmt-api).
struct LinuxKernel: AdapterKernel {
    private static let userChannel: UInt16 = 1
    private static let managementChannel: UInt16 = 3

    /// The commands in use.
    private enum Command: UInt16 {
        case readIndexList = 0x0003
        case readControllerInformation = 0x0004
        case setPowered = 0x0005
        case getConnections = 0x0015
        case readAdvertisingFeatures = 0x003D
    }

    func bind(_ index: Int) throws(KernelError) -> Int32 {
        try Self.open(Self.userChannel, UInt16(truncatingIfNeeded: index))
    }

    func state(of index: Int) async -> AdapterState? {
        // The address, 7 bytes of version and vendor, supported and current settings.
        guard var information = await command(.readControllerInformation, index).map({ ByteReader($0) }),
            let address = try? BluetoothAddress(parsing: &information), (try? information.read(count: 7)) != nil,
            let settings: UInt32 = try? information.readLittleEndian()
        else { return nil }
        var state = AdapterState(address: address, isPowered: settings & 1 == 1)
        if var connections = await command(.getConnections, index).map({ ByteReader($0) }) {
            let count: UInt16? = try? connections.readLittleEndian()
            state.connections = Int(count ?? 0)
        }
        // The flags, two lengths and the capacity come before the number of instances.
        if let features = await command(.readAdvertisingFeatures, index), features.count > 7 {
            state.advertisements = Int(features[7])
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

    // MARK: - The management interface

    /// Sends a command, and waits for its reply, 10 s at most: power off ends what the adapter does.
    /// - Returns: the return parameters of success; `nil` for a failure.
    private func command(_ command: Command, _ index: Int?, _ parameters: [UInt8] = []) async -> [UInt8]? {
        guard let descriptor = try? Self.open(Self.managementChannel, UInt16(HCI_DEV_NONE)) else { return nil }
        defer { close(descriptor) }
        var writer = ByteWriter()
        writer.writeLittleEndian(command.rawValue)
        writer.writeLittleEndian(index.map { UInt16(truncatingIfNeeded: $0) } ?? UInt16(HCI_DEV_NONE))
        writer.writeLittleEndian(UInt16(parameters.count))
        writer.write(parameters)
        let packet = writer.bytes
        guard send(descriptor, packet, packet.count, 0) == packet.count else { return nil }
        var buffer = [UInt8](repeating: 0, count: 1024)
        for _ in 0..<1000 {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count > 0 {
                guard let reply = Self.reply(to: command, Array(buffer[..<count])) else { continue }
                return reply.status == 0 ? reply.returned : nil
            } else if errno == EAGAIN || errno == EINTR {
                try? await Task.sleep(for: .milliseconds(10))
                if Task.isCancelled { return nil }
            } else {
                return nil
            }
        }
        return nil
    }

    /// Command Complete (0x0001) or Command Status (0x0002) of a command; `nil` for other events.
    private static func reply(to command: Command, _ packet: [UInt8]) -> (status: UInt8, returned: [UInt8])? {
        var reader = ByteReader(packet)
        guard let event: UInt16 = try? reader.readLittleEndian(), event == 1 || event == 2,
            (try? reader.read(count: 4)) != nil, let opcode: UInt16 = try? reader.readLittleEndian(),
            opcode == command.rawValue, let status = try? reader.readUInt8()
        else { return nil }
        return (status, Array(reader.readAll()))
    }

    private static func open(_ channel: UInt16, _ index: UInt16) throws(KernelError) -> Int32 {
        let type = Int32(SOCK_RAW.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let descriptor = socket(Int32(AF_BLUETOOTH), type, Int32(BTPROTO_HCI))
        guard descriptor >= 0 else { throw KernelError(code: errno) }
        var address = sockaddr_hci()
        address.hci_family = sa_family_t(AF_BLUETOOTH)
        address.hci_dev = index
        address.hci_channel = channel
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_hci>.size))
            }
        }
        guard bound == 0 else {
            let code = errno
            close(descriptor)
            throw KernelError(code: code)
        }
        return descriptor
    }
}
