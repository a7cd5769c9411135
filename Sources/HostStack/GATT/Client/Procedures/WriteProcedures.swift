// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth

/// Write Characteristic Value, and Write Long Characteristic Values if the value does not fit into one PDU
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

/// Write Long Characteristic Values and Reliable Writes (Core 5.4, Vol 3, Part G, 4.9.4 and 4.9.5).
///
/// The server returns each part; if it refuses one or returns it changed, all are cancelled.
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

/// Finds the client characteristic configuration of a characteristic and writes it (Core 5.4, Vol 3, Part G, 4.7.1 and 4.12.3).
struct Subscribing: ProcedureMachine {
    private let characteristic: RemoteCharacteristic
    private let wanted: ClientCharacteristicConfiguration
    private var discovery: DescriptorDiscovery?
    private var writing: ValueWriting?

    init(to characteristic: RemoteCharacteristic, _ wanted: ClientCharacteristicConfiguration) {
        self.characteristic = characteristic
        self.wanted = wanted
        discovery = characteristic.descriptorHandles.map { DescriptorDiscovery(in: $0) }
    }

    mutating func start(mtu: Int) -> ProcedureStep { discovery?.start(mtu: mtu) ?? missing }

    mutating func receive(_ response: Result<ATTPDU, ATTClientError>, mtu: Int) -> ProcedureStep {
        if writing != nil { return writing?.receive(response, mtu: mtu) ?? missing }
        let step = discovery?.receive(response, mtu: mtu) ?? missing
        guard case .finished(.success(.descriptors(let descriptors))) = step else { return step }
        guard let descriptor = descriptors.first(where: { $0.uuid == .clientCharacteristicConfiguration }) else {
            return missing
        }
        var writing = ValueWriting(descriptor.handle, wanted.rawValue.littleEndianBytes)
        defer { self.writing = writing }
        return writing.start(mtu: mtu)
    }

    private var missing: ProcedureStep { .failed(.refused(.attributeNotFound, characteristic.value)) }
}
