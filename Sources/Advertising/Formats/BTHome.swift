// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

/// BTHome version 2, unencrypted: measurements and events of a sensor, as data of the 16-bit service 0xFCD2.
///
/// The format of bthome.io: a byte of device information, perhaps the address, then objects in ascending order of their IDs, each an
/// ID and a little-endian value (`kinds`). An object with an unlisted ID ends the decoding, because its length is unknown.
public struct BTHome: Hashable, Sendable {
    /// The UUID of the service data.
    public static let service: UInt16 = 0xFCD2
    /// The device information of version 2, without and with encryption.
    private static let plain: UInt8 = 0x40
    static let encrypted: UInt8 = 0x41
    /// The bit in the device information of a device that sends only on events.
    static let isTriggered: UInt8 = 0x04
    /// The bit of a frame with the address of the device in it.
    static let hasAddress: UInt8 = 0x02

    /// An object: its kind and its value.
    public struct Object: Hashable, Sendable {
        /// The kind.
        public let kind: Kind
        /// The value as in the frame, without the length that some kinds have.
        public let bytes: [UInt8]

        /// A number in the unit of the kind: a measurement, a state, an event, or seconds since 1970; `nil` for other kinds.
        public var value: Double? {
            switch kind.form {
            case .number(_, _, let step): Double(steps * step.numerator) / Double(step.denominator)
            case .state, .event, .timestamp: Double(steps)
            case .dimmer, .command, .text, .raw, .version: nil
            }
        }

        /// The bytes as an integer, the least significant one first.
        private var steps: Int {
            let number = bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
            guard case .number(let size, true, _) = kind.form, number >= 1 << (size * 8 - 1) else { return number }
            return number - 1 << (size * 8)
        }

        /// The value for people and in profiles, such as `25`, `50.55`, `4.2.1.0` or `press`.
        var text: String {
            switch kind.form {
            case .number, .state, .timestamp: value.map(BTHome.decimal) ?? ""
            case .event: "\(steps)"
            case .dimmer: "\(bytes[0]) \(bytes[1])"
            case .command, .raw: Hexadecimal.string(bytes)
            case .text: String(decoding: bytes, as: UTF8.self)
            case .version: bytes.reversed().map { "\($0)" }.joined(separator: ".")
            }
        }

        /// The value in JSON.
        var json: BeaconField.Value {
            switch kind.form {
            case .number(_, _, (1, 1)), .state, .event, .timestamp: .integer(steps)
            case .number: .number(value ?? 0)
            case .dimmer, .command, .text, .raw, .version: .text(text)
            }
        }
    }

    /// Whether the device sends only on events, instead of regularly.
    public internal(set) var isTriggered: Bool
    /// The address in the frame, the least significant byte first; `nil` for none.
    public internal(set) var addressBytes: [UInt8]?
    /// The objects in the order of the frame.
    public private(set) var objects: [Object]
    /// The bytes from the first object of an unknown kind on.
    public let undecoded: [UInt8]

    /// A frame without objects.
    init() { (isTriggered, addressBytes, objects, undecoded) = (false, nil, [], []) }

    /// A frame of these objects, as the encryption has them.
    package init(decrypted objects: [UInt8], isTriggered: Bool) {
        self.isTriggered = isTriggered
        addressBytes = nil
        (self.objects, undecoded) = Self.parse(objects[...])
    }

    /// The first object of a quantity, or of the kind with a name; `nil` if the frame has no such object.
    public subscript(_ name: String) -> Object? { objects.first { $0.kind.quantity == name || $0.kind.name == name } }

    /// The objects with their IDs, as they are encrypted.
    package var payload: [UInt8] {
        objects.flatMap { object -> [UInt8] in
            let length: [UInt8] =
                switch object.kind.form {
                // The operation is not part of the length.
                case .command: [UInt8(object.bytes.count - 1)]
                case .text, .raw: [UInt8(object.bytes.count)]
                default: []
                }
            return [object.kind.identifier] + length + object.bytes
        } + undecoded
    }

    /// Replaces the objects of a kind.
    /// - Parameter quantity: the quantity of which the objects of all kinds are replaced; `nil` for this kind alone.
    mutating func replace(_ kind: Kind, quantity: String?, by new: [Object]) {
        objects.removeAll { object in quantity.map { $0 == object.kind.quantity } ?? (object.kind == kind) }
        objects += new
        // Objects of one kind stay in their order.
        objects = objects.enumerated().sorted {
            ($0.element.kind.identifier, $0.offset) < ($1.element.kind.identifier, $1.offset)
        }.map(\.element)
    }

    private static func parse(_ bytes: ArraySlice<UInt8>) -> ([Object], undecoded: [UInt8]) {
        var objects: [Object] = []
        var rest = bytes
        while let identifier = rest.first, let kind = kindsByIdentifier[Int(identifier)] {
            var value = rest.dropFirst()
            let size: Int
            if let fixed = kind.form.size {
                size = fixed
            } else {
                guard let length = value.first else { break }
                value = value.dropFirst()
                // The upper bits of a command's length are reserved; its operation is not counted.
                size = kind.form == .command ? Int(length & 0x1F) + 1 : Int(length)
                guard kind.form != .command || length & 0xE0 == 0 else { break }
            }
            guard value.count >= size else { break }
            let object = Object(kind: kind, bytes: Array(value.prefix(size)))
            // Other bytes could not be written again from the text.
            guard kind.form != .text || String(validating: object.bytes, as: UTF8.self) != nil else { break }
            objects.append(object)
            rest = value.dropFirst(size)
        }
        return (objects, Array(rest))
    }

    /// A number without superfluous decimals.
    static func decimal(_ value: Double) -> String { Int(exactly: value).map { "\($0)" } ?? "\(value)" }

    /// Two hexadecimal digits.
    static func digits(_ byte: UInt8) -> String { Hexadecimal.string([byte]) }
}

extension BTHome: BeaconFormat {
    public static let formatName = "bthome"

    /// A sensor is known by its address.
    public var identity: BeaconIdentity? { nil }

    public init?(_ structure: AdvertisingStructure) {
        guard case .serviceData16(Self.service, let data) = structure, let information = data.first,
            information & ~(Self.isTriggered | Self.hasAddress) == Self.plain
        else { return nil }
        isTriggered = information & Self.isTriggered != 0
        var rest = data.dropFirst()
        if information & Self.hasAddress != 0 {
            guard rest.count >= 6 else { return nil }
            addressBytes = Array(rest.prefix(6))
            rest = rest.dropFirst(6)
        }
        (objects, undecoded) = Self.parse(rest)
    }

    public var structure: AdvertisingStructure {
        let information =
            Self.plain | (isTriggered ? Self.isTriggered : 0) | (addressBytes == nil ? 0 : Self.hasAddress)
        return .serviceData16(Self.service, [information] + (addressBytes ?? []) + payload)
    }

    public var fields: [BeaconField] {
        var quantities: [String] = []
        for object in objects where !quantities.contains(object.kind.quantity) {
            quantities.append(object.kind.quantity)
        }
        var fields = quantities.map { quantity in
            let own = objects.filter { $0.kind.quantity == quantity }
            let texts = own.map { $0.text + ($0.kind.unit.isEmpty ? "" : " \($0.kind.unit)") }
            let values = own.map(\.json)
            return BeaconField(
                quantity, values.count == 1 ? values[0] : .list(values),
                text: "\(quantity) \(texts.joined(separator: ", "))")
        }
        if let addressBytes {
            let text = addressBytes.reversed().map { Self.digits($0).uppercased() }.joined(separator: ":")
            fields.append(BeaconField("address", .text(text), text: "address \(text)"))
        }
        if !undecoded.isEmpty {
            let digits = Hexadecimal.string(undecoded)
            fields.append(BeaconField("undecoded", .text(digits), text: "undecoded \(digits)"))
        }
        return fields
    }
}

extension BTHome: TransmittableBeacon {
    package static let template = BTHome()

    package func advertisingData(flags: AdvertisingFlags?) -> AdvertisingData {
        AdvertisingData([flags.map { .flags($0) }, structure].compactMap { $0 })
    }

    package static let keys = kinds.map(key(of:)) + [trigger]
    package static let requiredKeys: [String] = []

    private static let truths = ["true": 1.0, "false": 0.0]
    /// The most objects of a kind that a value can have; a PDU has room for fewer.
    private static let mostObjects = 16

    /// The kinds of a quantity, in the order of their IDs. The first one that can have a value has it.
    private static func kinds(of quantity: String) -> [Kind] { kinds.filter { $0.quantity == quantity } }

    private static func key(of kind: Kind) -> BeaconKey<BTHome> {
        let candidates = kind.name == kind.quantity ? kinds(of: kind.quantity) : [kind]
        let summary = kind.quantity.prefix(1).uppercased() + kind.quantity.dropFirst().replacing("-", with: " ")
        var key = BeaconKey<BTHome>(
            kind.name, summary + (kind.name == kind.quantity ? "" : ", object 0x\(digits(kind.identifier))"),
            meaning(of: candidates), shape(of: candidates)
        ) { text, frame in
            // Several objects of a kind are a list; a text may have commas itself.
            let parts =
                kind.form == .text
                ? [text]
                : text.split(separator: ",", omittingEmptySubsequences: false).map {
                    $0.drop { $0 == " " }.description
                }
            guard parts.count <= mostObjects else { return false }
            var objects: [Object] = []
            for part in parts {
                guard let object = candidates.lazy.compactMap({ $0.object(part) }).first else { return false }
                objects.append(object)
            }
            frame.replace(kind, quantity: kind.name == kind.quantity ? kind.quantity : nil, by: objects)
            return true
        } text: { frame in
            let own = frame.objects.filter { $0.kind == kind }
            return own.isEmpty ? nil : own.map(\.text).joined(separator: ", ")
        }
        key.isList = kind.form != .text
        return key
    }

    private static let trigger = BeaconKey<BTHome>(
        "trigger", "Whether the device sends only on events, instead of regularly", "true or false", .boolean
    ) { text, frame in
        guard let state = truths[text] else { return false }
        frame.isTriggered = state == 1
        return true
    } text: { frame in
        frame.isTriggered ? "true" : nil
    }

    package static let example: KeyValuePairs = ["temperature": "21.5", "humidity": "50.5"]
}

extension BTHome.Kind {
    /// The range of the numbers that it can have, in its unit; `nil` for a kind without numbers.
    var range: ClosedRange<Double>? {
        switch form {
        case .number(let bytes, let isSigned, let step):
            let steps = 1 << (bytes * 8 - (isSigned ? 1 : 0))
            let unit = { (count: Int) in Double(count * step.numerator) / Double(step.denominator) }
            return unit(isSigned ? -steps : 0)...unit(steps - 1)
        case .state: return 0...1
        case .event: return 0...255
        case .timestamp: return 0...4_294_967_295
        case .dimmer, .command, .text, .raw, .version: return nil
        }
    }

    /// The object of a text; `nil` if it cannot have it.
    func object(_ text: String) -> BTHome.Object? {
        bytes(text).map { BTHome.Object(kind: self, bytes: $0) }
    }

    private func bytes(_ text: String) -> [UInt8]? {
        switch form {
        case .number(let size, _, let step):
            guard let value = Double(text), let range, range.contains(value), !text.contains("x") else { return nil }
            let steps = Int((value * Double(step.denominator) / Double(step.numerator)).rounded())
            return (0..<size).map { UInt8(truncatingIfNeeded: steps >> ($0 * 8)) }
        case .state:
            return ["true": [1], "false": [0], "1": [1], "0": [0]][text]
        case .event: return UInt8(text).map { [$0] }
        case .timestamp:
            return UInt32(text).map { seconds in (0..<4).map { UInt8(truncatingIfNeeded: seconds >> ($0 * 8)) } }
        case .dimmer:
            let numbers = text.split(separator: " ").map { UInt8($0) }
            guard numbers.count == 2, let event = numbers[0], let steps = numbers[1] else { return nil }
            return [event, steps]
        case .command, .raw:
            guard let bytes = try? Hexadecimal.bytes(text), bytes.count < 32, form != .command || !bytes.isEmpty else {
                return nil
            }
            return bytes
        case .text: return text.utf8.count < 32 ? Array(text.utf8) : nil
        case .version(let size):
            let numbers = text.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
            guard numbers.count == size else { return nil }
            let known = numbers.compactMap(\.self)
            return known.count == size ? known.reversed() : nil
        }
    }
}

extension BTHome {
    private static func meaning(of kinds: [Kind]) -> String {
        guard let first = kinds.first else { return "" }
        let unit = first.unit.isEmpty ? "" : " \(first.unit)"
        switch first.form {
        case .state: return "true or false, or several with commas between them"
        case .dimmer: return "the number of an event (1 left, 2 right) and the number of steps, such as 1 3"
        case .command: return "hexadecimal digits: the operation and its arguments, such as 02"
        case .raw: return "up to 31 bytes as hexadecimal digits"
        case .text: return "a text of up to 31 bytes"
        case .version:
            let counts = kinds.compactMap(\.form.size).sorted().map { "\($0)" }.joined(separator: " or ")
            return "\(counts) numbers with dots between them, such as \(first.form.size == 4 ? "4.2.1.0" : "6.1.0")"
        case .event: return "a whole number from 0 to 255, such as 1 for a press"
        case .timestamp: return "the seconds since 1970, a whole number"
        case .number:
            let ranges = kinds.compactMap(\.range)
            let least = decimal(ranges.map(\.lowerBound).min() ?? 0)
            let most = decimal(ranges.map(\.upperBound).max() ?? 0)
            return "a number from \(least) to \(most)\(unit), or several with commas between them"
        }
    }

    private static func shape(of kinds: [Kind]) -> ValueShape {
        guard let first = kinds.first else { return .any }
        let number = "[+-]?[0-9]+(\\.[0-9]+)?"
        switch first.form {
        case .state: return .either([.boolean, .pattern("(true|false|0|1)(, *(true|false|0|1))*", looksLike: .scalar)])
        case .dimmer: return .pattern("[0-9]+ [0-9]+")
        case .command, .raw: return .bytes((first.form == .command ? 1 : 0)...31)
        case .text: return .text(0...31)
        case .version:
            let counts = kinds.compactMap(\.form.size).map { $0 - 1 }
            return .pattern("[0-9]+(\\.[0-9]+){\(counts.min() ?? 2),\(counts.max() ?? 3)}", looksLike: .scalar)
        case .event: return .integer(0...255)
        case .timestamp: return .integer(0...4_294_967_295)
        case .number:
            let ranges = kinds.compactMap(\.range)
            let range = (ranges.map(\.lowerBound).min() ?? 0)...(ranges.map(\.upperBound).max() ?? 0)
            return .either([.number(range), .pattern("\(number)(, *\(number))+")])
        }
    }
}

/// BTHome version 2, encrypted: its objects can be read with the bind key of the device.
public struct EncryptedBTHome: Hashable, Sendable {
    /// The device information, such as 0x41.
    public let information: UInt8
    /// The address in the frame, the least significant byte first; `nil` for none.
    public let address: [UInt8]?
    /// The encrypted objects.
    public package(set) var ciphertext: [UInt8]
    /// The counter.
    public let counter: UInt32
    /// The message integrity code, 4 bytes.
    public package(set) var code: [UInt8]

    /// Whether the device sends only on events.
    public var isTriggered: Bool { information & BTHome.isTriggered != 0 }
}

extension EncryptedBTHome: BeaconFormat {
    public static let formatName = "bthome-encrypted"

    /// A sensor is known by its address.
    public var identity: BeaconIdentity? { nil }

    public init?(_ structure: AdvertisingStructure) {
        guard case .serviceData16(BTHome.service, let data) = structure, let information = data.first,
            information & ~(BTHome.isTriggered | BTHome.hasAddress) == BTHome.encrypted
        else { return nil }
        let header = information & BTHome.hasAddress == 0 ? 1 : 7
        guard data.count >= header + 8 else { return nil }
        self.information = information
        address = header == 7 ? Array(data[1..<7]) : nil
        ciphertext = Array(data[header..<data.count - 8])
        counter = data[(data.count - 8)..<(data.count - 4)].reversed().reduce(0) { $0 << 8 | UInt32($1) }
        code = Array(data.suffix(4))
    }

    public var structure: AdvertisingStructure {
        let count = (0..<4).map { UInt8(truncatingIfNeeded: counter >> ($0 * 8)) }
        return .serviceData16(BTHome.service, [information] + (address ?? []) + ciphertext + count + code)
    }

    public var fields: [BeaconField] {
        let digits = Hexadecimal.string(ciphertext)
        return [
            BeaconField("counter", .integer(Int(counter)), text: "counter \(counter)"),
            BeaconField("encrypted", .text(digits), text: "encrypted \(digits)"),
        ]
    }
}

extension EncryptedBTHome: EncryptedBeacon {
    package static var additional: [UInt8] { [] }

    /// The address, the service, the device information and the counter (bthome.io/encryption).
    package func nonce(_ sender: BluetoothAddress) -> [UInt8] {
        let own = address.map { $0.reversed() } ?? sender.octets
        return own + [0xD2, 0xFC, information] + (0..<4).map { UInt8(truncatingIfNeeded: counter >> ($0 * 8)) }
    }

    package func opened(_ message: [UInt8]) -> BeaconFrame? {
        BeaconFrame(BTHome(decrypted: message, isTriggered: isTriggered))
    }
}

extension BTHome: EncryptableBeacon {
    package func encryptable(from sender: BluetoothAddress, counter: UInt32) -> any EncryptedBeacon {
        EncryptedBTHome(
            information: Self.encrypted | (isTriggered ? Self.isTriggered : 0), address: nil, ciphertext: payload,
            counter: counter, code: [])
    }

    package static var keysWithoutEncryption: [String] { [] }
}
