// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth

/// Write Characteristic Value, and Write Long Characteristic Values where it does not fit into one PDU
/// (Core 5.4, Vol 3, Part G, 4.9.3 and 4.9.4).
struct ValueWriting: ProcedureMachine {
    private let handle: AttributeHandle
    private let value: [UInt8]
    private var long: PreparedWriting?

    init(_ handle: AttributeHandle, _ value: [UInt8]) {
        self.handle = handle
        self.value = value
    }

    mutating func start(mtu: Int) -> ProcedureStep {
        guard value.count > mtu - 3 else {
            return .request(.writeRequest(ATTWriteRequest(handle: handle, value: value)))
        }
        var long = PreparedWriting(handle, offset: 0, value)
        defer { self.long = long }
        return long.start(mtu: mtu)
    }

    mutating func receive(_ response: Result<ATTPDU, ATTClientError>, mtu: Int) -> ProcedureStep {
        if long != nil { return long?.receive(response, mtu: mtu) ?? .failed(.malformedResponse) }
        switch response {
        case .success(.writeResponse): return .done(.done)
        case .success: return .failed(.malformedResponse)
        case .failure(let error): return .failed(error)
        }
    }
}

/// Write Without Response (Core 5.4, Vol 3, Part G, 4.9.1).
struct CommandWriting: ProcedureMachine {
    private let command: ATTWriteCommand

    init(_ handle: AttributeHandle, _ value: [UInt8]) { command = ATTWriteCommand(handle: handle, value: value) }

    mutating func start(mtu: Int) -> ProcedureStep { .command(.writeCommand(command)) }

    mutating func receive(_ response: Result<ATTPDU, ATTClientError>, mtu: Int) -> ProcedureStep {
        .failed(.malformedResponse)
    }
}
