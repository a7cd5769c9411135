// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
package import Devices
package import Receiving

extension BeaconRegion.Identifiers {
    /// The identifiers of a UUID and numbers, or of a namespace and an instance, as options, requests and profiles give them.
    /// - Throws: `ValueFault` for none or for both, and for a number without the one before it.
    package init(
        uuid: UUID128?, major: UInt16?, minor: UInt16?, namespace: [UInt8]?, instance: [UInt8]?
    ) throws(ValueFault) {
        let hasNumbers = uuid != nil || major != nil || minor != nil
        guard !hasNumbers || namespace == nil && instance == nil else {
            throw ValueFault("a region has a uuid or a namespace; leave one of them out")
        }
        if let namespace {
            self = .namespace(namespace, instance: instance)
            return
        }
        guard instance == nil else { throw ValueFault("an instance needs a namespace; write namespace, too") }
        guard let uuid else { throw ValueFault("a region has a uuid or a namespace; write one of them") }
        guard minor == nil || major != nil else {
            throw ValueFault("a minor number needs a major number; write major, too")
        }
        self = .numbers(uuid, major: major, minor: minor)
    }

    /// Reads them from a region in a profile, a scenario or a list; `nil` after a fault, which is added to the reader.
    init?(from reader: inout ProfileReader) {
        let keys = ["uuid", "major", "minor", "namespace", "instance"]
        let faults = reader.faults.count
        let uuid = reader.value("uuid", ValueText.uuid)
        let major = reader.value("major", ValueText.unsigned16)
        let minor = reader.value("minor", ValueText.unsigned16)
        let namespace = reader.value("namespace", ValueText.namespace)
        let instance = reader.value("instance", ValueText.instance)
        guard reader.faults.count == faults else { return nil }
        do throws(ValueFault) {
            try self.init(uuid: uuid, major: major, minor: minor, namespace: namespace, instance: instance)
        } catch {
            let last = keys.last(where: reader.has)
            reader.add(error.message, field: last, at: last.flatMap { reader.place(of: $0) } ?? reader.place)
            return nil
        }
    }

    /// As profiles have them: keys with values.
    var pairs: [String] {
        switch self {
        case .numbers(let uuid, let major, let minor):
            ["uuid: \(uuid)", major.map { "major: \($0)" }, minor.map { "minor: \($0)" }].compactMap(\.self)
        case .namespace(let namespace, let instance):
            [
                "namespace: \(DeviceWriter.quoted(Hexadecimal.string(namespace)))",
                instance.map { "instance: \(DeviceWriter.quoted(Hexadecimal.string($0)))" },
            ].compactMap(\.self)
        }
    }
}

extension ValueText {
    /// The namespace of an Eddystone-UID: 20 hexadecimal digits.
    /// - Throws: `ValueFault` for another text.
    package static func namespace(_ text: String) throws(ValueFault) -> [UInt8] { try bytes(text, 10) }

    /// The instance of an Eddystone-UID: 12 hexadecimal digits.
    /// - Throws: `ValueFault` for another text.
    package static func instance(_ text: String) throws(ValueFault) -> [UInt8] { try bytes(text, 6) }

    private static func bytes(_ text: String, _ count: Int) throws(ValueFault) -> [UInt8] {
        guard let bytes = try? Hexadecimal.bytes(text), bytes.count == count else {
            throw ValueFault("\"\(text)\" is not \(count) bytes; write \(count * 2) hexadecimal digits")
        }
        return bytes
    }
}
