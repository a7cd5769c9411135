// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
package import Devices
package import Receiving
package import Space

/// What is known of the hardware of a receiver, and of how a person carries it: `nil` for what follows from its phone, or from the
/// physics of the air.
package struct ReceiverTraits: Hashable, Sendable {
    /// Where a person carries a receiver.
    package enum Carried: String, Hashable, Sendable, CaseIterable {
        case hand, pocket, none
    }

    /// Added to each RSSI that is reported, in dB.
    package var rssiOffset: Double?
    /// The RSSI in dBm at which one bit in 1,000 is wrong.
    package var sensitivity: Double?
    /// The standard deviation in dB of what differs from packet to packet.
    package var fast: Double?
    /// The antenna.
    package var antenna: ReceiverHardware.Antenna?
    /// Where a person carries it.
    package var carried: Carried?
    /// The direction that it faces, in degrees clockwise from north.
    package var heading: Double?

    /// Nothing is known.
    package init() {}

    /// The hardware on an air.
    /// - Parameters:
    ///   - phone: the phone that it receives like; what is known replaces what the phone and its handset have.
    ///   - propagation: the physics; a phone has a sensitivity of its own only where the physics has one.
    package func hardware(of phone: PhoneModel? = nil, in propagation: Propagation) -> ReceiverHardware {
        let ofPhone = propagation.sensitivity == nil ? nil : phone?.sensitivity
        return ReceiverHardware(
            rssiOffset: rssiOffset ?? phone?.handset?.offset ?? 0, sensitivity: sensitivity ?? ofPhone, fast: fast,
            antenna: antenna ?? .drawn, carried: carried.flatMap { Carrying.Place(rawValue: $0.rawValue) },
            heading: heading)
    }

    /// What differs from an ideal receiver.
    package init(of hardware: ReceiverHardware) {
        rssiOffset = hardware.rssiOffset == 0 ? nil : hardware.rssiOffset
        sensitivity = hardware.sensitivity
        fast = hardware.fast
        antenna = hardware.antenna == .drawn ? nil : hardware.antenna
        carried = hardware.carried.flatMap { Carried(rawValue: $0.rawValue) }
        heading = hardware.heading
    }

    /// The hardware with what is known.
    package func applied(to hardware: ReceiverHardware) -> ReceiverHardware {
        ReceiverTraits(of: hardware).replaced(by: self).hardware(in: Propagation())
    }

    /// The same, with what others have.
    package func replaced(by others: ReceiverTraits) -> ReceiverTraits {
        var traits = self
        for key in ReceiverKey.all {
            if let value = key.value(others) { key.set(value, in: &traits) }
        }
        return traits
    }
}

/// A key of a receiver that has a part of its `ReceiverTraits`.
///
/// The parser and the writer of profiles and scenarios, their schemas, what follows `?` in `--hci-server` and `--esphome`, and the members
/// of requests and records follow from the rows. A new key is a property of `ReceiverTraits`, a row of `all`, an option of
/// `ReceiverTraitOptions`, a parameter in Python and Swift, and its effect in the medium.
package struct ReceiverKey: Sendable {
    /// A value.
    package enum Value: Hashable, Sendable {
        case number(Double)
        case name(String)
    }

    /// The key.
    package let name: String
    /// Its name in JSON.
    package let member: String
    /// What it is; with its unit, if it is a number.
    package let meaning: String
    /// What it may be.
    package let shape: ValueShape
    /// A value for help texts, examples and tests.
    package let example: String
    /// The value; `nil` if it is not known.
    package let value: @Sendable (ReceiverTraits) -> Value?
    private let parsing: @Sendable (String) throws(ValueFault) -> Value
    private let change: @Sendable (inout ReceiverTraits, Value) -> Void

    /// All keys, in the order of profiles that are written.
    package static let all: [ReceiverKey] = [
        ReceiverKey(
            "rssi-offset", "rssiOffset", "what is added to each RSSI that it reports, in dB", -7.5,
            .number(ReceiverHardware.rssiOffsets, unit: "dB"), "an offset", \.rssiOffset),
        ReceiverKey(
            "sensitivity", "sensitivity", "the RSSI in dBm of the weakest signal that it receives", -90,
            .number(-120 ... -50, unit: "dBm"), "the sensitivity of a receiver", \.sensitivity),
        ReceiverKey(
            "fast", "fast", "the standard deviation from packet to packet in dB", 2,
            .number(0...20, unit: "dB"), "a standard deviation", \.fast),
        ReceiverKey(
            "antenna", "antenna", "the antenna: drawn (a pattern of its own) or isotropic", "isotropic",
            \.antenna),
        ReceiverKey("carried", "carried", "where a person carries it: hand, pocket or none", "pocket", \.carried),
        ReceiverKey(
            "heading", "heading", "the direction that it faces, in degrees clockwise from north", 90, .degrees,
            "a number of degrees", \.heading),
    ]

    /// A key with a number.
    private init(
        _ name: String, _ member: String, _ meaning: String, _ example: Double, _ shape: ValueShape, _ kind: String,
        _ path: any WritableKeyPath<ReceiverTraits, Double?> & Sendable
    ) {
        (self.name, self.member, self.meaning, self.shape) = (name, member, meaning, shape)
        self.example = ValueText.text(example)
        value = { $0[keyPath: path].map(Value.number) }
        parsing = { text throws(ValueFault) in .number(try ValueText.quantity(text, shape, kind)) }
        change = { traits, value in
            if case .number(let number) = value { traits[keyPath: path] = number }
        }
    }

    /// A key with one of several names.
    private init<Choice: RawRepresentable<String> & CaseIterable & SendableMetatype>(
        _ name: String, _ member: String, _ meaning: String, _ example: String,
        _ path: any WritableKeyPath<ReceiverTraits, Choice?> & Sendable
    ) {
        (self.name, self.member, self.meaning, self.example) = (name, member, meaning, example)
        shape = .choice(of: Choice.self)
        value = { $0[keyPath: path].map { .name($0.rawValue) } }
        parsing = { text throws(ValueFault) in .name(try ValueText.choice(text, of: Choice.self).rawValue) }
        change = { traits, value in
            if case .name(let name) = value { traits[keyPath: path] = Choice(rawValue: name) }
        }
    }

    /// Reads a value.
    /// - Throws: `ValueFault` for a value that is not possible, with the range or the names.
    package func set(_ text: String, in traits: inout ReceiverTraits) throws(ValueFault) {
        change(&traits, try parsing(text))
    }

    fileprivate func set(_ value: Value, in traits: inout ReceiverTraits) { change(&traits, value) }

    /// The value as profiles have it, `-7.5dB`; `nil` if it is not known.
    package func text(of traits: ReceiverTraits) -> String? {
        switch value(traits) {
        case nil: nil
        case .name(let name): name
        case .number(let number):
            if case .number(_, let unit) = shape { "\(ValueText.text(number))\(unit)" } else { ValueText.text(number) }
        }
    }
}

extension ReceiverTraits {
    /// Reads the keys of an entry of `receivers`. Faults are added to the reader.
    static func read(from reader: inout ProfileReader) -> ReceiverTraits {
        var traits = ReceiverTraits()
        for key in ReceiverKey.all {
            let read = reader.value(key.name) { text throws(ValueFault) -> ReceiverTraits in
                var traits = ReceiverTraits()
                try key.set(text, in: &traits)
                return traits
            }
            if let read { traits = traits.replaced(by: read) }
        }
        return traits
    }
}
