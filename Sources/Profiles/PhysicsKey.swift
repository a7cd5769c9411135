// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
import Devices
package import Space

/// A key of `physics` in a profile: one number of the model of the virtual air, or several that belong together.
///
/// The parser and the writer of profiles, the JSON of an air, and both schemas follow from the rows. A new key is a property of
/// `Propagation`, a row of `all`, and its effect in `Medium`.
package struct PhysicsKey: Sendable {
    /// A number.
    package struct Number: Sendable {
        /// The key; empty for a number that is the value of the key of `physics` itself.
        package let name: String
        /// What it is, with its unit.
        package let meaning: String
        /// What it may be in a profile.
        package let shape: ValueShape
        let parse: @Sendable (String) throws(ValueFault) -> Double

        fileprivate init(
            _ name: String, _ meaning: String, _ shape: ValueShape,
            _ parse: @escaping @Sendable (String) throws(ValueFault) -> Double
        ) {
            self.name = name
            self.meaning = meaning
            self.shape = shape
            self.parse = parse
        }
    }

    /// What `off` is.
    package enum Off: Hashable, Sendable {
        /// The key has no `off`.
        case impossible
        /// The number 0, which is written as such.
        case zero
        /// The part of the model is absent, in JSON, too.
        case absent
    }

    /// The key.
    package let name: String
    /// What it is; with its unit, if it is one number.
    package let meaning: String
    /// Its numbers.
    package let numbers: [Number]
    /// What `off` is.
    package let off: Off
    /// The values of the numbers in a model; `nil` for one that is absent.
    package let values: @Sendable (Propagation) -> [Double]?
    private let change: @Sendable (inout Propagation, [Double]?) -> Void

    /// Whether the value of the key is a number, not a mapping.
    package var isNumber: Bool { numbers.count == 1 && numbers[0].name.isEmpty }

    /// All keys, in the order of profiles that are written.
    package static let all: [PhysicsKey] = [
        PhysicsKey(
            "exponent", "the path-loss exponent", .exponent, ValueText.exponent, off: .impossible,
            { $0.exponent }, { if let exponent = $1 { $0.setExponent(exponent) } }),
        PhysicsKey(
            "clutter", "the loss in dB for each metre beyond the first, through furniture and people", .decibels,
            ValueText.decibels, { $0.clutter == 0 ? nil : $0.clutter }, { $0.clutter = $1 ?? 0 }),
        PhysicsKey(
            "shadowing", "a loss that changes slowly with movement",
            [
                Number("sigma", "the standard deviation in dB", .decibels, ValueText.decibels),
                Number("distance", "the correlation distance in metres", .distance, ValueText.distance),
            ], { $0.shadowing.map { [$0.deviation, $0.distance] } },
            { $0.setShadowing($1.map { Propagation.Shadowing(deviation: $0[0], distance: $0[1]) }) }),
        // After exponent and shadowing, which set these, too.
        PhysicsKey(
            "open-space", "what replaces exponent and sigma where the profile has walls",
            [
                Number("exponent", "the path-loss exponent between the walls", .exponent, ValueText.exponent),
                Number(
                    "sigma", "the standard deviation of the shadowing between the walls in dB", .decibels,
                    ValueText.decibels),
            ], { $0.openSpace.map { [$0.exponent, $0.deviation] } },
            { $0.openSpace = $1.map { Propagation.OpenSpace(exponent: $0[0], deviation: $0[1]) } }),
        PhysicsKey(
            "fading", "reflections",
            [
                Number(
                    "k", "the ratio of the power of the direct path to the power of the reflections", .ratio,
                    ValueText.ratio)
            ], { $0.directPathRatio.map { [$0] } }, { $0.directPathRatio = $1?[0] }),
        PhysicsKey(
            "fast", "the standard deviation from packet to packet in dB", .decibels, ValueText.decibels,
            { $0.packetDeviation == 0 ? nil : $0.packetDeviation }, { $0.packetDeviation = $1 ?? 0 }),
        PhysicsKey(
            "antenna", "the standard deviation of the gain of a receiver's antenna over all directions in dB",
            .decibels,
            ValueText.decibels,
            { $0.antennaDeviation == 0 ? nil : $0.antennaDeviation }, { $0.antennaDeviation = $1 ?? 0 }),
        PhysicsKey(
            "sensitivity", "the RSSI in dBm of the weakest signal that is received, such as -95dBm", .sensitivity,
            ValueText.sensitivity, { $0.sensitivity }, { $0.sensitivity = $1 }),
        PhysicsKey(
            "capture", "how much stronger a packet must be to survive a collision, in dB", .decibels,
            ValueText.decibels,
            { $0.capture }, { $0.capture = $1 }),
        PhysicsKey(
            "interference", "packets of other networks, such as Wi-Fi",
            (37...39).map { Number("channel-\($0)", "the share of the time on \($0)", .percentage, share) } + [
                Number("burst", "the length of one of them in milliseconds", .burst, ValueText.burst),
                Number("level", "their power at a receiver in dBm", .sensitivity, ValueText.sensitivity),
            ],
            { model in
                model.interference.map { each in each.shares.map { $0 * 100 } + [each.burst * 1000, each.level] }
            },
            {
                $0.interference = $1.map {
                    Propagation.Interference(shares: $0[0..<3].map { $0 / 100 }, burst: $0[3] / 1000, level: $0[4])
                }
            }),
        PhysicsKey(
            "body", "the loss through the body of a person who has a receiver in a pocket, in dB", .decibels,
            ValueText.decibels, off: .zero, { $0.bodyLoss }, { $0.bodyLoss = $1 ?? 0 }),
        PhysicsKey(
            "hand", "the loss through the body of a person who has a receiver in the hand, in dB", .decibels,
            ValueText.decibels, off: .zero, { $0.handLoss }, { $0.handLoss = $1 ?? 0 }),
    ]

    private static func share(_ text: String) throws(ValueFault) -> Double {
        try ValueText.quantity(text, .percentage, "a percentage")
    }

    /// A key with one number.
    private init(
        _ name: String, _ meaning: String, _ shape: ValueShape,
        _ parse: @escaping @Sendable (String) throws(ValueFault) -> Double, off: Off = .absent,
        _ value: @escaping @Sendable (Propagation) -> Double?,
        _ change: @escaping @Sendable (inout Propagation, Double?) -> Void
    ) {
        self.name = name
        self.meaning = meaning
        numbers = [Number("", meaning, shape, parse)]
        self.off = off
        values = { value($0).map { [$0] } }
        self.change = { change(&$0, $1?[0]) }
    }

    /// A key with several numbers, or with a named one.
    private init(
        _ name: String, _ meaning: String, _ numbers: [Number],
        _ values: @escaping @Sendable (Propagation) -> [Double]?,
        _ change: @escaping @Sendable (inout Propagation, [Double]?) -> Void
    ) {
        self.name = name
        self.meaning = meaning
        self.numbers = numbers
        off = .absent
        self.values = values
        self.change = change
    }
}

// MARK: - Profiles

extension PhysicsKey {
    /// Reads the key into a model, which stays without it.
    func read(_ reader: inout ProfileReader, into model: inout Propagation) {
        if off != .impossible, reader.node(name)?.text == "off" { return change(&model, nil) }
        let values: [Double]?
        if isNumber {
            values = reader.value(name, numbers[0].parse).map { [$0] }
        } else {
            values = reader.part(name) { reader in
                let values = numbers.map { reader.required($0.name, $0.parse) }
                return values.contains(nil) ? nil : values.compactMap(\.self)
            }
        }
        if let values { change(&model, values) }
    }

    /// `fading: { k: 4 }`
    func text(of model: Propagation) -> String {
        guard let values = values(model) else { return "\(name): off" }
        let texts = zip(numbers, values).map { number, value in
            "\(number.name.isEmpty ? name : number.name): \(ProfileWriter.metres(value))\(number.shape.unit)"
        }
        return isNumber ? texts[0] : "\(name): { \(texts.joined(separator: ", ")) }"
    }
}

extension ValueShape {
    /// The unit of a number; empty for none.
    fileprivate var unit: String {
        if case .number(_, let unit) = self { unit } else { "" }
    }
}
