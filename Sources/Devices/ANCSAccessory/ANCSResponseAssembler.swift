// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore

/// Puts the answer to one command together from the values of the data source.
///
/// These have no header of their own: the answer is whole when as many attributes have come as were asked for. It keeps no
/// more octets than such an answer can have.
package struct ANCSResponseAssembler: Hashable, Sendable {
    private let expected: ANCSResponse
    private let count: Int
    private var response: ANCSResponse?
    /// What has come and is not read yet.
    private var octets: [UInt8] = []

    /// For the answer to a command; `nil` for a command that has none.
    package init?(answering command: ANCSCommand) {
        switch command {
        case .notificationAttributes(let notification, let requests):
            expected = .notificationAttributes(notification, [])
            count = requests.count
        case .appAttributes(let app, let attributes):
            expected = .appAttributes(app, [])
            count = attributes.count
        case .performAction, .unknown: return nil
        }
    }

    /// Takes the next piece.
    /// - Returns: the answer, when it is whole; `nil` before.
    /// - Throws: `WireError` for what belongs to no answer to the command; nothing more comes of this one then.
    package mutating func append(_ piece: [UInt8]) throws(WireError) -> ANCSResponse? {
        octets += piece
        var reader = ByteReader(octets)
        if response == nil {
            guard let header = try Self.whole({ () throws(WireError) in try ANCSResponse(header: &reader) }) else {
                // A header has to end somewhere.
                guard octets.count <= expected.serialized().count else { throw Self.foreign }
                return nil
            }
            guard header == expected else { throw Self.foreign }
            response = header
            octets.removeFirst(reader.offset)
            reader = ByteReader(octets)
        }
        var taken = 0
        while let present = response, present.attributes.count < count,
            let attribute = try Self.whole({ () throws(WireError) in try ANCSAttribute(parsing: &reader) })
        {
            response?.append(attribute)
            taken = reader.offset
        }
        octets.removeFirst(taken)
        guard let response, response.attributes.count == count else { return nil }
        guard octets.isEmpty else { throw WireError(.trailingBytes(octets.count), offset: 0) }
        return response
    }

    private static let foreign = WireError(.badValue(field: "command or subject"), offset: 0)

    /// A value that may have come in part only; `nil` then.
    private static func whole<Value>(_ read: () throws(WireError) -> Value) throws(WireError) -> Value? {
        do throws(WireError) {
            return try read()
        } catch {
            if case .truncated = error.kind { return nil }
            throw error
        }
    }
}
