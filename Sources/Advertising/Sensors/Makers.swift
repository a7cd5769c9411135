// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// The sensors and tags of makers, a row each. docs/beacon-formats.md has the sources.
extension SensorLayout {
    private typealias Piece = SensorBits.Piece
    /// Hundredths, 8.8 fixed point, and so on.
    private typealias Scale = SensorField.Scale

    /// Zeros of a frame, with bytes at places.
    private static func template(_ count: Int, _ bytes: [Int: UInt8] = [:]) -> [UInt8] {
        (0..<count).map { bytes[$0] ?? 0 }
    }

    // MARK: - Ruuvi

    private static let ruuviClimate: [SensorField] = [
        .value("temperature", "°C", .int16(1), scale: .part(200), invalid: 0x8000),
        .value("humidity", "%", .uint16(3), scale: .part(400), invalid: 0xFFFF),
        .value(
            "pressure", "Pa", .uint16(5), scale: .linear(numerator: 1, denominator: 1, offset: 50_000), invalid: 0xFFFF),
    ]

    /// RAWv2 of RuuviTag.
    static let ruuvi5 = SensorLayout(
        name: "ruuvi-5", device: "RuuviTag", carrier: .manufacturer(0x0499), match: [(0, 5, 0xFF)],
        template: template(24, [0: 5]),
        fields: ruuviClimate + [
            .value("acceleration-x", "mg", .int16(7), invalid: 0x8000),
            .value("acceleration-y", "mg", .int16(9), invalid: 0x8000),
            .value("acceleration-z", "mg", .int16(11), invalid: 0x8000),
            .value(
                "voltage", "mV", .pieces(Piece(13), Piece(14, bit: 5, count: 3)),
                scale: .linear(numerator: 1, denominator: 1, offset: 1600), invalid: 0x7FF),
            .value(
                "power-in-frame", "dBm", .pieces(Piece(14, count: 5)),
                scale: .linear(numerator: 2, denominator: 1, offset: -40), invalid: 0x1F),
            .value("movements", "", .uint8(15), invalid: 0xFF), .counter("sequence", .uint16(16), invalid: 0xFFFF),
        ], address: Address(place: 18, order: .big),
        example: ["temperature": "24.3", "humidity": "53.49", "pressure": "100044"])

    private static let ruuviFlags: [SensorField] = [.state("calibrating", 16, bit: 0)]

    /// Ruuvi Air in legacy advertising.
    static let ruuvi6 = SensorLayout(
        name: "ruuvi-6", device: "Ruuvi Air", carrier: .manufacturer(0x0499), match: [(0, 6, 0xFF)],
        template: template(20, [0: 6, 14: 0xFF]),
        fields: ruuviClimate + [
            .value("pm25", "µg/m³", .uint16(7), scale: .part(10), invalid: 0xFFFF),
            .value("co2", "ppm", .uint16(9), invalid: 0xFFFF),
            .value("voc", "", .pieces(Piece(11), Piece(16, bit: 6, count: 1)), invalid: 0x1FF),
            .value("nox", "", .pieces(Piece(12), Piece(16, bit: 7, count: 1)), invalid: 0x1FF),
            .value("illuminance", "lx", .uint8(13), scale: .logarithmic(greatest: 65535, codes: 254), invalid: 0xFF),
            .counter("sequence", .uint8(15)),
        ] + ruuviFlags, address: Address(place: 17, count: 3, order: .big), pdu: .nonConnectable,
        example: ["temperature": "29.5", "co2": "201", "pm25": "11.2"])

    /// Ruuvi Air in extended advertising.
    static let ruuviE1 = SensorLayout(
        name: "ruuvi-e1", device: "Ruuvi Air", carrier: .manufacturer(0x0499), match: [(0, 0xE1, 0xFF)],
        template: template(40, [0: 0xE1]),
        fields: ruuviClimate + [
            .value("pm1", "µg/m³", .uint16(7), scale: .part(10), invalid: 0xFFFF),
            .value("pm25", "µg/m³", .uint16(9), scale: .part(10), invalid: 0xFFFF),
            .value("pm4", "µg/m³", .uint16(11), scale: .part(10), invalid: 0xFFFF),
            .value("pm10", "µg/m³", .uint16(13), scale: .part(10), invalid: 0xFFFF),
            .value("co2", "ppm", .uint16(15), invalid: 0xFFFF),
            .value("voc", "", .pieces(Piece(17), Piece(28, bit: 6, count: 1)), invalid: 0x1FF),
            .value("nox", "", .pieces(Piece(18), Piece(28, bit: 7, count: 1)), invalid: 0x1FF),
            .value("illuminance", "lx", .uint24(19), scale: .part(100), invalid: 0xFFFFFF),
            .counter("sequence", .uint24(25), invalid: 0xFFFFFF), .state("calibrating", 28, bit: 0),
        ], address: Address(place: 34, order: .big))

    // MARK: - Xiaomi

    /// The "custom" format of pvvx's firmware.
    static let pvvx = SensorLayout(
        name: "pvvx", device: "Xiaomi thermometers with the firmware of pvvx", carrier: .service(0x181A), match: [],
        template: template(15),
        fields: [
            .value("temperature", "°C", .int16(6, .little), scale: .part(100)),
            .value("humidity", "%", .uint16(8, .little), scale: .part(100)),
            .value("voltage", "mV", .uint16(10, .little), standard: 3000),
            .value("battery", "%", .uint8(12), standard: 100), .counter("packet", .uint8(13)),
            .state("reed", 14, bit: 0), .state("output", 14, bit: 1), .state("output-controlled", 14, bit: 2),
            .state("temperature-trigger", 14, bit: 3), .state("humidity-trigger", 14, bit: 4),
        ], address: Address(place: 0, order: .little), example: ["temperature": "17.05", "humidity": "44.57"])

    /// The "custom" format of pvvx's firmware before its encryption.
    static let pvvxOpened = SensorLayout(
        name: "pvvx", device: "", carrier: .service(0x181A), match: [], template: template(7),
        fields: [
            .counter("packet", .uint8(0)), .value("temperature", "°C", .int16(1, .little), scale: .part(100)),
            .value("humidity", "%", .uint16(3, .little), scale: .part(100)), .value("battery", "%", .uint8(5)),
            .state("reed", 6, bit: 0), .state("output", 6, bit: 1), .state("output-controlled", 6, bit: 2),
            .state("temperature-trigger", 6, bit: 3), .state("humidity-trigger", 6, bit: 4),
        ])

    /// The format of ATC1441's firmware.
    static let atc1441 = SensorLayout(
        name: "atc1441", device: "Xiaomi thermometers with the firmware of ATC1441", carrier: .service(0x181A),
        match: [],
        template: template(13),
        fields: [
            .value("temperature", "°C", .int16(6), scale: .part(10)), .value("humidity", "%", .uint8(8)),
            .value("battery", "%", .uint8(9), standard: 100), .value("voltage", "mV", .uint16(10), standard: 3000),
            .counter("packet", .uint8(12)),
        ], address: Address(place: 0, order: .big), example: ["temperature": "16.2", "humidity": "47"])

    /// The format of ATC1441's firmware before its encryption, which pvvx's firmware has added.
    static let atc1441Opened = SensorLayout(
        name: "atc1441", device: "", carrier: .service(0x181A), match: [], template: template(4),
        fields: [
            .counter("packet", .uint8(0)),
            .value("temperature", "°C", .uint8(1), scale: .linear(numerator: 1, denominator: 2, offset: -40)),
            .value("humidity", "%", .uint8(2), scale: .part(2)), .value("battery", "%", .pieces(Piece(3, count: 7))),
            .state("trigger", 3, bit: 7),
        ])

    /// MiBeacon with an address and objects, not encrypted.
    static let miBeacon = SensorLayout(
        name: "mibeacon", device: "Xiaomi sensors", carrier: .service(0xFE95), match: [(0, 0x40, 0x48)],
        // Version 5, with an address and objects; the product is LYWSDCGQ.
        template: template(11, [0: 0x50, 1: 0x50, 2: 0xAA, 3: 0x01]),
        form: .list { bytes in
            guard bytes.count > 5 else { return nil }
            let (hasAddress, hasCapability) = (bytes[0] & 0x10 != 0, bytes[0] & 0x20 != 0)
            var start = hasAddress ? 11 : 5
            guard hasCapability else { return start <= bytes.count ? start : nil }
            guard bytes.count > start else { return nil }
            // A bit of the capability announces a further byte.
            start += bytes[start] & 0x20 != 0 ? 2 : 1
            return start <= bytes.count ? start : nil
        },
        fields: [
            .value("product", "", .uint16(2, .little), standard: 0x01AA), .counter("frame-counter", .uint8(4)),
            .value("temperature", "°C", .int16(0, .little), scale: .part(10)).of(0x1004),
            .value("humidity", "%", .uint16(0, .little), scale: .part(10)).of(0x1006),
            .value("climate-temperature", "°C", .int16(0, .little), scale: .part(10)).of(0x100D),
            .value("climate-humidity", "%", .uint16(2, .little), scale: .part(10)).of(0x100D),
            .value("battery", "%", .uint8(0)).of(0x100A), .value("illuminance", "lx", .uint24(0, .little)).of(0x1007),
            .value("moisture", "%", .uint8(0)).of(0x1008),
            .value("conductivity", "µS/cm", .uint16(0, .little)).of(0x1009),
            .value("button", "", .uint16(0, .little)).of(0x1001), .value("press", "", .uint8(2)).of(0x1001),
            .value("formaldehyde", "mg/m³", .uint16(0, .little), scale: .part(100)).of(0x1010),
            .value("switch", "", .uint8(0)).of(0x1012), .value("consumable", "%", .uint8(0)).of(0x1013),
            .value("water", "", .uint8(0)).of(0x1014), .value("smoke", "", .uint8(0)).of(0x1015),
            .value("idle-time", "s", .uint32(0, .little)).of(0x1017), .value("light", "", .uint8(0)).of(0x1018),
            .value("door", "", .uint8(0)).of(0x1019),
        ], address: Address(place: 5, order: .little), example: ["temperature": "19.6"])

    // MARK: - Home sensors

    /// Temperature and humidity in one number of three bytes.
    static let goveeH5075: SensorLayout = {
        var temperature = SensorBits([Piece(1, count: 7), Piece(2), Piece(3)])
        temperature.sign = (Piece(1, bit: 7, count: 1), true)
        temperature.digit = .init(divisor: 1000, modulus: 8388)
        var humidity = SensorBits([Piece(1, count: 7), Piece(2), Piece(3)])
        humidity.digit = .init(divisor: 1, modulus: 1000)
        return SensorLayout(
            name: "govee-h5075", device: "Govee H5072 and H5075", carrier: .manufacturer(0xEC88),
            match: [(0, 0, 0xFF), (5, 0, 0xFF)],
            template: template(6),
            fields: [
                .value("temperature", "°C", temperature, scale: .part(10)),
                .value("humidity", "%", humidity, scale: .part(10)),
                .value("battery", "%", .pieces(Piece(4, count: 7)), standard: 100), .state("error", 4, bit: 7),
            ], localName: "GVH5075_*", services: [0xEC88], example: ["temperature": "20.5", "humidity": "14.9"])
    }()

    static let thermoPro: SensorLayout = {
        var battery = SensorBits([Piece(4, count: 2)])
        // 0, 1 and 2 are 1, 50 and 100 %.
        battery.weights = [1]
        return SensorLayout(
            name: "thermopro", device: "ThermoPro TP357, TP358, TP359 and TP393", carrier: .values,
            match: [(0, 0xC2, 0xFF), (4, 0, 0xFC), (5, 0x2C, 0xFF)], template: template(6, [0: 0xC2, 5: 0x2C]),
            fields: [
                .value("temperature", "°C", .int16(1, .little), scale: .part(10)), .value("humidity", "%", .uint8(3)),
                .value("battery-level", "", battery, standard: 2),
            ], localName: "TP357 (*)", example: ["temperature": "27.9", "humidity": "39"])
    }()

    /// The temperature is in degrees, tenths and a sign.
    static let switchBotMeter: SensorLayout = {
        var temperature = SensorBits([Piece(4, count: 7), Piece(3, count: 4)])
        temperature.weights = [10, 1]
        temperature.sign = (Piece(4, bit: 7, count: 1), false)
        return SensorLayout(
            name: "switchbot-meter", device: "SwitchBot Meter", carrier: .service(0xFD3D), match: [(0, 0x54, 0xFF)],
            template: template(6, [0: 0x54]),
            fields: [
                .value("temperature", "°C", temperature, scale: .part(10)),
                .value("humidity", "%", .pieces(Piece(5, count: 7))),
                .value("battery", "%", .pieces(Piece(2, count: 7)), standard: 100), .state("fahrenheit", 5, bit: 7),
            ], isInScanResponse: true, example: ["temperature": "24", "humidity": "38"])
    }()

    static let inkbird = SensorLayout(
        name: "inkbird", device: "Inkbird IBS-TH1", carrier: .values, match: [(8, 8, 0xFF)],
        template: template(9, [8: 8]),
        fields: [
            .value("temperature", "°C", .int16(0, .little), scale: .part(100)),
            .value("humidity", "%", .uint16(2, .little), scale: .part(100)),
            .state("external-probe", 4, bit: 0), .value("battery", "%", .uint8(7), standard: 100),
        ], check: .modbus(5), localName: "sps", isInScanResponse: true,
        example: ["temperature": "22.04", "humidity": "43.4"])

    // MARK: - Tags

    private static func minew(
        _ name: String, _ frame: UInt8, _ size: Int, _ fields: [SensorField], text: String? = nil,
        example: KeyValuePairs<String, String>
    ) -> SensorLayout {
        SensorLayout(
            name: name, device: "Minew S1, E8, i-series and D15", carrier: .service(0xFFE1),
            match: [(0, 0xA1, 0xFF), (1, frame, 0xFF)],
            template: template(size, [0: 0xA1, 1: frame]),
            fields: [.value("battery", "%", .uint8(2), standard: 100)] + fields,
            address: Address(place: text == nil ? size - 6 : 3, order: .little), text: text, services: [0xFFE1],
            example: example)
    }

    static let minewClimate = minew(
        "minew-ht", 1, 13,
        [
            .value("temperature", "°C", .int16(3), scale: .part(256)),
            .value("humidity", "%", .uint16(5), scale: .part(256)),
        ], example: ["temperature": "21.5", "humidity": "50"])

    static let minewAcceleration = minew(
        "minew-acc", 3, 15,
        [
            .value("acceleration-x", "g", .int16(3), scale: .part(256)),
            .value("acceleration-y", "g", .int16(5), scale: .part(256)),
            .value("acceleration-z", "g", .int16(7), scale: .part(256)),
        ], example: ["acceleration-x": "-0.5", "acceleration-z": "0.5"])

    static let minewInformation = minew("minew-info", 8, 9, [], text: "device-name", example: ["device-name": "PLUS"])

    static let kBeacon = SensorLayout(
        name: "kbeacon", device: "KKM, Blue Charm and KBeacon", carrier: .service(0xFEAA), match: [(0, 0x21, 0xFF)],
        template: template(3, [0: 0x21, 1: 1]),
        form: .mask(.uint16(1), sizes: [0: 2, 1: 2, 2: 2, 3: 6, 4: 1, 5: 1, 6: 2]),
        fields: [
            .value("voltage", "mV", .uint16(0)).of(0), .value("temperature", "°C", .int16(0), scale: .part(256)).of(1),
            .value("humidity", "%", .uint16(0), scale: .part(256)).of(2),
            .value("acceleration-x", "mg", .int16(0)).of(3),
            .value("acceleration-y", "mg", .int16(2)).of(3), .value("acceleration-z", "mg", .int16(4)).of(3),
            .value("contact", "", .uint8(0)).of(4), .value("motion", "", .uint8(0)).of(5),
            .value("illuminance", "lx", .uint16(0)).of(6),
        ], services: [0xFEAA], example: ["voltage": "3675", "temperature": "22.3125"])

    static let teltonikaEye = SensorLayout(
        name: "teltonika-eye", device: "Teltonika EYE", carrier: .manufacturer(0x089A), match: [(0, 1, 0xFF)],
        template: template(2, [0: 1]), form: .mask(.uint8(1), sizes: [0: 2, 1: 1, 4: 2, 5: 3, 7: 1]),
        fields: [
            .value("temperature", "°C", .int16(0), scale: .part(100)).of(0), .value("humidity", "%", .uint8(0)).of(1),
            .state("magnet-sensor", 1, bit: 2), .state("magnet", 1, bit: 3),
            .state("moving", 0, bit: 7).of(4), .value("movements", "", .pieces(Piece(0, count: 7), Piece(1))).of(4),
            .value("pitch", "°", .int8(0)).of(5), .value("roll", "°", .int16(1)).of(5),
            .state("low-battery", 1, bit: 6),
            .value("voltage", "mV", .uint8(0), scale: .linear(numerator: 10, denominator: 1, offset: 2000)).of(7),
        ], example: ["temperature": "22.28", "humidity": "18"])

    // MARK: - iBeacons with values

    private static let tiltUUID: [UInt8] = [
        0xA4, 0x95, 0xBB, 0x10, 0xC5, 0xB1, 0x4B, 0x44, 0xB5, 0x12, 0x13, 0x70, 0xF0, 0x2D, 0x74, 0xDE,
    ]

    /// An iBeacon, whose UUID has the colour.
    static let tilt = SensorLayout(
        name: "tilt", device: "Tilt hydrometers", carrier: .manufacturer(0x004C),
        match: ([0x02, 0x15] + tiltUUID).enumerated().map {
            ($0.offset, $0.offset == 5 ? 0 : $0.element, $0.offset == 5 ? 0x0F : 0xFF)
        },
        template: [0x02, 0x15] + tiltUUID + [0, 0, 0, 0, 0xC5],
        fields: [
            // 1 red, 2 green, 3 black, 4 purple, 5 orange, 6 blue, 7 yellow, 8 pink.
            .value("colour", "", .pieces(Piece(5, bit: 4, count: 4)), standard: 1),
            .value("temperature", "°F", .uint16(18)),
            .value("gravity", "", .uint16(20), scale: .part(1000), standard: 1),
            .value("power-byte", "", .int8(22), standard: -59),
        ], example: ["temperature": "68", "gravity": "1.016"])
}
