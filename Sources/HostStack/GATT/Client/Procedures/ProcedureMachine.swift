// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth

/// The next step of a procedure.
enum ProcedureStep: Sendable {
    /// Send this request, and return with its response.
    case request(ATTPDU)
    /// Send this command, and end.
    case command(ATTPDU)
    /// The maximum PDU length is agreed on; `nil` if the server does not support the exchange.
    case agreed(Int?)
    /// End with this result.
    case finished(Result<GATTResult, ATTClientError>)

    /// End successfully.
    static func done(_ result: GATTResult) -> ProcedureStep { .finished(.success(result)) }
    /// End with an error.
    static func failed(_ error: ATTClientError) -> ProcedureStep { .finished(.failure(error)) }
}

/// A procedure in progress: a sequence of requests, each of which depends on the previous response.
protocol ProcedureMachine: Sendable {
    /// The first step.
    mutating func start(mtu: Int) -> ProcedureStep
    /// The step after a response.
    mutating func receive(_ response: Result<ATTPDU, ATTClientError>, mtu: Int) -> ProcedureStep
}

extension GATTProcedure {
    /// The procedure before its first step.
    func machine(maximumMTU: UInt16) -> any ProcedureMachine {
        switch self {
        case .exchangeMTU: MTUExchange(maximumMTU: maximumMTU)
        case .discoverPrimaryServices: ServiceDiscovery(.primaryService)
        case .discoverSecondaryServices: ServiceDiscovery(.secondaryService)
        case .discoverPrimaryServicesByUUID(let uuid): ServiceDiscoveryByUUID(uuid)
        case .findIncludedServices(let handles): InclusionDiscovery(in: handles)
        case .discoverCharacteristics(let handles, let uuid): CharacteristicDiscovery(in: handles, uuid: uuid)
        case .discoverDescriptors(let handles): DescriptorDiscovery(in: handles)
        case .read(let handle): ValueReading(handle)
        case .readLong(let handle, let offset): ValueReading(handle, offset: offset)
        case .readByUUID(let uuid, let handles): ReadingByUUID(uuid, in: handles)
        case .readMultiple(let handles): MultipleReading(handles)
        case .write(let handle, let value): ValueWriting(handle, value)
        case .writeLong(let handle, let offset, let value): PreparedWriting(handle, offset: Int(offset), value)
        case .reliableWrite(let values): PreparedWriting(values)
        case .writeWithoutResponse(let handle, let value): CommandWriting(handle, value)
        case .subscribe(let handle, let wanted): ValueWriting(handle, wanted.rawValue.littleEndianBytes)
        case .subscribeTo(let characteristic, let wanted): Subscribing(to: characteristic, wanted)
        }
    }
}

/// A range of handles that is searched from start to end. It ends whatever the server answers.
struct HandleSearch: Hashable, Sendable {
    private let end: AttributeHandle
    /// The start of the next request; `nil` at the end.
    private(set) var start: AttributeHandle?

    init(_ handles: ClosedRange<AttributeHandle>) {
        start = max(handles.lowerBound, .first)
        end = handles.upperBound
        if end < .first { start = nil }
    }

    /// The range of the next request; `nil` at the end.
    var range: ClosedRange<AttributeHandle>? { start.map { $0...end } }

    /// Continues after attributes that were found.
    /// - Throws: `ATTClientError.malformedResponse` if they are outside the range, so that no server can prolong a search
    ///   without end.
    mutating func advance(
        over found: AttributeHandle, through groupEnd: AttributeHandle
    ) throws(ATTClientError) {
        guard let start, found >= start, found <= end, groupEnd >= found else { throw .malformedResponse }
        self.start = groupEnd < end ? groupEnd.successor : nil
    }

    /// Ends the search.
    mutating func finish() { start = nil }
}

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
        // A server that does not support the request accepts the default length.
        case .failure(.refused(.requestNotSupported, _)): .agreed(nil)
        case .failure(let error): .failed(error)
        }
    }
}
