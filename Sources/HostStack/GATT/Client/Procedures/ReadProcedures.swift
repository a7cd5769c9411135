// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth

/// Read Characteristic Value, and Read Long Characteristic Values if the first part fills its PDU
/// (Core 5.4, Vol 3, Part G, 4.8.1 and 4.8.3).
struct ValueReading: ProcedureMachine {
    private let handle: AttributeHandle
    private let offset: UInt16
    private var value: [UInt8] = []

    /// - Parameter offset: where the value is read from; from the start on its first part needs no blob request.
    init(_ handle: AttributeHandle, offset: UInt16 = 0) {
        self.handle = handle
        self.offset = offset
    }

    mutating func start(mtu: Int) -> ProcedureStep {
        .request(
            offset == 0
                ? .readRequest(ATTReadRequest(handle: handle))
                : .readBlobRequest(ATTReadBlobRequest(handle: handle, offset: offset)))
    }

    mutating func receive(_ response: Result<ATTPDU, ATTClientError>, mtu: Int) -> ProcedureStep {
        switch response {
        case .success(.readResponse(let response)): return take(response.value, mtu: mtu)
        case .success(.readBlobResponse(let response)): return take(response.value, mtu: mtu)
        case .success: return .failed(.malformedResponse)
        // The value ended with the previous part, which filled its PDU: servers report that in either way.
        case .failure(.refused(.attributeNotLong, _)) where !value.isEmpty,
            .failure(.refused(.invalidOffset, _)) where !value.isEmpty:
            return .done(.value(value))
        case .failure(let error): return .failed(error)
        }
    }

    private mutating func take(_ part: [UInt8], mtu: Int) -> ProcedureStep {
        value += part
        let end = Int(offset) + value.count
        guard part.count >= mtu - 1, end < Attribute.maximumLength else {
            return .done(.value(Array(value.prefix(Attribute.maximumLength))))
        }
        let next = UInt16(truncatingIfNeeded: end)
        return .request(.readBlobRequest(ATTReadBlobRequest(handle: handle, offset: next)))
    }
}

/// Read Using Characteristic UUID, repeated up to the end of the range (Core 5.4, Vol 3, Part G, 4.8.2).
struct ReadingByUUID: ProcedureMachine {
    private let uuid: BluetoothUUID
    private var search: HandleSearch
    private var values: [AttributeValue] = []

    init(_ uuid: BluetoothUUID, in handles: ClosedRange<AttributeHandle>) {
        self.uuid = uuid
        search = HandleSearch(handles)
    }

    mutating func start(mtu: Int) -> ProcedureStep { next }

    mutating func receive(_ response: Result<ATTPDU, ATTClientError>, mtu: Int) -> ProcedureStep {
        switch response {
        case .success(.readByTypeResponse(let response)):
            do throws(ATTClientError) {
                for entry in response.entries {
                    try search.advance(over: entry.handle, through: entry.handle)
                    values.append(AttributeValue(handle: entry.handle, value: entry.value))
                }
                return next
            } catch { return .failed(error) }
        case .success: return .failed(.malformedResponse)
        case .failure(.refused(.attributeNotFound, _)) where !values.isEmpty: return .done(.values(values))
        case .failure(let error): return .failed(error)
        }
    }

    private var next: ProcedureStep {
        guard let range = search.range else { return .done(.values(values)) }
        return .request(
            .readByTypeRequest(
                ATTReadByTypeRequest(startingHandle: range.lowerBound, endingHandle: range.upperBound, type: uuid)))
    }
}

/// Read Multiple Variable Length Characteristic Values (Core 5.4, Vol 3, Part G, 4.8.5).
struct MultipleReading: ProcedureMachine {
    private let handles: [AttributeHandle]

    init(_ handles: [AttributeHandle]) { self.handles = handles }

    mutating func start(mtu: Int) -> ProcedureStep {
        .request(.readMultipleVariableRequest(ATTReadMultipleVariableRequest(handles: handles)))
    }

    mutating func receive(_ response: Result<ATTPDU, ATTClientError>, mtu: Int) -> ProcedureStep {
        switch response {
        case .success(.readMultipleVariableResponse(let response)) where response.entries.count <= handles.count:
            .done(.values(zip(handles, response.entries).map { AttributeValue(handle: $0, value: $1.value) }))
        case .success: .failed(.malformedResponse)
        case .failure(let error): .failed(error)
        }
    }
}
