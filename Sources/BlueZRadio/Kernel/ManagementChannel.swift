// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Radio
import SystemPackage

/// The kernel's management interface: commands with their replies, and events.
actor ManagementChannel {
    /// An event and the index of its controller.
    struct IndexedEvent: Sendable {
        let index: UInt16
        let event: ManagementEvent
    }

    /// All events but the replies to commands, in order. Ends with `close()`.
    nonisolated let events: AsyncStream<IndexedEvent>

    private let socket: any PacketSocket
    private let timeout: Duration
    private let continuation: AsyncStream<IndexedEvent>.Continuation
    private var matcher = ReplyMatcher()
    private var waiting: [Int: CheckedContinuation<Result<[UInt8], ManagementError>, Never>] = [:]

    /// Opens the channel.
    /// - Throws: `ManagementError.socket`.
    init() throws(ManagementError) {
        let socket: BluetoothSocket
        do {
            socket = try BluetoothSocket(.management)
        } catch {
            throw .socket(error)
        }
        self.init(on: socket)
    }

    /// A channel on an open socket.
    /// - Parameter timeout: the time limit of a reply.
    init(on socket: any PacketSocket, timeout: Duration = .seconds(5)) {
        self.socket = socket
        self.timeout = timeout
        (events, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1024))
        Task { [weak self, packets = socket.packets] in
            for await packet in packets { await self?.receive(packet) }
            await self?.finish()
        }
    }

    /// Sends a command and waits for its reply, 5 s at most.
    /// - Returns: the return parameters after the status.
    func command(
        _ opcode: ManagementOpcode, index: UInt16, parameters: [UInt8] = []
    ) async throws(ManagementError) -> [UInt8] {
        let packet = ManagementPacket(code: opcode.rawValue, index: index, parameters: parameters)
        let identifier = matcher.begin(opcode, index: index)
        let answer = await withCheckedContinuation { continuation in
            waiting[identifier] = continuation
            do throws(Errno) {
                try socket.send(packet.serialized())
            } catch {
                matcher.cancel(identifier)
                resume(identifier, with: .failure(.socket(error)))
            }
            Task { [weak self, timeout] in
                try? await Task.sleep(for: timeout)
                await self?.giveUp(identifier, opcode)
            }
        }
        return try answer.get()
    }

    /// Closes the channel: pending commands fail, and the events end.
    func close() {
        socket.close()
        finish()
    }

    private func receive(_ packet: [UInt8]) {
        guard let parsed = try? ManagementPacket(parsing: packet), let event = try? ManagementEvent(parsed) else {
            return
        }
        guard case .completed(let opcode, let status, let returned) = event else {
            continuation.yield(IndexedEvent(index: parsed.index, event: event))
            return
        }
        guard let identifier = matcher.take(opcode, index: parsed.index, at: .now) else { return }
        resume(identifier, with: status == 0 ? .success(returned) : .failure(.status(opcode, status)))
    }

    private func giveUp(_ identifier: Int, _ opcode: ManagementOpcode) {
        guard matcher.giveUp(identifier, at: .now) else { return }
        resume(identifier, with: .failure(.noAnswer(opcode)))
    }

    private func resume(_ identifier: Int, with result: Result<[UInt8], ManagementError>) {
        waiting.removeValue(forKey: identifier)?.resume(returning: result)
    }

    private func finish() {
        for (identifier, opcode) in matcher.removeAll() { resume(identifier, with: .failure(.noAnswer(opcode))) }
        continuation.finish()
    }
}

/// A connection of bluetoothd as the kernel's management interface reports it.
struct KernelConnection {
    /// The controller: N of hciN.
    let index: UInt16
    /// The peer.
    let device: RemoteAddress

    /// Reads the RSSI of the peer (mgmt-api, Get Connection Information).
    /// - Throws: `RemoteError.impossible` without CAP_NET_ADMIN, or when the kernel has no value.
    func readRSSI() async throws(RemoteError) -> RSSI {
        guard ProcessRights.current.networkAdministration, let channel = try? ManagementChannel() else {
            throw .impossible(
                "bluetoothd does not report the RSSI of a connected device, and the kernel requires CAP_NET_ADMIN")
        }
        var parameters = device.address.serialized()
        parameters.append(device.isRandom ? 2 : 1)
        let reply: [UInt8]
        do throws(ManagementError) {
            reply = try await channel.command(.getConnectionInformation, index: index, parameters: parameters)
            await channel.close()
        } catch {
            await channel.close()
            throw .impossible("the kernel does not report the RSSI of the device (\(error))")
        }
        guard reply.count >= 8, case let rssi = RSSI(Int8(bitPattern: reply[7])), rssi != .unavailable else {
            throw .impossible("the controller has no RSSI of the device")
        }
        return rssi
    }
}
