// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import DBus
import Radio

/// The last known value of a characteristic or a descriptor, and the operations that read and write it.
///
/// Reads from the same offset share one operation; another offset, or a second write, is refused meanwhile.
@ServiceActor
final class RemoteValue {
    /// The last known value.
    private(set) var bytes: [UInt8] = []
    private let handle: AttributeHandle
    /// `nil` after the device was removed, while an operation has not ended.
    private weak var connection: DeviceConnection?
    /// The requests to the device.
    let requests: RequestOrder
    /// Called when the value is known anew, changed or not.
    private let signal: @ServiceActor ([UInt8]) -> Void
    private var reading: (offset: UInt16, replies: [PendingReply])?
    private var isWriting = false

    init(
        of handle: AttributeHandle, over connection: DeviceConnection,
        signal: @escaping @ServiceActor ([UInt8]) -> Void
    ) {
        self.handle = handle
        self.connection = connection
        requests = connection.requests
        self.signal = signal
    }

    /// The link.
    /// - Throws: `Failed` without one, and after the device was removed.
    func requireLink() throws(DBusError) -> any RemoteLink {
        guard let link = connection?.link else { throw BlueZError.noLink }
        return link
    }

    /// Sets whether the device sends a characteristic's values.
    /// - Parameter pairs: whether it pairs if the device requires security, as for a program.
    func setNotifying(
        _ isNotifying: Bool, for characteristic: RemoteCharacteristic, pairs: Bool
    ) async throws(DBusError) {
        let link = try requireLink()
        let operation = { () async -> Result<Void, RemoteError> in
            do throws(RemoteError) {
                return .success(try await link.setNotifying(isNotifying, for: characteristic))
            } catch {
                return .failure(error)
            }
        }
        if case .failure(let error) = await perform(over: link, pairs: pairs, operation) {
            throw BlueZError.remote(error)
        }
    }

    /// Takes a value from the device.
    func set(_ value: [UInt8]) {
        bytes = value
        signal(value)
    }

    /// Reads the value.
    func read(_ options: ValueOptions, _ reply: PendingReply) throws(DBusError) {
        let link = try requireLink()
        if let reading {
            guard reading.offset == options.offset else { throw BlueZError.inProgress() }
            self.reading?.replies.append(reply)
            return
        }
        reading = (options.offset, [reply])
        requests.add {
            let result = await self.perform(over: link) {
                await self.read(from: options.offset, over: link)
            }
            self.finishReading(result, options.offset)
        }
    }

    /// Performs an operation, and repeats it if the link lacked security (see `DeviceConnection.perform`).
    private func perform<Value: Sendable>(
        over link: any RemoteLink, pairs: Bool = true, _ operation: () async -> Result<Value, RemoteError>
    ) async -> Result<Value, RemoteError> {
        guard let connection else { return .failure(.disconnected("the device was removed")) }
        return await connection.perform(over: link, pairs: pairs, operation)
    }

    private func read(from offset: UInt16, over link: any RemoteLink) async -> Result<[UInt8], RemoteError> {
        do throws(RemoteError) {
            guard offset > 0 else { return .success(try await link.read(handle)) }
            guard let link = link as? any ProcedureLink else { return .failure(.refused(.invalidOffset)) }
            return .success(try await link.read(handle, from: offset))
        } catch {
            return .failure(error)
        }
    }

    private func finishReading(_ result: Result<[UInt8], RemoteError>, _ offset: UInt16) {
        let replies = reading?.replies ?? []
        reading = nil
        if case .success(let part) = result {
            let start = bytes.prefix(Int(offset))
            set(start + Array(repeating: 0, count: Int(offset) - start.count) + part)
        }
        for reply in replies { reply.send(result.map { [.bytes($0)] }.mapError(BlueZError.remote)) }
    }

    /// Writes the value.
    func write(
        _ value: [UInt8], _ options: ValueOptions, _ procedure: WriteProcedure, _ reply: PendingReply
    ) throws(DBusError) {
        let link = try requireLink()
        guard !isWriting else { throw BlueZError.inProgress() }
        // A command has no response to wait for, and waits for none.
        guard procedure != .command else {
            Task { reply.send(await write(value, 0, .command, over: link).map { [] }.mapError(BlueZError.remote)) }
            return
        }
        isWriting = true
        requests.add {
            let result = await self.perform(over: link) {
                await self.write(value, options.offset, procedure, over: link)
            }
            self.isWriting = false
            reply.send(result.map { [] }.mapError(BlueZError.remote))
        }
    }

    private func write(
        _ value: [UInt8], _ offset: UInt16, _ procedure: WriteProcedure, over link: any RemoteLink
    ) async -> Result<Void, RemoteError> {
        do throws(RemoteError) {
            switch procedure {
            case .command: try await link.writeWithoutResponse(value, to: handle)
            case .request where offset == 0: try await link.write(value, to: handle)
            case .request, .reliable:
                guard let link = link as? any ProcedureLink else { throw .refused(.requestNotSupported) }
                try await link.write(value, to: handle, from: offset)
            }
            return .success(())
        } catch {
            return .failure(error)
        }
    }
}
