// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
package import Devices
package import Receiving

/// Expectations of `beaconry expect`, which are waited for at the same time.
package struct ExpectationList: Hashable, Sendable {
    /// What is expected.
    package enum Subject: Hashable, Sendable {
        /// Advertisements.
        case advertisement([AdvertisementCriterion], AdvertisementExpectation.Condition.Presence, Count)
        /// A value of a characteristic, of the first device whose advertisement meets the criteria.
        case value([AdvertisementCriterion], BluetoothUUID, [UInt8])
        /// Events of a run, as a condition of `ctl wait`, their exact number, `nil` for at least one, and whether beacons and
        /// hosts of the condition need not be there yet.
        case event(String, count: Int?, mayAppear: Bool)
    }

    /// A number of advertisements or of different senders.
    package struct Count: Hashable, Sendable {
        /// The number, at least 1.
        package let number: Int
        /// What is counted.
        package let unit: AdvertisementExpectation.Condition.Unit

        package init(_ number: Int = 1, _ unit: AdvertisementExpectation.Condition.Unit = .advertisements) {
            self.number = number
            self.unit = unit
        }
    }

    /// An expectation.
    package struct Entry: Hashable, Sendable {
        /// What is expected.
        package let subject: Subject
        /// The time limit; `nil` for the command's time limit.
        package let within: Duration?
        /// The line in the file, counted from 1.
        package let line: Int
    }

    /// The expectations in the order of the file.
    package let entries: [Entry]

    /// Reads a list.
    /// - Parameters:
    ///   - text: the YAML.
    ///   - file: its path, for messages.
    ///   - sources: the files and environment variables that it may refer to; by default none.
    ///   - checkEvent: throws for a condition on events that is not valid.
    /// - Throws: `ProfileFaults` with all faults, each with line and column.
    package init(
        parsing text: String, file: String, sources: ProfileSources = ProfileSources(),
        checkEvent: (String) throws(ValueFault) -> Void
    ) throws(ProfileFaults) {
        let root = try ProfileExpansion.root(
            of: YAMLText(text, file: file), in: file, sources, kind: .expectations,
            example: "docs/receiving.md")
        var reader = ProfileReader(root, file: file, path: "", files: sources.files)
        guard root.mapping != nil else { throw ProfileFaults(reader.faults) }
        let entries = reader.requiredParts("expect", of: "expectation") { Self.entry(&$0, checkEvent) }
        let faults = reader.finish()
        guard faults.isEmpty else { throw ProfileFaults(faults) }
        self.entries = entries.compactMap(\.self)
    }

    private static func entry(
        _ reader: inout ProfileReader, _ checkEvent: (String) throws(ValueFault) -> Void
    ) -> Entry? {
        let within = reader.value("within", ValueText.duration)
        guard let subject = subject(&reader, checkEvent) else { return nil }
        return Entry(subject: subject, within: within, line: reader.place.line)
    }

    private static func subject(
        _ reader: inout ProfileReader, _ checkEvent: (String) throws(ValueFault) -> Void
    ) -> Subject? {
        guard reader.has("event") != reader.has("advertisement") else {
            let message =
                reader.has("event")
                ? "event and advertisement exclude each other; begin another expectation for one of them"
                : "what is expected is missing; write advertisement: { name: Thermo }, or event: connected"
            reader.acceptAllKeys()
            reader.add(message, field: nil, at: reader.place)
            return nil
        }
        let isAbsent = reader.value("absent", ValueText.boolean) ?? false
        if reader.has("event") {
            let event = reader.value("event") { text throws(ValueFault) -> String in
                try checkEvent(text)
                return text
            }
            let count = reader.value("count") { text throws(ValueFault) in try ValueText.integer(text, in: 0...10_000) }
            if isAbsent, count != nil { add("absent and count exclude each other for events", "count", &reader) }
            let mayAppear = reader.value("may-appear", ValueText.boolean) ?? false
            return event.map { .event($0, count: isAbsent ? 0 : count, mayAppear: mayAppear) }
        }
        let criteria = reader.part("advertisement", Self.criteria)
        if reader.has("value") {
            for key in ["absent", "count", "beacons"] where reader.has(key) {
                add("\(key) is for advertisements without a value", key, &reader)
                _ = reader.node(key)
            }
            let value = reader.part("value", Self.value)
            guard let criteria, let value else { return nil }
            return .value(criteria.list, value.characteristic, value.octets)
        }
        let count = reader.value("count") { text throws(ValueFault) in try ValueText.integer(text, in: 1...1_000_000) }
        let beacons = reader.value("beacons", ValueText.boolean) ?? false
        guard let criteria else { return nil }
        return .advertisement(
            criteria.list, isAbsent ? .absent : .present, Count(count ?? 1, beacons ? .beacons : .advertisements))
    }

    private static func add(_ message: String, _ key: String, _ reader: inout ProfileReader) {
        reader.add(message, field: key, at: reader.place(of: key))
    }

    private static func value(_ reader: inout ProfileReader) -> (characteristic: BluetoothUUID, octets: [UInt8])? {
        let characteristic = reader.required("characteristic", ValueText.bluetoothUUID)
        let octets = reader.required("hex", ValueText.octets)
        guard let characteristic, let octets else { return nil }
        return (characteristic, octets)
    }

    private static func criteria(_ reader: inout ProfileReader) -> AdvertisementCriteria? {
        var criteria = AdvertisementCriteria()
        criteria.uuids = list("uuid", ValueText.uuid, &reader)
        criteria.major = reader.value("major", ValueText.unsigned16)
        criteria.minor = reader.value("minor", ValueText.unsigned16)
        criteria.format = reader.value("format", ValueText.beaconFormat)
        criteria.fields =
            reader.pairs("fields", ValueText.name) { text throws(ValueFault) in ExpectedValue(text) } ?? [:]
        criteria.address = reader.value("address", ValueText.address)
        criteria.name = reader.value("name") { text throws(ValueFault) in ExpectedValue(text) }
        criteria.services = list("service", ValueText.bluetoothUUID, &reader)
        criteria.proximity = reader.value("proximity") { text throws(ValueFault) in
            try ValueText.choice(text, of: Proximity.self)
        }
        criteria.rssi = reader.value("rssi", ValueText.rssiRange)
        criteria.distance = reader.value("distance", ValueText.distanceRange)
        if let (key, message) = criteria.contradiction { add(message, key, &reader) }
        return criteria
    }

    /// One value, or a list of values.
    private static func list<Value>(
        _ key: String, _ parse: (String) throws(ValueFault) -> Value, _ reader: inout ProfileReader
    ) -> [Value] {
        guard reader.present(key)?.sequence == nil else { return reader.values(key, parse) ?? [] }
        return reader.value(key, parse).map { [$0] } ?? []
    }
}
