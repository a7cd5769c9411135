// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth

/// Write Long Characteristic Values and Reliable Writes (Core 5.4, Vol 3, Part G, 4.9.4 and 4.9.5).
///
/// The server repeats each part; one that comes back changed, or is refused, takes all of them back.
struct PreparedWriting: ProcedureMachine {
    private enum State: Sendable {
        case preparing(ATTPrepareWriteRequest)
        case executing
        case cancelling(ATTClientError)
    }

    private struct Target: Sendable {
        let handle: AttributeHandle
        var offset: Int
        var value: ArraySlice<UInt8>
    }

    private var targets: ArraySlice<Target>
    private var state = State.executing

    init(_ handle: AttributeHandle, offset: Int, _ value: [UInt8]) {
        targets = [Target(handle: handle, offset: offset, value: value[...])]
    }

    init(_ values: [AttributeValue]) {
        targets = values.map { Target(handle: $0.handle, offset: 0, value: $0.value[...]) }[...]
    }

    mutating func start(mtu: Int) -> ProcedureStep {
        let isPossible = targets.allSatisfy { $0.offset + $0.value.count <= Int(UInt16.max) }
        return isPossible ? next(mtu: mtu) : .failed(.tooLong)
    }

    mutating func receive(_ response: Result<ATTPDU, ATTClientError>, mtu: Int) -> ProcedureStep {
        switch (state, response) {
        case (.preparing(let sent), .success(.prepareWriteResponse(let response))):
            guard response.handle == sent.handle, response.offset == sent.offset, response.value == sent.value else {
                return cancel(.preparedValueMismatch)
            }
            return next(mtu: mtu)
        case (.preparing, .failure(.refused(let error, let handle))): return cancel(.refused(error, handle))
        case (.executing, .success(.executeWriteResponse)): return .done(.done)
        case (.cancelling(let error), _): return .failed(error)
        case (_, .failure(let error)): return .failed(error)
        case (_, .success): return .failed(.malformedResponse)
        }
    }

    private mutating func next(mtu: Int) -> ProcedureStep {
        guard var target = targets.popFirst() else {
            state = .executing
            return .request(.executeWriteRequest(.write))
        }
        let part = Array(target.value.prefix(mtu - 5))
        let request = ATTPrepareWriteRequest(
            handle: target.handle, offset: UInt16(truncatingIfNeeded: target.offset), value: part)
        target.value = target.value.dropFirst(part.count)
        target.offset += part.count
        if !target.value.isEmpty { targets = [target] + targets }
        state = .preparing(request)
        return .request(.prepareWriteRequest(request))
    }

    private mutating func cancel(_ error: ATTClientError) -> ProcedureStep {
        state = .cancelling(error)
        return .request(.executeWriteRequest(.cancel))
    }
}
