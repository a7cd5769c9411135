// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth

/// Writes that are done one behind the other, and what is to be said when they are.
struct WriteSequence: Sendable {
    /// What the client sent.
    enum Origin: Hashable, Sendable {
        case request
        case command
        case execution

        /// What an error names.
        var opcode: ATTOpcode {
            switch self {
            case .request: .writeRequest
            case .command: .writeCommand
            case .execution: .executeWriteRequest
            }
        }
    }

    let origin: Origin
    /// The writes to do; the first is under way.
    var writes: ArraySlice<PreparedWrite>
    /// What the owner learns behind the response.
    var effects: [ATTServerOutput] = []
}

extension ATTServer {
    /// The longest value that an attribute can have, in octets (Core 5.4, Vol 3, Part F, 3.2.9).
    static var longestValue: Int { 512 }

    mutating func write(
        _ value: [UInt8], to handle: AttributeHandle, origin: WriteSequence.Origin
    ) -> [ATTServerOutput] {
        run(WriteSequence(origin: origin, writes: [PreparedWrite(handle: handle, offset: 0, value: value)]))
    }

    mutating func prepare(_ request: ATTPrepareWriteRequest) -> [ATTServerOutput] {
        let opcode = ATTOpcode.prepareWriteRequest
        guard let attribute = database[request.handle] else { return refuse(opcode, request.handle, .invalidHandle) }
        if let error = security.refusalToWrite(attribute) {
            return refuse(opcode, request.handle, error) + [.refused(request.handle, write: request.value, error)]
        }
        guard prepared.append(request.value, to: request.handle, offset: Int(request.offset)) else {
            return refuse(opcode, request.handle, .prepareQueueFull)
        }
        let response = ATTPrepareWriteResponse(handle: request.handle, offset: request.offset, value: request.value)
        return [.send(response.pduBytes)]
    }

    mutating func execute(_ request: ATTExecuteWriteRequest) -> [ATTServerOutput] {
        guard request == .write || request == .cancel else {
            return refuse(.executeWriteRequest, .none, .invalidPDU)
        }
        let writes = prepared.removeAll()
        return run(WriteSequence(origin: .execution, writes: request == .write ? writes[...] : []))
    }

    /// Goes on with a sequence when the owner has answered.
    mutating func resume(_ sequence: WriteSequence, with result: Result<Void, ATTError>) -> [ATTServerOutput] {
        var sequence = sequence
        guard let write = sequence.writes.popFirst() else { return [] }
        if case .failure(let error) = result { return refusal(of: sequence, at: write.handle, error) }
        return run(sequence)
    }

    /// Does writes until all are done, or the owner must be asked.
    private mutating func run(_ sequence: WriteSequence) -> [ATTServerOutput] {
        var sequence = sequence
        while let write = sequence.writes.first {
            switch target(of: write) {
            case .failure(let error):
                return refusal(of: sequence, at: write.handle, error)
                    + [.refused(write.handle, write: write.value, error)]
            case .success(let attribute) where attribute.value == .owner:
                let token = makeToken()
                transaction = (token, .writing(sequence))
                return [
                    .write(
                        token, handle: write.handle, uuid: attribute.type, offset: write.offset, value: write.value,
                        needsResponse: sequence.origin != .command)
                ]
            case .success(let attribute):
                switch store(write, in: attribute) {
                case .failure(let error): return refusal(of: sequence, at: write.handle, error)
                case .success(let effects): sequence.effects += effects
                }
            }
            sequence.writes.removeFirst()
        }
        return response(to: sequence.origin) + sequence.effects
    }

    private func target(of write: PreparedWrite) -> Result<Attribute, ATTError> {
        guard let attribute = database[write.handle] else { return .failure(.invalidHandle) }
        if let error = security.refusalToWrite(attribute) { return .failure(error) }
        guard write.offset <= Self.longestValue else { return .failure(.invalidOffset) }
        guard write.offset + write.value.count <= Self.longestValue else {
            return .failure(.invalidAttributeValueLength)
        }
        return .success(attribute)
    }

    private func response(to origin: WriteSequence.Origin) -> [ATTServerOutput] {
        switch origin {
        case .request: [.send(ATTWriteResponse().pduBytes)]
        case .execution: [.send(ATTExecuteWriteResponse().pduBytes)]
        case .command: []
        }
    }

    /// The client learns that a write failed; what was done before it stays done.
    private func refusal(
        of sequence: WriteSequence, at handle: AttributeHandle, _ error: ATTError
    ) -> [ATTServerOutput] {
        guard sequence.origin != .command else { return sequence.effects }
        return refuse(sequence.origin.opcode, handle, error) + sequence.effects
    }
}

// MARK: - Values that the server keeps

extension ATTServer {
    private mutating func store(
        _ write: PreparedWrite, in attribute: Attribute
    ) -> Result<[ATTServerOutput], ATTError> {
        switch attribute.value {
        case .clientConfiguration(of: let handle, let allowed):
            merge(write, into: subscription(to: handle).rawValue).flatMap {
                configure(handle, ClientCharacteristicConfiguration(rawValue: $0), allowed: allowed)
            }
        case .serverConfiguration(of: let handle):
            merge(write, into: broadcasts.contains(handle) ? 1 : 0).flatMap { setBroadcast(of: handle, to: $0) }
        case .clientSupportedFeatures:
            setFeatures(write)
        case .constant, .databaseHash, .owner:
            .failure(.writeNotPermitted)
        }
    }

    /// Puts what is written at an offset behind what there is in front of it.
    private func merge(_ write: PreparedWrite, into present: UInt16) -> Result<UInt16, ATTError> {
        let octets = present.littleEndianBytes
        guard write.offset <= octets.count else { return .failure(.invalidOffset) }
        let merged = octets[..<write.offset] + write.value
        guard merged.count == 2 else { return .failure(.invalidAttributeValueLength) }
        return .success(UInt16(merged[0]) | UInt16(merged[1]) << 8)
    }

    private mutating func configure(
        _ handle: AttributeHandle, _ wanted: ClientCharacteristicConfiguration,
        allowed: ClientCharacteristicConfiguration
    ) -> Result<[ATTServerOutput], ATTError> {
        guard wanted.isSubset(of: allowed) else { return .failure(.valueNotAllowed) }
        // A client that asks for what was restored may know only now where it is: whoever tells first values tells them
        // again.
        let isAskedAnew = restored.remove(handle) != nil
        guard wanted != subscription(to: handle) || isAskedAnew, let uuid = database[handle]?.type else {
            return .success([])
        }
        client.configurations[handle] = wanted.isEmpty ? nil : wanted
        return .success([.subscriptionChanged(handle, uuid: uuid, wanted)])
    }

    private mutating func setBroadcast(
        of handle: AttributeHandle, to value: UInt16
    ) -> Result<[ATTServerOutput], ATTError> {
        guard value <= 1 else { return .failure(.valueNotAllowed) }
        let isOn = value == 1
        guard isOn != broadcasts.contains(handle), let uuid = database[handle]?.type else { return .success([]) }
        if isOn { broadcasts.insert(handle) } else { broadcasts.remove(handle) }
        return .success([.broadcastChanged(handle, uuid: uuid, isOn: isOn)])
    }

    /// A client may add features and not take any back (Core 5.4, Vol 3, Part G, 7.2).
    private mutating func setFeatures(_ write: PreparedWrite) -> Result<[ATTServerOutput], ATTError> {
        guard write.offset == 0 else { return .failure(.invalidOffset) }
        guard let first = write.value.first else { return .failure(.invalidAttributeValueLength) }
        // Features that nobody knows yet are not kept.
        let features = ClientSupportedFeatures(rawValue: first).intersection(.known)
        guard features.isSuperset(of: client.features) else { return .failure(.valueNotAllowed) }
        client.features = features
        return .success([])
    }
}
