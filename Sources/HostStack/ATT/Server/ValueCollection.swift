// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth

/// The values of one read request, collected one by one, and its response.
struct ValueCollection: Sendable {
    /// The form of the response.
    enum Form: Hashable, Sendable {
        /// One value from its start.
        case whole
        /// One value from an offset.
        case part(offset: Int)
        /// Several values, joined.
        case several
        /// Several values with their lengths.
        case severalWithLengths
        /// The values of a type, while they have the length of the first one.
        case byType
        /// The values of a type that groups attributes, while they have the length of the first one.
        case byGroupType
        /// The handles of the attributes with this value.
        case byValue([UInt8])
    }

    /// The opcode of the request.
    let request: ATTOpcode
    private let form: Form
    /// The start of the request's range, which an error response names when nothing is found.
    private let startingHandle: AttributeHandle
    /// The attributes that are still to be read; the first one is next.
    private(set) var remaining: ArraySlice<Attribute>
    private var found: [(attribute: Attribute, value: [UInt8])] = []

    init(_ attributes: [Attribute], _ form: Form, request: ATTOpcode, startingHandle: AttributeHandle) {
        self.form = form
        self.request = request
        self.startingHandle = startingHandle
        remaining = attributes[...]
    }

    private var offset: Int { if case .part(let offset) = form { offset } else { 0 } }

    /// Collects values until the response is complete or the request fails.
    /// - Returns: the response and the reports; `nil` when the owner must be asked `question(_:)`.
    mutating func run(on access: inout AttributeAccess, mtu: Int) -> [ATTServerOutput]? {
        while let attribute = remaining.first {
            if let error = access.security.refusalToRead(attribute) {
                if let response = fail(error) {
                    return [.send(response.pduBytes), .refused(attribute.handle, write: nil, error)]
                }
                continue
            }
            guard let value = access.value(of: attribute) else { return nil }
            switch part(of: value, of: attribute, mtu: mtu) {
            case .success(let part): add(part, mtu: mtu)
            case .failure(let error):
                if let response = fail(error) { return [.send(response.pduBytes)] }
            }
        }
        return [.send(response(mtu: mtu))]
    }

    /// Asks the owner for the next value.
    func question(_ token: ATTToken) -> [ATTServerOutput] {
        guard let attribute = remaining.first else { return [] }
        return [.read(token, handle: attribute.handle, uuid: attribute.type, offset: offset)]
    }

    /// Takes the owner's answer.
    /// - Returns: the error response if the request failed, else `nil`: collect the rest.
    mutating func resume(with result: Result<[UInt8], ATTError>, mtu: Int) -> [ATTServerOutput]? {
        switch result {
        case .success(let value): add(value, mtu: mtu)
        case .failure(let error):
            if let response = fail(error) { return [.send(response.pduBytes)] }
        }
        return nil
    }

    /// The part of a value that is read, from the offset to its end.
    private func part(of value: [UInt8], of attribute: Attribute, mtu: Int) -> Result<[UInt8], ATTError> {
        guard offset <= value.count else { return .failure(.invalidOffset) }
        // Only reading from an offset is refused for a short value; reading it whole in this way is tolerated.
        if offset > 0, attribute.hasFixedLength, value.count <= mtu - 3 { return .failure(.attributeNotLong) }
        return .success(Array(value[offset...]))
    }

    /// Takes the value of the next attribute.
    private mutating func add(_ value: [UInt8], mtu: Int) {
        guard let attribute = remaining.popFirst() else { return }
        switch form {
        case .whole, .part, .several, .severalWithLengths:
            found.append((attribute, value))
        case .byType:
            add(Array(value.prefix(min(mtu - 4, 253))), of: attribute, entryHeader: 2, capacity: mtu - 2)
        case .byGroupType:
            add(Array(value.prefix(min(mtu - 6, 251))), of: attribute, entryHeader: 4, capacity: mtu - 2)
        case .byValue(let wanted):
            if value == wanted { add([], of: attribute, entryHeader: 4, capacity: mtu - 1) }
        }
    }

    /// Appends an entry to a list, or ends the list before it.
    private mutating func add(_ value: [UInt8], of attribute: Attribute, entryHeader: Int, capacity: Int) {
        let hasLengthOfFirst = found.first.map { $0.value.count == value.count } ?? true
        guard hasLengthOfFirst, (found.count + 1) * (entryHeader + value.count) <= capacity else {
            remaining = []
            return
        }
        found.append((attribute, value))
    }

    /// The next attribute cannot be read.
    /// - Returns: the error response; `nil` when the response consists of the values that were found.
    private mutating func fail(_ error: ATTError) -> ATTErrorResponse? {
        guard let attribute = remaining.popFirst() else { return nil }
        switch form {
        case .byValue:
            return nil
        case .byType, .byGroupType:
            remaining = []
            guard found.isEmpty else { return nil }
        case .whole, .part, .several, .severalWithLengths:
            break
        }
        return ATTErrorResponse(request: request, handle: attribute.handle, error: error)
    }

    private func response(mtu: Int) -> [UInt8] {
        switch form {
        case .whole:
            return ATTReadResponse(value: bytes(atMost: mtu - 1)).pduBytes
        case .part:
            return ATTReadBlobResponse(value: bytes(atMost: mtu - 1)).pduBytes
        case .several:
            return ATTReadMultipleResponse(value: bytes(atMost: mtu - 1)).pduBytes
        case .severalWithLengths:
            return valuesWithLengths(mtu: mtu).pduBytes
        case .byType, .byGroupType, .byValue:
            return list
        }
    }

    /// The joined values, cut to a length.
    private func bytes(atMost count: Int) -> [UInt8] {
        // Fast path: most requests read one short value.
        if found.count == 1, found[0].value.count <= count { return found[0].value }
        return Array(found.flatMap(\.value).prefix(count))
    }

    private func valuesWithLengths(mtu: Int) -> ATTReadMultipleVariableResponse {
        var entries: [ATTReadMultipleVariableResponse.Entry] = []
        var room = mtu - 1
        for (_, value) in found where room >= 2 {
            let part = Array(value.prefix(room - 2))
            entries.append(.init(length: UInt16(truncatingIfNeeded: value.count), value: part))
            room -= 2 + part.count
        }
        return ATTReadMultipleVariableResponse(entries)
    }

    private var list: [UInt8] {
        guard !found.isEmpty else {
            return ATTErrorResponse(request: request, handle: startingHandle, error: .attributeNotFound).pduBytes
        }
        switch form {
        case .byGroupType:
            return ATTReadByGroupTypeResponse(
                found.map { .init(handle: $0.attribute.handle, groupEnd: $0.attribute.groupEnd, value: $0.value) }
            ).pduBytes
        case .byValue:
            return ATTFindByTypeValueResponse(
                found.map { .init(found: $0.attribute.handle, groupEnd: $0.attribute.groupEnd) }
            ).pduBytes
        default:
            return ATTReadByTypeResponse(
                found.map { .init(handle: $0.attribute.handle, value: $0.value) }
            ).pduBytes
        }
    }
}

extension Attribute {
    /// Whether the length of its value never changes.
    fileprivate var hasFixedLength: Bool {
        switch value {
        case .clientConfiguration, .serverConfiguration, .databaseHash: true
        case .constant: !type.isSame(as: .characteristicUserDescription) && !type.isSame(as: .deviceName)
        case .owner, .clientSupportedFeatures: false
        }
    }
}
