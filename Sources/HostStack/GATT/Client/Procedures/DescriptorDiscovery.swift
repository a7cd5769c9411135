// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import BluetoothCore

/// Discover All Characteristic Descriptors (Core 5.4, Vol 3, Part G, 4.7.1).
struct DescriptorDiscovery: ProcedureMachine {
    private var search: HandleSearch
    private var descriptors: [RemoteDescriptor] = []

    init(in handles: ClosedRange<AttributeHandle>) { search = HandleSearch(handles) }

    mutating func start(mtu: Int) -> ProcedureStep { next }

    mutating func receive(_ response: Result<ATTPDU, ATTClientError>, mtu: Int) -> ProcedureStep {
        switch response {
        case .success(.findInformationResponse(let response)):
            do throws(ATTClientError) {
                for entry in response.entries {
                    try search.advance(over: entry.handle, through: entry.handle)
                    descriptors.append(RemoteDescriptor(uuid: entry.type, handle: entry.handle))
                }
                return next
            } catch { return .failed(error) }
        case .success: return .failed(.malformedResponse)
        case .failure(.refused(.attributeNotFound, _)): return .done(.descriptors(descriptors))
        case .failure(let error): return .failed(error)
        }
    }

    private var next: ProcedureStep {
        guard let range = search.range else { return .done(.descriptors(descriptors)) }
        return .request(
            .findInformationRequest(
                ATTFindInformationRequest(startingHandle: range.lowerBound, endingHandle: range.upperBound)))
    }
}
