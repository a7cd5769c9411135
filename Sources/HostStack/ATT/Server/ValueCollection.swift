// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth

/// The values that a request wants, as they come in one by one.
struct ValueCollection: Sendable {
    /// What is wanted of them.
    enum Form: Hashable, Sendable {
        /// The start of one.
        case whole
        /// One from an offset on.
        case part(offset: Int)
        /// Several, one behind the other.
        case several
        /// Several with their lengths.
        case severalWithLengths
        /// All of a type, as long as they have the length of the first.
        case byType
        /// All of a type that groups attributes, as long as they have the length of the first.
        case byGroupType
        /// The handles of all that are this.
        case byValue([UInt8])
    }

    let form: Form
    let request: ATTOpcode
    /// Where the request begins, which an error names when nothing is found.
    private let startingHandle: AttributeHandle
    /// Whose values are still to be had; the first is the next.
    private(set) var remaining: ArraySlice<Attribute>
    private var found: [(attribute: Attribute, value: [UInt8])] = []

    init(_ attributes: [Attribute], _ form: Form, request: ATTOpcode, startingHandle: AttributeHandle) {
        self.form = form
        self.request = request
        self.startingHandle = startingHandle
        remaining = attributes[...]
    }

    /// Where the wanted values begin.
    var offset: Int { if case .part(let offset) = form { offset } else { 0 } }

    /// Takes the value of the next attribute.
    mutating func add(_ value: [UInt8], mtu: Int) {
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

    /// Takes an entry of a list, or ends the list with those before it.
    private mutating func add(_ value: [UInt8], of attribute: Attribute, entryHeader: Int, capacity: Int) {
        let hasLengthOfFirst = found.first.map { $0.value.count == value.count } ?? true
        guard hasLengthOfFirst, (found.count + 1) * (entryHeader + value.count) <= capacity else {
            remaining = []
            return
        }
        found.append((attribute, value))
    }

    /// The next attribute has no value to give.
    /// - Returns: what the client is told at once; `nil` when it is told what there is.
    mutating func fail(_ error: ATTError) -> ATTErrorResponse? {
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

    /// What the client is told when all values are there.
    func response(mtu: Int) -> [UInt8] {
        switch form {
        case .whole:
            return ATTReadResponse(value: octets(atMost: mtu - 1)).pduBytes
        case .part:
            return ATTReadBlobResponse(value: octets(atMost: mtu - 1)).pduBytes
        case .several:
            return ATTReadMultipleResponse(values: octets(atMost: mtu - 1)).pduBytes
        case .severalWithLengths:
            return valuesWithLengths(mtu: mtu).pduBytes
        case .byType, .byGroupType, .byValue:
            return list
        }
    }

    /// The start of all values, one behind the other.
    private func octets(atMost count: Int) -> [UInt8] {
        // Most are one, and short.
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
