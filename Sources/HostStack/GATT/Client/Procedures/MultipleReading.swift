// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth

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
