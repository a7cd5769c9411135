// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth

/// What a procedure does next.
enum ProcedureStep: Sendable {
    /// Send this request and come back with its response.
    case request(ATTPDU)
    /// Send this command, and that was it.
    case command(ATTPDU)
    /// The longest PDU is agreed on; `nil` when the server leaves it as it is.
    case agreed(Int?)
    /// It has ended.
    case finished(Result<GATTResult, ATTClientError>)

    /// It has ended well.
    static func done(_ result: GATTResult) -> ProcedureStep { .finished(.success(result)) }
    /// It has come to nothing.
    static func failed(_ error: ATTClientError) -> ProcedureStep { .finished(.failure(error)) }
}

/// A procedure under way: requests, each made of the response before it.
protocol ProcedureMachine: Sendable {
    /// Its first step.
    mutating func start(mtu: Int) -> ProcedureStep
    /// The step behind a response.
    mutating func receive(_ response: Result<ATTPDU, ATTClientError>, mtu: Int) -> ProcedureStep
}

extension GATTProcedure {
    /// The procedure before its first step.
    func machine(maximumMTU: UInt16) -> any ProcedureMachine {
        switch self {
        case .exchangeMTU: MTUExchange(maximumMTU: maximumMTU)
        case .discoverPrimaryServices: ServiceDiscovery()
        case .discoverPrimaryServicesByUUID(let uuid): ServiceDiscoveryByUUID(uuid)
        case .findIncludedServices(let handles): InclusionDiscovery(in: handles)
        case .discoverCharacteristics(let handles, let uuid): CharacteristicDiscovery(in: handles, uuid: uuid)
        case .discoverDescriptors(let handles): DescriptorDiscovery(in: handles)
        case .read(let handle): ValueReading(handle)
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

/// A range of handles that is searched from its start to its end, however the server behaves.
struct HandleSearch: Hashable, Sendable {
    private let end: AttributeHandle
    /// Where the next request begins; `nil` when all is searched.
    private(set) var start: AttributeHandle?

    init(_ handles: ClosedRange<AttributeHandle>) {
        start = max(handles.lowerBound, .first)
        end = handles.upperBound
        if end < .first { start = nil }
    }

    /// What the next request is for; `nil` when all is searched.
    var range: ClosedRange<AttributeHandle>? { start.map { $0...end } }

    /// Goes behind attributes that were found.
    /// - Throws: `ATTClientError.malformedResponse` when they are not where they were searched, so that no server can
    ///   keep a search going for ever.
    mutating func advance(
        over found: AttributeHandle, through groupEnd: AttributeHandle
    ) throws(ATTClientError) {
        guard let start, found >= start, found <= end, groupEnd >= found else { throw .malformedResponse }
        self.start = groupEnd < end ? groupEnd.successor : nil
    }

    /// There is nothing more in the range.
    mutating func finish() { start = nil }
}
