// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth

/// Read Characteristic Value, and Read Long Characteristic Values where the first part fills its PDU
/// (Core 5.4, Vol 3, Part G, 4.8.1 and 4.8.3).
struct ValueReading: ProcedureMachine {
    private let handle: AttributeHandle
    private var value: [UInt8] = []

    init(_ handle: AttributeHandle) { self.handle = handle }

    mutating func start(mtu: Int) -> ProcedureStep { .request(.readRequest(ATTReadRequest(handle: handle))) }

    mutating func receive(_ response: Result<ATTPDU, ATTClientError>, mtu: Int) -> ProcedureStep {
        switch response {
        case .success(.readResponse(let response)): return take(response.value, mtu: mtu)
        case .success(.readBlobResponse(let response)): return take(response.value, mtu: mtu)
        case .success: return .failed(.malformedResponse)
        // What looked long was just as long as its PDU: servers say so in either way.
        case .failure(.refused(.attributeNotLong, _)) where !value.isEmpty,
            .failure(.refused(.invalidOffset, _)) where !value.isEmpty:
            return .done(.value(value))
        case .failure(let error): return .failed(error)
        }
    }

    private mutating func take(_ part: [UInt8], mtu: Int) -> ProcedureStep {
        value += part
        guard part.count >= mtu - 1, value.count < ATTServer.longestValue else {
            return .done(.value(Array(value.prefix(ATTServer.longestValue))))
        }
        let offset = UInt16(truncatingIfNeeded: value.count)
        return .request(.readBlobRequest(ATTReadBlobRequest(handle: handle, offset: offset)))
    }
}
