// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import BluetoothCore

/// Discover All Primary Services (Core 5.4, Vol 3, Part G, 4.4.1).
struct ServiceDiscovery: ProcedureMachine {
    private var search = HandleSearch(.all)
    private var services: [RemoteService] = []

    mutating func start(mtu: Int) -> ProcedureStep { next }

    mutating func receive(_ response: Result<ATTPDU, ATTClientError>, mtu: Int) -> ProcedureStep {
        switch response {
        case .success(.readByGroupTypeResponse(let response)):
            do throws(ATTClientError) {
                for entry in response.entries {
                    try search.advance(over: entry.handle, through: entry.groupEnd)
                    let uuid = try BluetoothUUID(attributeTypeBytes: entry.value)
                    services.append(RemoteService(uuid: uuid, handles: entry.handle...entry.groupEnd))
                }
                return next
            } catch { return .failed(error) }
        case .success: return .failed(.malformedResponse)
        case .failure(.refused(.attributeNotFound, _)): return .done(.services(services))
        case .failure(let error): return .failed(error)
        }
    }

    private var next: ProcedureStep {
        guard let range = search.range else { return .done(.services(services)) }
        return .request(
            .readByGroupTypeRequest(
                ATTReadByGroupTypeRequest(
                    startingHandle: range.lowerBound, endingHandle: range.upperBound, type: .primaryService)))
    }
}

/// Discover Primary Service by Service UUID (Core 5.4, Vol 3, Part G, 4.4.2).
struct ServiceDiscoveryByUUID: ProcedureMachine {
    private let uuid: BluetoothUUID
    private var search = HandleSearch(.all)
    private var services: [RemoteService] = []

    init(_ uuid: BluetoothUUID) { self.uuid = uuid }

    mutating func start(mtu: Int) -> ProcedureStep { next }

    mutating func receive(_ response: Result<ATTPDU, ATTClientError>, mtu: Int) -> ProcedureStep {
        switch response {
        case .success(.findByTypeValueResponse(let response)):
            do throws(ATTClientError) {
                for entry in response.entries {
                    try search.advance(over: entry.found, through: entry.groupEnd)
                    services.append(RemoteService(uuid: uuid, handles: entry.found...entry.groupEnd))
                }
                return next
            } catch { return .failed(error) }
        case .success: return .failed(.malformedResponse)
        case .failure(.refused(.attributeNotFound, _)): return .done(.services(services))
        case .failure(let error): return .failed(error)
        }
    }

    private var next: ProcedureStep {
        guard let range = search.range else { return .done(.services(services)) }
        return .request(
            .findByTypeValueRequest(
                ATTFindByTypeValueRequest(
                    startingHandle: range.lowerBound, endingHandle: range.upperBound, type: 0x2800,
                    value: uuid.attributeTypeBytes)))
    }
}
