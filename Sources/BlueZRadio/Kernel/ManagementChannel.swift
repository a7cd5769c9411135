// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Radio
import SystemPackage

/// Why a management command failed.
enum ManagementError: Error, Hashable {
    /// The kernel's status (mgmt-api, "Error codes").
    case status(ManagementOpcode, UInt8)
    /// The kernel did not reply in time, or with a reply of another form.
    case noAnswer(ManagementOpcode)
    /// The socket failed.
    case socket(Errno)

    /// The status in the kernel's reply; `nil` if there was no reply.
    var status: UInt8? {
        if case .status(_, let status) = self { status } else { nil }
    }
}

extension ManagementError: CustomStringConvertible {
    private static let names: [UInt8: String] = [
        0x01: "unknown command", 0x03: "failed", 0x07: "no resources", 0x0A: "busy", 0x0B: "rejected",
        0x0C: "not supported", 0x0D: "invalid parameters", 0x0F: "not powered", 0x11: "invalid index",
        0x12: "blocked by rfkill", 0x14: "permission denied",
    ]

    var description: String {
        switch self {
        case .status(let opcode, let status):
            "management command \(opcode.rawValue): \(Self.names[status] ?? "status \(status)")"
        case .noAnswer(let opcode): "management command \(opcode.rawValue): no answer from the kernel"
        case .socket(let error): "management socket: \(error)"
        }
    }
}

/// The kernel's management interface: commands with their replies, and events.
actor ManagementChannel {
    /// An event and the index of its controller.
    struct IndexedEvent: Sendable {
        let index: UInt16
        let event: ManagementEvent
    }

    /// All events but the replies to commands, in order. Ends with `close()`.
    nonisolated let events: AsyncStream<IndexedEvent>

    private let socket: BluetoothSocket
    private let continuation: AsyncStream<IndexedEvent>.Continuation
    private var pending: [Pending] = []
    private var nextIdentifier = 0

    private struct Pending {
        let identifier: Int
        let opcode: ManagementOpcode
        let continuation: CheckedContinuation<Result<[UInt8], ManagementError>, Never>
    }

    /// Opens the channel.
    /// - Throws: `ManagementError.socket`.
    init() throws(ManagementError) {
        do {
            socket = try BluetoothSocket(.management)
        } catch {
            throw .socket(error)
        }
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
        let identifier = nextIdentifier
        nextIdentifier += 1
        let answer = await withCheckedContinuation { continuation in
            pending.append(Pending(identifier: identifier, opcode: opcode, continuation: continuation))
            do throws(Errno) {
                try socket.send(packet.serialized())
            } catch {
                resume(identifier, with: .failure(.socket(error)))
            }
            Task { [weak self] in
                try? await Task.sleep(for: .seconds(5))
                await self?.resume(identifier, with: .failure(.noAnswer(opcode)))
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
        guard let first = pending.first(where: { $0.opcode == opcode }) else { return }
        resume(first.identifier, with: status == 0 ? .success(returned) : .failure(.status(opcode, status)))
    }

    private func resume(_ identifier: Int, with result: Result<[UInt8], ManagementError>) {
        guard let position = pending.firstIndex(where: { $0.identifier == identifier }) else { return }
        pending.remove(at: position).continuation.resume(returning: result)
    }

    private func finish() {
        for waiting in pending { waiting.continuation.resume(returning: .failure(.noAnswer(waiting.opcode))) }
        pending = []
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
