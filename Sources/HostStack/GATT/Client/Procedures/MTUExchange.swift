// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth

/// Exchange MTU (Core 5.4, Vol 3, Part G, 4.3.1).
struct MTUExchange: ProcedureMachine {
    let maximumMTU: UInt16

    mutating func start(mtu: Int) -> ProcedureStep {
        .request(.exchangeMTURequest(ATTExchangeMTURequest(clientMTU: maximumMTU)))
    }

    mutating func receive(_ response: Result<ATTPDU, ATTClientError>, mtu: Int) -> ProcedureStep {
        switch response {
        case .success(.exchangeMTUResponse(let response)):
            .agreed(max(min(Int(response.serverMTU), Int(maximumMTU)), ATTBearer.minimumMTU))
        case .success: .failed(.malformedResponse)
        // A server that does not know the request takes what every server takes.
        case .failure(.refused(.requestNotSupported, _)): .agreed(nil)
        case .failure(let error): .failed(error)
        }
    }
}
