// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import BluetoothCore

// MARK: - Finding

extension ATTServer {
    func findInformation(_ request: ATTFindInformationRequest) -> [ATTServerOutput] {
        let opcode = ATTOpcode.findInformationRequest
        if let refusal = refusal(of: opcode, from: request.startingHandle, to: request.endingHandle) { return refusal }
        let attributes = database[request.startingHandle...request.endingHandle]
        guard let first = attributes.first else { return refuse(opcode, request.startingHandle, .attributeNotFound) }
        let entryLength = 2 + first.type.attributeTypeBytes.count
        let entries = attributes.prefix((mtu - 2) / entryLength).prefix { $0.type.isShort == first.type.isShort }
        return [
            .send(ATTFindInformationResponse(entries.map { .init(handle: $0.handle, type: $0.type) }).pduBytes)
        ]
    }

    mutating func find(_ request: ATTFindByTypeValueRequest) -> [ATTServerOutput] {
        collect(
            .byValue(request.value), .findByTypeValueRequest, from: request.startingHandle, to: request.endingHandle,
            type: .bit16(request.type))
    }
}

// MARK: - Reading

extension ATTServer {
    mutating func read(_ request: ATTReadByTypeRequest) -> [ATTServerOutput] {
        collect(
            .byType, .readByTypeRequest, from: request.startingHandle, to: request.endingHandle, type: request.type)
    }

    mutating func read(_ request: ATTReadByGroupTypeRequest) -> [ATTServerOutput] {
        let opcode = ATTOpcode.readByGroupTypeRequest
        if let refusal = refusal(of: opcode, from: request.startingHandle, to: request.endingHandle) { return refusal }
        let type = request.type.shortest
        guard type.isSame(as: .primaryService) || type.isSame(as: .secondaryService) else {
            return refuse(opcode, request.startingHandle, .unsupportedGroupType)
        }
        return collect(.byGroupType, opcode, from: request.startingHandle, to: request.endingHandle, type: type)
    }

    /// Reads attributes of known handles.
    mutating func read(
        _ handles: [AttributeHandle], _ form: ValueCollection.Form, opcode: ATTOpcode
    ) -> [ATTServerOutput] {
        if form == .several || form == .severalWithLengths, handles.count < 2 {
            return refuse(opcode, .none, .invalidPDU)
        }
        var attributes: [Attribute] = []
        for handle in handles {
            guard let attribute = database[handle] else { return refuse(opcode, handle, .invalidHandle) }
            if let error = security.refusalToRead(attribute) {
                return refuse(opcode, handle, error) + [.refused(handle, write: nil, error)]
            }
            attributes.append(attribute)
        }
        return run(ValueCollection(attributes, form, request: opcode, startingHandle: handles[0]))
    }

    /// Reads attributes of a type.
    private mutating func collect(
        _ form: ValueCollection.Form, _ opcode: ATTOpcode, from start: AttributeHandle, to end: AttributeHandle,
        type: BluetoothUUID
    ) -> [ATTServerOutput] {
        if let refusal = refusal(of: opcode, from: start, to: end) { return refusal }
        let type = type.shortest
        let attributes = database[start...end].filter { $0.type.isSame(as: type) }
        return run(ValueCollection(attributes, form, request: opcode, startingHandle: start))
    }
}

// MARK: - Values

extension ATTServer {
    /// Goes on with a collection when the owner has answered.
    mutating func resume(
        _ collection: consuming ValueCollection, with result: Result<[UInt8], ATTError>
    ) -> [ATTServerOutput] {
        switch result {
        case .success(let value): collection.add(value, mtu: mtu)
        case .failure(let error):
            if let response = collection.fail(error) { return [.send(response.pduBytes)] }
        }
        return run(collection)
    }

    /// Collects values until all are there, or the owner must be asked.
    private mutating func run(_ collection: consuming ValueCollection) -> [ATTServerOutput] {
        while let attribute = collection.remaining.first {
            if let error = security.refusalToRead(attribute) {
                if let response = collection.fail(error) {
                    return [.send(response.pduBytes), .refused(attribute.handle, write: nil, error)]
                }
                continue
            }
            guard let value = ownValue(of: attribute) else {
                let token = makeToken()
                transaction = (token, .reading(collection))
                return [.read(token, handle: attribute.handle, uuid: attribute.type, offset: collection.offset)]
            }
            switch part(of: value, of: attribute, from: collection.offset) {
            case .success(let part): collection.add(part, mtu: mtu)
            case .failure(let error):
                if let response = collection.fail(error) { return [.send(response.pduBytes)] }
            }
        }
        return [.send(collection.response(mtu: mtu))]
    }

    /// The value of an attribute; `nil` when only the owner knows it.
    private mutating func ownValue(of attribute: Attribute) -> [UInt8]? {
        switch attribute.value {
        case .constant(let value): return value
        case .owner: return nil
        case .clientConfiguration(of: let handle, _): return subscription(to: handle).rawValue.littleEndianBytes
        case .serverConfiguration(of: let handle): return UInt16(broadcasts.contains(handle) ? 1 : 0).littleEndianBytes
        case .clientSupportedFeatures: return [client.features.rawValue]
        case .databaseHash:
            awareness.readHash()
            return database.hash
        }
    }

    private func part(of value: [UInt8], of attribute: Attribute, from offset: Int) -> Result<[UInt8], ATTError> {
        guard offset <= value.count else { return .failure(.invalidOffset) }
        // A client that takes a short value for a long one is told; one that asks for all of it may have it.
        if offset > 0, attribute.hasFixedLength, value.count <= mtu - 3 { return .failure(.attributeNotLong) }
        return .success(Array(value[offset...]))
    }
}

extension Attribute {
    /// Whether its value has one length for ever.
    fileprivate var hasFixedLength: Bool {
        switch value {
        case .clientConfiguration, .serverConfiguration, .databaseHash: true
        case .constant: !type.isSame(as: .characteristicUserDescription) && !type.isSame(as: .deviceName)
        case .owner, .clientSupportedFeatures: false
        }
    }
}

extension BluetoothUUID {
    fileprivate var isShort: Bool { if case .bit16 = self { true } else { false } }
}

extension FixedWidthInteger {
    /// Its octets in the Bluetooth order.
    var littleEndianBytes: [UInt8] {
        stride(from: 0, to: Self.bitWidth, by: 8).map { UInt8(truncatingIfNeeded: self >> $0) }
    }
}
