// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
import BluetoothCore

extension ATTServer {
    /// Takes one PDU of the client.
    ///
    /// A client that sends requests without waiting for responses is served in order, within `Limits.waitingPDUs`; what
    /// does not fit is dropped.
    package mutating func receive(_ pdu: [UInt8], at now: Duration) -> [ATTServerOutput] {
        guard !isClosed, let first = pdu.first else { return [] }
        if ATTOpcode(rawValue: first) == .handleValueConfirmation {
            // A confirmation answers an indication, so it waits for no request.
            return pdu.count == 1 ? confirm(at: now) : []
        }
        guard transaction == nil else {
            if waiting.count < limits.waitingPDUs { waiting.append(pdu) }
            return []
        }
        return process(pdu, at: now)
    }

    /// Takes the owner's answer to `.read` or `.write`: the value from the offset on, or nothing for a write.
    ///
    /// An answer to anything but the last question is left alone.
    package mutating func respond(
        _ token: ATTToken, _ result: Result<[UInt8], ATTError>, at now: Duration
    ) -> [ATTServerOutput] {
        guard transaction?.token == token, let transaction = transaction.take() else { return [] }
        var outputs: [ATTServerOutput]
        switch transaction.state {
        case .reading(let collection): outputs = resume(collection, with: result)
        case .writing(let sequence): outputs = resume(sequence, with: result.map { _ in })
        }
        while self.transaction == nil, !waiting.isEmpty {
            outputs += process(waiting.removeFirst(), at: now)
        }
        return outputs
    }

    private mutating func process(_ bytes: [UInt8], at now: Duration) -> [ATTServerOutput] {
        let opcode = ATTOpcode(rawValue: bytes[0])
        guard !opcode.isFromServer else { return [] }
        guard bytes.count <= mtu, let pdu = try? ATTPDU(parsing: bytes) else {
            return opcode.isCommand ? [] : refuse(opcode, .none, .invalidPDU)
        }
        return opcode.isCommand ? processCommand(pdu) : processRequest(pdu)
    }

    private mutating func processCommand(_ command: ATTPDU) -> [ATTServerOutput] {
        // Signatures cannot be checked, so signed writes are left alone, as unknown commands are.
        guard !isOutOfSync, case .writeCommand(let command) = command else { return [] }
        return write(command.value, to: command.handle, origin: .command)
    }

    private mutating func processRequest(_ request: ATTPDU) -> [ATTServerOutput] {
        if awareness != .aware {
            awareness.receiveRequest()
            if awareness == .aware { client.databaseHash = database.hash }
        }
        if isOutOfSync, request.namesHandles {
            awareness = .told
            return refuse(request.opcode, .none, .databaseOutOfSync)
        }
        switch request {
        case .exchangeMTURequest(let request): return exchangeMTU(request)
        case .findInformationRequest(let request): return findInformation(request)
        case .findByTypeValueRequest(let request): return find(request)
        case .readByTypeRequest(let request): return read(request)
        case .readByGroupTypeRequest(let request): return read(request)
        case .readRequest(let request): return read([request.handle], .whole, opcode: .readRequest)
        case .readBlobRequest(let request):
            return read([request.handle], .part(offset: Int(request.offset)), opcode: .readBlobRequest)
        case .readMultipleRequest(let request):
            return read(request.handles, .several, opcode: .readMultipleRequest)
        case .readMultipleVariableRequest(let request):
            return read(request.handles, .severalWithLengths, opcode: .readMultipleVariableRequest)
        case .writeRequest(let request): return write(request.value, to: request.handle, origin: .request)
        case .prepareWriteRequest(let request): return prepare(request)
        case .executeWriteRequest(let request): return execute(request)
        default: return refuse(request.opcode, .none, .requestNotSupported)
        }
    }

    private mutating func exchangeMTU(_ request: ATTExchangeMTURequest) -> [ATTServerOutput] {
        let own = max(Int(limits.mtu), ATTBearer.minimumMTU)
        let response = ATTExchangeMTUResponse(serverMTU: UInt16(truncatingIfNeeded: own))
        mtu = max(min(Int(request.clientMTU), own), ATTBearer.minimumMTU)
        return [.send(response.pduBytes), .mtuChanged(mtu)]
    }

    /// Whether the client must learn first that the table has changed.
    var isOutOfSync: Bool { awareness != .aware && client.features.contains(.robustCaching) }

    func refuse(_ request: ATTOpcode, _ handle: AttributeHandle, _ error: ATTError) -> [ATTServerOutput] {
        [.send(ATTErrorResponse(request: request, handle: handle, error: error).pduBytes)]
    }

    /// Why no request can have this range; `nil` when one can.
    func refusal(
        of request: ATTOpcode, from start: AttributeHandle, to end: AttributeHandle
    ) -> [ATTServerOutput]? {
        start == .none || start > end ? refuse(request, start, .invalidHandle) : nil
    }
}

extension ATTPDU {
    /// Whether it is about attributes that the client knows by their handles, from a table that may be old
    /// (Core 5.4, Vol 3, Part G, 2.5.2.1). Of requests by type these are the ones that neither discover anything nor
    /// search the whole table.
    fileprivate var namesHandles: Bool {
        switch self {
        case .readRequest, .readBlobRequest, .readMultipleRequest, .readMultipleVariableRequest, .writeRequest,
            .prepareWriteRequest:
            true
        case .readByTypeRequest(let request):
            !(request.startingHandle == .first && request.endingHandle == .last)
                && !request.type.shortest.isSame(as: .include) && !request.type.shortest.isSame(as: .characteristic)
        default: false
        }
    }
}
