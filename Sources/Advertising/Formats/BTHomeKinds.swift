// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

extension BTHome {
    /// A kind of object: its ID, what it is, and how its value is stored.
    public struct Kind: Hashable, Sendable {
        /// How a value is stored, with its least significant byte first.
        enum Form: Hashable, Sendable {
            /// A number of steps in this number of bytes; a step is a fraction of the unit.
            case number(bytes: Int, isSigned: Bool, step: (numerator: Int, denominator: Int))
            /// A byte, 0 for off and 1 for on.
            case state
            /// A byte, the number of an event.
            case event
            /// A byte, the number of an event, and the number of steps that it took.
            case dimmer
            /// A length, an operation and its arguments.
            case command
            /// A length and UTF-8.
            case text
            /// A length and bytes.
            case raw
            /// Seconds since 1970 in four bytes.
            case timestamp
            /// Numbers with dots between them, the last one first.
            case version(bytes: Int)

            static func == (left: Form, right: Form) -> Bool { left.sortKey == right.sortKey }

            func hash(into hasher: inout Hasher) { hasher.combine(sortKey) }

            private var sortKey: [Int] {
                switch self {
                case .number(let bytes, let isSigned, let step):
                    [0, bytes, isSigned ? 1 : 0, step.numerator, step.denominator]
                case .state: [1]
                case .event: [2]
                case .dimmer: [3]
                case .command: [4]
                case .text: [5]
                case .raw: [6]
                case .timestamp: [7]
                case .version(let bytes): [8, bytes]
                }
            }

            /// The number of bytes; `nil` for a form that begins with its length.
            var size: Int? {
                switch self {
                case .number(let bytes, _, _), .version(let bytes): bytes
                case .state, .event: 1
                case .dimmer: 2
                case .timestamp: 4
                case .command, .text, .raw: nil
                }
            }
        }

        /// The object ID.
        public let identifier: UInt8
        /// What it measures or reports: the name in JSON, which kinds of other sizes share.
        public let quantity: String
        /// The name in profiles: that of the quantity; for a further kind of the same quantity with the object ID in hexadecimal
        /// digits after it, as `temperature-45`.
        public let name: String
        /// The unit for people; empty if the kind has no unit.
        public let unit: String
        let form: Form

        init(_ identifier: UInt8, _ quantity: String, _ unit: String, _ form: Form, isFirst: Bool = true) {
            self.identifier = identifier
            self.quantity = quantity
            self.unit = unit
            self.form = form
            name = isFirst ? quantity : quantity + "-" + BTHome.digits(identifier)
        }
    }

    private static func number(_ bytes: Int, _ perUnit: Int = 1) -> Kind.Form {
        .number(bytes: bytes, isSigned: false, step: (1, perUnit))
    }

    private static func signed(_ bytes: Int, _ perUnit: Int = 1) -> Kind.Form {
        .number(bytes: bytes, isSigned: true, step: (1, perUnit))
    }

    /// The kinds of objects of bthome.io/format, in the order of their IDs.
    public static let kinds: [Kind] = {
        var known: Set<String> = []
        return rows.map { identifier, quantity, unit, form in
            Kind(identifier, quantity, unit, form, isFirst: known.insert(quantity).inserted)
        }
    }()

    /// The kind of each ID; `nil` for an unknown one.
    static let kindsByIdentifier: [Kind?] = {
        var kinds = [Kind?](repeating: nil, count: 256)
        for kind in BTHome.kinds { kinds[Int(kind.identifier)] = kind }
        return kinds
    }()

    /// The states of binary sensors, whose IDs follow each other from 0x0F and from 0x15 on. The names of measurements have
    /// `-state` after them here.
    private static let states: [(UInt8, String)] = [
        (0x0F, "generic"), (0x10, "power-state"), (0x11, "opening"), (0x15, "battery-state"),
        (0x16, "battery-charging"),
        (0x17, "carbon-monoxide"), (0x18, "cold"), (0x19, "connectivity"), (0x1A, "door"), (0x1B, "garage-door"),
        (0x1C, "gas-state"), (0x1D, "heat"), (0x1E, "light"), (0x1F, "lock"), (0x20, "moisture-state"),
        (0x21, "motion"),
        (0x22, "moving"), (0x23, "occupancy"), (0x24, "plug"), (0x25, "presence"), (0x26, "problem"), (0x27, "running"),
        (0x28, "safety"), (0x29, "smoke"), (0x2A, "sound"), (0x2B, "tamper"), (0x2C, "vibration"), (0x2D, "window"),
    ]

    private static let rows: [(UInt8, String, String, Kind.Form)] =
        ([
            (0x00, "packet-id", "", number(1)), (0x01, "battery", "%", number(1)),
            (0x02, "temperature", "°C", signed(2, 100)), (0x03, "humidity", "%", number(2, 100)),
            (0x04, "pressure", "hPa", number(3, 100)), (0x05, "illuminance", "lx", number(3, 100)),
            (0x06, "mass", "kg", number(2, 100)), (0x07, "mass-lb", "lb", number(2, 100)),
            (0x08, "dew-point", "°C", signed(2, 100)), (0x09, "counter", "", number(1)),
            (0x0A, "energy", "kWh", number(3, 1000)), (0x0B, "power", "W", number(3, 100)),
            (0x0C, "voltage", "V", number(2, 1000)), (0x0D, "pm25", "µg/m³", number(2)),
            (0x0E, "pm10", "µg/m³", number(2)), (0x12, "co2", "ppm", number(2)), (0x13, "tvoc", "µg/m³", number(2)),
            (0x14, "moisture", "%", number(2, 100)), (0x2E, "humidity", "%", number(1)),
            (0x2F, "moisture", "%", number(1)), (0x3A, "button", "", .event), (0x3B, "command", "", .command),
            (0x3C, "dimmer", "", .dimmer), (0x3D, "counter", "", number(2)), (0x3E, "counter", "", number(4)),
            (0x3F, "rotation", "°", signed(2, 10)), (0x40, "distance", "mm", number(2)),
            (0x41, "distance-m", "m", number(2, 10)), (0x42, "time", "s", number(3, 1000)),
            (0x43, "current", "A", number(2, 1000)), (0x44, "velocity", "m/s", number(2, 100)),
            (0x45, "temperature", "°C", signed(2, 10)), (0x46, "uv-index", "", number(1, 10)),
            (0x47, "volume", "L", number(2, 10)), (0x48, "volume-ml", "mL", number(2)),
            (0x49, "volume-flow-rate", "m³/h", number(2, 1000)), (0x4A, "voltage", "V", number(2, 10)),
            (0x4B, "gas", "m³", number(3, 1000)), (0x4C, "gas", "m³", number(4, 1000)),
            (0x4D, "energy", "kWh", number(4, 1000)), (0x4E, "volume", "L", number(4, 1000)),
            (0x4F, "water", "L", number(4, 1000)), (0x50, "timestamp", "", .timestamp),
            (0x51, "acceleration", "m/s²", number(2, 1000)), (0x52, "gyroscope", "°/s", number(2, 1000)),
            (0x53, "text", "", .text), (0x54, "raw", "", .raw), (0x55, "volume-storage", "L", number(4, 1000)),
            (0x56, "conductivity", "µS/cm", number(2)), (0x57, "temperature", "°C", signed(1)),
            (0x58, "temperature", "°C", .number(bytes: 1, isSigned: true, step: (7, 20))),
            (0x59, "counter", "", signed(1)), (0x5A, "counter", "", signed(2)), (0x5B, "counter", "", signed(4)),
            (0x5C, "power", "W", signed(4, 100)), (0x5D, "current", "A", signed(2, 1000)),
            (0x5E, "direction", "°", number(2, 100)), (0x5F, "precipitation", "mm", number(2, 10)),
            (0x60, "channel", "", number(1)), (0x61, "rotational-speed", "rpm", number(2)),
            (0x62, "velocity", "m/s", signed(4, 1_000_000)), (0x63, "acceleration", "m/s²", signed(4, 1_000_000)),
            (0x64, "light-level", "", number(1)), (0x65, "settings-revision", "", number(1)),
            (0xF0, "device-type", "", number(2)), (0xF1, "firmware", "", .version(bytes: 4)),
            (0xF2, "firmware", "", .version(bytes: 3)),
        ] + states.map { ($0.0, $0.1, "", Kind.Form.state) }).sorted { $0.0 < $1.0 }
}
