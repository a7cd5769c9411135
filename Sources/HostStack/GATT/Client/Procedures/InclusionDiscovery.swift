// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import BluetoothCore

/// Find Included Services (Core 5.4, Vol 3, Part G, 4.5.1).
///
/// A declaration has room for a 16-bit type only; any other is read from the included service.
struct InclusionDiscovery: ProcedureMachine {
    private struct Inclusion: Sendable {
        let handle: AttributeHandle
        let service: ClosedRange<AttributeHandle>
        var uuid: BluetoothUUID?
    }

    private var search: HandleSearch
    private var inclusions: [Inclusion] = []

    init(in handles: ClosedRange<AttributeHandle>) { search = HandleSearch(handles) }

    mutating func start(mtu: Int) -> ProcedureStep { next }

    mutating func receive(_ response: Result<ATTPDU, ATTClientError>, mtu: Int) -> ProcedureStep {
        do throws(ATTClientError) {
            switch response {
            case .success(.readByTypeResponse(let response)):
                for entry in response.entries {
                    try search.advance(over: entry.handle, through: entry.handle)
                    inclusions.append(try Self.inclusion(entry))
                }
            case .success(.readResponse(let response)):
                guard let index = unresolved else { throw .malformedResponse }
                inclusions[index].uuid = try BluetoothUUID(attributeTypeBytes: response.value)
            case .success:
                throw .malformedResponse
            case .failure(.refused(.attributeNotFound, _)) where search.range != nil:
                search.finish()
            case .failure(let error):
                throw error
            }
            return next
        } catch { return .failed(error) }
    }

    private var unresolved: Int? { inclusions.firstIndex { $0.uuid == nil } }

    private var next: ProcedureStep {
        if let range = search.range {
            return .request(
                .readByTypeRequest(
                    ATTReadByTypeRequest(
                        startingHandle: range.lowerBound, endingHandle: range.upperBound, type: .include)))
        }
        if let unresolved {
            return .request(.readRequest(ATTReadRequest(handle: inclusions[unresolved].service.lowerBound)))
        }
        return .done(
            .inclusions(
                inclusions.compactMap { inclusion in
                    inclusion.uuid.map {
                        IncludedService(
                            handle: inclusion.handle,
                            service: RemoteService(uuid: $0, handles: inclusion.service))
                    }
                }))
    }

    private static func inclusion(_ entry: ATTReadByTypeResponse.Entry) throws(ATTClientError) -> Inclusion {
        var reader = ByteReader(entry.value)
        guard let start = try? AttributeHandle(parsing: &reader), let end = try? AttributeHandle(parsing: &reader),
            start <= end, reader.isAtEnd || reader.remaining == 2
        else { throw .malformedResponse }
        let short = try? reader.readLittleEndian(UInt16.self)
        return Inclusion(handle: entry.handle, service: start...end, uuid: short.map { .bit16($0) })
    }
}
