// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import CBluetooth
@preconcurrency import Dispatch
import Glibc
package import SystemPackage

/// A socket that sends and receives whole packets.
package protocol PacketSocket: Sendable {
    /// The received packets, in order; the stream ends with `close()`.
    var packets: AsyncStream<[UInt8]> { get }
    /// Sends one packet.
    /// - Throws: `Errno` of the kernel.
    func send(_ packet: [UInt8]) throws(Errno)
    /// Ends the stream. Further calls have no effect.
    func close()
}

/// A socket of the kernel's Bluetooth family that is bound to one channel. Sends and receives whole packets.
///
/// `close()` ends the stream of packets and closes the descriptor; so does releasing the last reference.
package final class BluetoothSocket: PacketSocket {
    package enum Channel: UInt16 {
        /// One controller for this process alone, while the kernel does not use it. Requires CAP_NET_ADMIN.
        case user = 1
        /// All traffic between host and controllers, read-only. Requires CAP_NET_RAW.
        case monitor = 2
        /// The management interface. Requires CAP_NET_ADMIN for the commands used here.
        case management = 3
    }

    /// The received packets, in order. A consumer that falls 4,096 packets behind loses the oldest.
    package let packets: AsyncStream<[UInt8]>
    private let descriptor: Int32
    private let source: any DispatchSourceRead

    /// Opens a channel that concerns all controllers.
    /// - Throws: `Errno` of the kernel: EAFNOSUPPORT without Bluetooth, EPERM without the capability.
    package init(_ channel: Channel) throws(Errno) {
        let descriptor = try Self.descriptor(of: channel)
        self.descriptor = descriptor
        let (stream, continuation) = AsyncStream.makeStream(of: [UInt8].self, bufferingPolicy: .bufferingNewest(4096))
        packets = stream
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor)
        source.setEventHandler { [source] in
            while let packet = Self.receive(descriptor) { continuation.yield(packet) }
            if source.isCancelled { continuation.finish() }
        }
        source.setCancelHandler {
            Glibc.close(descriptor)
            continuation.finish()
        }
        source.resume()
    }

    /// Opens a channel, without a stream.
    /// - Parameter index: N of hciN for `user`; `nil` for the channels of all controllers.
    /// - Returns: the descriptor, which does not block.
    /// - Throws: `Errno` of the kernel.
    package static func descriptor(of channel: Channel, index: UInt16? = nil) throws(Errno) -> Int32 {
        let type = Int32(SOCK_RAW.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let descriptor = socket(Int32(AF_BLUETOOTH), type, Int32(BTPROTO_HCI))
        guard descriptor >= 0 else { throw Errno.current }
        var address = sockaddr_hci()
        address.hci_family = sa_family_t(AF_BLUETOOTH)
        address.hci_dev = index ?? UInt16(HCI_DEV_NONE)
        address.hci_channel = channel.rawValue
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_hci>.size))
            }
        }
        guard bound == 0 else {
            let error = Errno.current
            Glibc.close(descriptor)
            throw error
        }
        return descriptor
    }

    /// Opens the monitor channel; `nil` without CAP_NET_RAW.
    package static func openMonitor() -> BluetoothSocket? {
        ProcessRights.current.rawNetwork ? try? BluetoothSocket(.monitor) : nil
    }

    /// Whether this process may open a channel.
    package static func canOpen(_ channel: Channel) -> Bool {
        guard let socket = try? BluetoothSocket(channel) else { return false }
        socket.close()
        return true
    }

    private static func receive(_ descriptor: Int32) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 2048)
        let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        return count > 0 ? Array(buffer[..<count]) : nil
    }

    /// Sends one packet.
    /// - Throws: `Errno` of the kernel.
    package func send(_ packet: [UInt8]) throws(Errno) {
        guard Glibc.send(descriptor, packet, packet.count, 0) == packet.count else { throw Errno.current }
    }

    /// Ends the stream and closes the descriptor. Further calls have no effect.
    package func close() {
        source.cancel()
    }

    deinit { source.cancel() }
}

extension Errno {
    /// The error of the last failed call of this thread.
    fileprivate static var current: Errno { Errno(rawValue: errno) }
}

/// The channels that this process may use.
package struct KernelChannels: Sendable {
    /// The management interface; `nil` without CAP_NET_ADMIN.
    package let management: ManagementChannel?
    /// The HCI traffic of all controllers; `nil` without CAP_NET_RAW.
    package let monitor: (any PacketSocket)?

    package init(management: ManagementChannel?, monitor: (any PacketSocket)?) {
        self.management = management
        self.monitor = monitor
    }

    /// Opens the channels that the capabilities of this process allow.
    package static func open() -> KernelChannels {
        let rights = ProcessRights.current
        return KernelChannels(
            management: rights.networkAdministration ? try? ManagementChannel() : nil,
            monitor: BluetoothSocket.openMonitor())
    }

    /// No channels: bluetoothd alone.
    package static let none = KernelChannels(management: nil, monitor: nil)

    /// Closes the channels; their streams end.
    package func close() async {
        await management?.close()
        monitor?.close()
    }
}
