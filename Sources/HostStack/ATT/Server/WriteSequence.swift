// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth

/// One write to an attribute.
struct PreparedWrite: Hashable, Sendable {
    let handle: AttributeHandle
    let offset: Int
    var value: [UInt8]
}

/// The writes that a client has prepared and not yet executed (Core 5.4, Vol 3, Part F, 3.4.6).
struct PreparedWriteQueue: Sendable {
    /// The size of a request without its part of the value: opcode, handle and offset. It counts against the capacity too,
    /// so that requests with empty parts fill the queue.
    private static let overhead = 5

    private let capacity: Int
    private var size = 0
    private var writes: [PreparedWrite] = []

    /// A queue of this capacity, in bytes.
    init(capacity: Int) { self.capacity = capacity }

    /// Appends a part of a value. A part that continues the last one is joined to it, so that a value is written at once.
    /// - Returns: whether there was room.
    mutating func append(_ value: [UInt8], to handle: AttributeHandle, offset: Int) -> Bool {
        let added = value.count + Self.overhead
        guard size + added <= capacity else { return false }
        size += added
        if let last = writes.last, last.handle == handle, last.offset + last.value.count == offset {
            writes[writes.count - 1].value.append(contentsOf: value)
        } else {
            writes.append(PreparedWrite(handle: handle, offset: offset, value: value))
        }
        return true
    }

    /// Removes and returns all writes.
    mutating func removeAll() -> [PreparedWrite] {
        defer {
            writes = []
            size = 0
        }
        return writes
    }
}

/// The writes of one request or command, performed in order, and their response.
struct WriteSequence: Sendable {
    /// The PDU that the writes came with.
    enum Origin: Hashable, Sendable {
        case request
        case command
        case execution

        /// The opcode that an error response names.
        var opcode: ATTOpcode {
            switch self {
            case .request: .writeRequest
            case .command: .writeCommand
            case .execution: .executeWriteRequest
            }
        }
    }

    let origin: Origin
    /// The writes that remain; the first one is in progress.
    private(set) var writes: ArraySlice<PreparedWrite>
    /// The type of the attribute that the owner was asked to write.
    private var uuid = BluetoothUUID.bit16(0)
    /// Reports that follow the response.
    private var effects: [ATTServerOutput] = []

    init(origin: Origin, writes: ArraySlice<PreparedWrite>) {
        self.origin = origin
        self.writes = writes
    }

    /// Performs writes until all are done or one fails.
    /// - Returns: the response and the reports; `nil` when the owner must be asked `question(_:)`.
    mutating func run(on access: inout AttributeAccess) -> [ATTServerOutput]? {
        while let write = writes.first {
            switch access.target(of: write) {
            case .failure(let error):
                return refusal(at: write.handle, error) + [.refused(write.handle, write: write.value, error)]
            case .success(let attribute) where attribute.value == .owner:
                uuid = attribute.type
                return nil
            case .success(let attribute):
                switch access.store(write, in: attribute) {
                case .failure(let error): return refusal(at: write.handle, error)
                case .success(let effects): self.effects += effects
                }
            }
            writes.removeFirst()
        }
        return response + effects
    }

    /// Asks the owner to perform the first write.
    func question(_ token: ATTToken) -> [ATTServerOutput] {
        guard let write = writes.first else { return [] }
        return [
            .write(
                token, handle: write.handle, uuid: uuid, offset: write.offset, value: write.value,
                needsResponse: origin != .command)
        ]
    }

    /// Takes the owner's answer.
    /// - Returns: the response and the reports if the write failed, else `nil`: run the rest.
    mutating func resume(with result: Result<Void, ATTError>) -> [ATTServerOutput]? {
        guard let write = writes.popFirst() else { return [] }
        if case .failure(let error) = result { return refusal(at: write.handle, error) }
        return nil
    }

    private var response: [ATTServerOutput] {
        switch origin {
        case .request: [.send(ATTWriteResponse().pduBytes)]
        case .execution: [.send(ATTExecuteWriteResponse().pduBytes)]
        case .command: []
        }
    }

    /// The error response to a failed write. The writes before it remain done.
    private func refusal(at handle: AttributeHandle, _ error: ATTError) -> [ATTServerOutput] {
        guard origin != .command else { return effects }
        let response = ATTErrorResponse(request: origin.opcode, handle: handle, error: error)
        return [.send(response.pduBytes)] + effects
    }
}
