// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
import Devices
import Receiving

/// A kind of expectation: its key, which names a beacon or a region, and what may be beside it.
///
/// The parser, its messages and the JSON Schema of scenarios follow from the rows. A new kind is a row of `all`, a case of
/// `ScenarioExpectation.Subject` with its words, and its check in `ScenarioVerdict`.
package struct ExpectationKind: Sendable {
    /// What the value of the key is: a name, or a bound.
    enum Value: Sendable {
        /// The name of a beacon, of a region, or of either.
        case beacon, region, regionOrBeacon
        /// The name of a receiver.
        case receiver
        /// The greatest value that is expected, with its unit: `..10%`.
        case bound(ValueShape)

        /// What is named, for messages.
        var noun: String {
            switch self {
            case .beacon: "beacon"
            case .region: "region"
            case .regionOrBeacon: "region or beacon"
            case .receiver: "receiver"
            case .bound: "bound"
            }
        }
    }

    /// Whose it is: the key beside it that names one.
    enum Owner: String {
        /// That of a receiver.
        case receiver
        /// That of a beacon, received by several receivers.
        case beacon
        /// That of what the value names.
        case value
    }

    /// How it is in time, which decides which of the keys that all kinds share may be beside it.
    enum Nature {
        /// It happens at a moment: not with `at`; its `count` may be given.
        case event
        /// It happens at a moment, and how often depends on radio: neither with `at` nor with `count`.
        case reception
        /// It is a number of events, the `count`: not with `at`.
        case number
        /// It is in each ranging report: at a moment, for some time (`for`), or in all reports of a period.
        case ranged
        /// It lasts: at a moment, or during a whole period.
        case state
        /// It is a figure of a whole period: not with `at`.
        case figure

        /// Whether it has no duration, or only has one, so that no moment can be named.
        var isMomentary: Bool { self == .event || self == .reception || self == .number || self == .figure }
        /// Whether it can be so during a whole period.
        var canLast: Bool { self == .ranged || self == .state }
    }

    typealias Reading = @Sendable (String, inout ProfileReader) -> ScenarioExpectation.Subject?

    /// The key.
    package let key: String
    /// What the value of the key is.
    package let meaning: String
    let value: Value
    let nature: Nature
    /// Whose it is.
    let owner: Owner
    /// Whether it is met by what does not happen.
    let isAbsence: Bool
    /// What the region must announce; `nil` for nothing.
    let announcement: Announcement.Kind?
    /// The keys beside it that are its own.
    package let parts: [ExpectationKey]
    /// What is expected, by the name and the keys beside it; `nil` after a fault was added to the reader.
    let subject: Reading

    private init(
        _ key: String, _ meaning: String, _ nature: Nature, of value: Value = .beacon, owner: Owner = .receiver,
        isAbsence: Bool = false, announcing announcement: Announcement.Kind? = nil, parts: [ExpectationKey] = [],
        _ subject: @escaping Reading
    ) {
        self.key = key
        self.meaning = meaning
        self.value = value
        self.nature = nature
        self.owner = owner
        self.isAbsence = isAbsence
        self.announcement = announcement
        self.parts = parts
        self.subject = subject
    }

    /// The form of the value that is a bound; `nil` for a name.
    package var bound: ValueShape? { if case .bound(let shape) = value { shape } else { nil } }

    /// All kinds, in the order of messages.
    package static let all = [
        ExpectationKind("enters", "a region, or a beacon", .event, of: .regionOrBeacon) { name, _ in .enters(name) },
        ExpectationKind("exits", "a region, or a beacon", .event, of: .regionOrBeacon) { name, _ in .exits(name) },
        ExpectationKind("hello", "a region, whose hello is said", .event, of: .region, announcing: .hello) { name, _ in
            .announces(name, .hello)
        },
        ExpectationKind("goodbye", "a region, whose goodbye is said", .event, of: .region, announcing: .goodbye) {
            name, _ in .announces(name, .goodbye)
        },
        ExpectationKind("sees", "a beacon", .reception) { name, _ in .sees(name) },
        ExpectationKind("does-not-see", "a beacon", .reception, isAbsence: true) { name, _ in .sees(name) },
        ExpectationKind("nearest", "the beacon that ranging reports as the nearest", .ranged) { name, _ in
            .nearest(name)
        },
        ExpectationKind(
            "distance", "a beacon, whose distance is metres, plus or minus tolerance", .ranged,
            parts: [.metres, .tolerance]
        ) { name, reader in
            let metres = reader.required(ExpectationKey.metres.name, ValueText.metres)
            let tolerance = reader.required(ExpectationKey.tolerance.name, ValueText.metres)
            guard let metres, let tolerance else { return nil }
            return .distance(name, metres - abs(tolerance)...metres + abs(tolerance))
        },
        ExpectationKind("proximity", "a beacon, whose proximity is one of is", .ranged, parts: [.proximities]) {
            name, reader in reader.proximities().map { .proximity(name, $0) }
        },
        ExpectationKind("rssi", "a beacon, whose RSSI is within dbm", .state, parts: [.levels]) { name, reader in
            reader.range(ExpectationKey.levels.name, "[-70, -55]", ValueText.number).map { .rssi(name, $0) }
        },
        ExpectationKind("reports", "a beacon, of which count advertisements are received", .number) { name, reader in
            if !reader.has(ExpectationKey.count.name) {
                reader.add("\"count\" is missing", field: nil, at: reader.place)
            }
            return reader.expectedCount().map { .reports(name, $0) }
        },
        ExpectationKind("connected", "a beacon", .state) { name, _ in .connected(name) },
        ExpectationKind(
            "value", "a beacon, whose characteristic has the value hex", .event, parts: [.characteristic, .bytes]
        ) { name, reader in
            let characteristic = reader.required(ExpectationKey.characteristic.name, ValueText.bluetoothUUID)
            let value = reader.required(ExpectationKey.bytes.name, ScenarioValue.bytes)
            guard let characteristic, let value else { return nil }
            return .value(name, characteristic, value)
        },
        ExpectationKind("on-air", "a beacon", .state, owner: .value) { name, _ in .air(name, isOn: true) },
        ExpectationKind("off-air", "a beacon", .state, owner: .value) { name, _ in .air(name, isOn: false) },
        ExpectationKind(
            "strongest", "the receiver that receives a beacon best", .ranged, of: .receiver, owner: .beacon
        ) { name, _ in .strongest(name) },
        ExpectationKind(
            "room-error", "the share of the time in which the estimated room is not the true one, at most", .figure,
            of: .bound(.upToRate)
        ) { bound, reader in reader.bound("room-error", bound, "%").map { .roomError(upTo: $0 / 100) } },
        ExpectationKind(
            "median-error", "the median distance between the estimated and the true place in metres, at most", .figure,
            of: .bound(.upToMetres)
        ) { bound, reader in reader.bound("median-error", bound, "m").map { .medianError(upTo: $0) } },
    ]
}

/// A key of an expectation beside the one of its kind.
package struct ExpectationKey: Sendable {
    /// What the value is; the JSON Schema of the key follows from it.
    package enum Form: Sendable {
        case value(ValueShape)
        /// A list of this number of values.
        case list(ValueShape, ClosedRange<Int>)
        /// A single value, or a list of this number of values.
        case valueOrList(ValueShape, list: ValueShape, ClosedRange<Int>)
    }

    /// The key.
    package let name: String
    /// What it is.
    package let meaning: String
    /// The form of its value.
    package let form: Form

    private init(_ name: String, _ meaning: String, _ form: Form) {
        self.name = name
        self.meaning = meaning
        self.form = form
    }

    // Of one kind.
    static let metres = ExpectationKey("metres", "in metres", .value(.metres))
    static let tolerance = ExpectationKey("tolerance", "in metres", .value(.metres))
    static let proximities = ExpectationKey(
        "is", "the accepted proximities", .valueOrList(.proximity, list: .proximity, 1...Int.max))
    static let levels = ExpectationKey(
        "dbm", "the lowest and the highest RSSI, such as [-70, -55]", .list(.anyNumber, 2...2))
    static let characteristic = ExpectationKey("characteristic", "2A19, or 128 bits", .value(.bluetoothUUID))
    static let bytes = ExpectationKey("hex", "hexadecimal digits", .value(.octets))

    // Of several.
    static let count = ExpectationKey(
        "count", "10, 10+, or [9, 11]", .valueOrList(.counts, list: .count, 2...2))
    static let hold = ExpectationKey("for", "the time for which it must hold, such as 3s", .value(.duration))
    static let required = ExpectationKey(
        "require", "the least pass rate over many seeds, such as 95%", .value(.rate))
    static let by = ExpectationKey("by", "the latest time", .value(.duration))
    static let at = ExpectationKey("at", "the time", .value(.duration))
    static let within = ExpectationKey(
        "within", "the time after after, or after the beginning", .value(.duration))
    static let after = ExpectationKey("after", "the beginning of within", .value(.duration))
    static let between = ExpectationKey(
        "between", "from one time to another, such as [10s, 20s]", .list(.duration, 2...2))
    static let never = ExpectationKey("never", "whether it must not be so", .value(.boolean))

    /// The keys that several kinds have.
    static let shared = [count, hold, required, by, at, within, after, between, never]
    /// All keys.
    package static let all = ExpectationKind.all.flatMap(\.parts) + shared
}

extension ValueShape {
    /// A proximity that can be expected.
    package static let proximity = ValueShape.choice(expectedProximities.map(\.rawValue))
    /// A pass rate.
    package static let rate = ValueShape.pattern("[0-9.]+ *%")
    /// A number of events, exactly or, with a plus sign, at least.
    package static let counts = ValueShape.either([count, .pattern("[0-9]+[+]")])
    /// A number of events.
    package static let count = ValueShape.integer(counted, isHexadecimal: true)

    /// The greatest share that is expected.
    package static let upToRate = ValueShape.pattern("[.][.][0-9.]+ *%")
    /// The greatest number of metres that is expected.
    package static let upToMetres = ValueShape.pattern("[.][.][0-9.]+ *m")

    static let expectedProximities = Proximity.allCases.filter { $0 != .unknown }
    static let counted = 0...1_000_000_000
}
