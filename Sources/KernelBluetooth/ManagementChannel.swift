// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import SystemPackage

/// The kernel's management interface: commands with their replies, and events.
package actor ManagementChannel {
    /// An event and the index of its controller.
    package struct IndexedEvent: Sendable {
        package let index: UInt16
        package let event: ManagementEvent
    }

    /// All events but the replies to commands, in order. Ends with `close()`.
    package nonisolated let events: AsyncStream<IndexedEvent>

    private let socket: any PacketSocket
    private let timeout: Duration
    private let continuation: AsyncStream<IndexedEvent>.Continuation
    private var matcher = ReplyMatcher()
    private var waiting: [Int: CheckedContinuation<Result<[UInt8], ManagementError>, Never>] = [:]

    /// Opens the channel.
    /// - Parameter timeout: the time limit of a reply.
    /// - Throws: `ManagementError.socket`.
    package init(timeout: Duration = .seconds(5)) throws(ManagementError) {
        let socket: BluetoothSocket
        do {
            socket = try BluetoothSocket(.management)
        } catch {
            throw .socket(error)
        }
        self.init(on: socket, timeout: timeout)
    }

    /// A channel on an open socket.
    /// - Parameter timeout: the time limit of a reply.
    package init(on socket: any PacketSocket, timeout: Duration = .seconds(5)) {
        self.socket = socket
        self.timeout = timeout
        (events, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1024))
        Task { [weak self, packets = socket.packets] in
            for await packet in packets { await self?.receive(packet) }
            await self?.finish()
        }
    }

    /// Sends a command and waits for its reply.
    /// - Returns: the return parameters after the status.
    package func command(
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
    package func close() {
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
