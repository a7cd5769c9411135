// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import BluetoothCore

/// Read Using Characteristic UUID, until the range has no more of them (Core 5.4, Vol 3, Part G, 4.8.2).
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
