// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Devices
import Testing

@testable import BeaconryTools

struct ListNumberTests {
    private static let none = ListNumbers([], separator: nil)

    @Test(arguments: [
        ("1,5", 1.5), ("1.5", 1.5), ("1.234,5", 1234.5), ("1,234.5", 1234.5), ("1 234,5", 1234.5),
        ("1\u{202F}234,5", 1234.5),
        ("1\u{A0}234.5", 1234.5), ("1'234.5", 1234.5), ("4711.0", 4711), ("1e3", 1000), ("1.5E+2", 150), ("-3", -3),
        ("−3", -3),
        ("+2", 2), ("0.125", 0.125), ("0,125", 0.125), ("1.234.567", 1_234_567), ("1,234,567.5", 1_234_567.5),
        ("'12", 12),
        ("=\"12\"", 12), ("１２", 12), ("1234,567", 1234.567), (".5", 0.5),
    ])
    func numbersOfSpreadsheetsAreRead(_ text: String, _ number: Double) { #expect(Self.none.number(text) == number) }

    @Test(arguments: [
        "", "a", "1,2,3", "1.2.3,4", "1..2", "--1", "0x10", "nan", "inf", "1e999", "1.23,456.7", "12 m", "1-2",
    ])
    func otherTextsAreNoNumbers(_ text: String) { #expect(Self.none.number(text) == nil) }

    /// One mark with three digits behind it: what the other numbers, the separator or the key say.
    @Test func marksOfThousandsDependOnTheList() {
        let comma = ListNumbers(["1,5", "2.000"], separator: nil)
        #expect(comma.number("1.234") == 1234 && comma.number("1,234") == 1.234)
        let point = ListNumbers(["1.5"], separator: 0x3B)
        #expect(point.number("1.234") == 1.234 && point.number("1,234") == 1234)
        #expect(ListNumbers([], separator: 0x3B).number("1,234") == 1.234)
        #expect(ListNumbers([], separator: 0x2C).number("1,234") == 1234)
        #expect(Self.none.whole("1.234") == 1234 && Self.none.whole("1,234") == 1234)
        #expect(point.whole("1.000") == 1 && comma.whole("1.000") == 1000)
    }

    @Test(arguments: [
        ("0x1F", 31), ("0X1f", 31), ("$1F", 31), ("1Fh", 31), ("4711", 4711), ("4711,0", 4711), ("4711.0", 4711),
        ("1E3", 1000), ("0012", 12),
        ("65 535", 65535),
    ])
    func wholeNumbersAreRead(_ text: String, _ number: Int) { #expect(Self.none.whole(text) == number) }

    @Test(arguments: ["1,5", "1.5", "1F", "", "0x", "h", "0x123456789", "1e-1"])
    func otherTextsAreNotWhole(_ text: String) { #expect(Self.none.whole(text) == nil) }

    @Test func columnsOfHexadecimalDigitsAreFound() {
        #expect(ListNumbers.areHexadecimal(["0012", "00A1", "", "#N/A"]))
        #expect(!ListNumbers.areHexadecimal(["0012", "13"]))
        #expect(!ListNumbers.areHexadecimal(["1e3", "12"]))
        #expect(!ListNumbers.areHexadecimal(["00A1", "12345"]))
        #expect(Self.none.whole("0012", isHexadecimal: true) == 18)
    }

    @Test(arguments: ["#REF!", "#N/A", "#NV", "#WERT!", "#NAME?", "#DIV/0!", "Err:502", "####", "#ССЫЛКА!"])
    func errorsOfFormulasAreKnown(_ text: String) { #expect(ListGap.isFormulaError(text)) }

    @Test(arguments: ["", "#4", "# 4", "Stele #4", "#hall", "Err"])
    func otherTextsAreNoErrors(_ text: String) { #expect(!ListGap.isFormulaError(text)) }

    @Test(arguments: [
        "01.02.2026", "1/2/26", "2026-02-01", "2026-02-01T10:00:00Z", "5. Jan", "Jan 05", "1-Feb", "12:30",
        "3. Mrz 2026",
    ])
    func datesAreKnown(_ text: String) { #expect(ListGap.isDate(text)) }

    @Test(arguments: ["", "12", "1.5", "Room 12", "March hall 3", "Marmor 3", "1-2", "Decke 5"])
    func otherTextsAreNoDates(_ text: String) { #expect(!ListGap.isDate(text)) }
}

struct ListValueTests {
    private let values = ListValues(numbers: ListNumbers([], separator: nil), metresPerUnit: 1)
    private static let uuid = "3D1F7A60-6A0B-4C3F-9D0E-51A27C44E980"

    @Test(arguments: [
        uuid, uuid.lowercased(), uuid.replacing("-", with: ""), "{\(uuid)}", "urn:uuid:\(uuid)", "URN:UUID:\(uuid)",
        "0x" + uuid.replacing("-", with: ""),
        "(\(uuid))", "\"\(uuid)\"", uuid.replacing("-", with: "\u{2011}"), uuid.replacing("-", with: " "),
        "3D 1F 7A 60 6A 0B 4C 3F 9D 0E 51 A2 7C 44 E9 80",
    ])
    func uuidsAreRead(_ text: String) throws { #expect(try values.uuid(text) == Self.uuid) }

    @Test(arguments: [
        "", "3D1F7A60-6A0B-4C3F-9D0E-51A27C44E98", uuid + "0", "hall", "#REF!", "2.17E+31", uuid + ":1:2",
        String(repeating: "-", count: 80),
    ])
    func otherTextsAreNoUUIDs(_ text: String) {
        let fault = #expect(throws: ValueFault.self) { try values.uuid(text) }
        #expect(fault?.message.isEmpty == false)
    }

    @Test func numbersBehindAUUIDAreItsOwn() throws {
        for text in [
            "\(Self.uuid):1:2", "\(Self.uuid)-1-2", "\(Self.uuid)/1/2", "\(Self.uuid), 1, 2",
            "iBeacon:\(Self.uuid)-1-2",
        ] {
            let identity = try #require(ListValues.identity(text), "\(text)")
            #expect(identity.rest == ["1", "2"])
        }
        #expect(ListValues.identity("\(Self.uuid):1:2:3") == nil && ListValues.identity("\(Self.uuid):70000") == nil)
    }

    @Test(arguments: [
        ("-59", -59), ("−59 dBm", -59), ("-59,0", -59), ("0xC5", -59), ("197", -59), ("4 dBm", 4), ("-59.4", -59),
    ])
    func powersAreRead(_ text: String, _ power: Int) throws { #expect(try values.power(text) == power) }

    @Test(arguments: ["", "300", "-200", "high", "#N/A", "5 W"])
    func otherTextsAreNoPowers(_ text: String) { #expect(throws: ValueFault.self) { try values.power(text) } }

    @Test(
        arguments: [
            ("100", nil, "100ms"), ("100 ms", nil, "100ms"), ("0,1", "s", "100ms"), ("1", "s", "1000ms"),
            ("0.5 s", nil, "500ms"), ("160 ticks", nil, "160ticks"),
            ("152.5", nil, "152.5ms"), ("10 Hz", nil, "100ms"), ("1,285 s", "ms", "1285ms"),
        ] as [(String, String?, String)])
    func intervalsAreRead(_ text: String, _ unit: String?, _ interval: String) throws {
        #expect(try values.interval(text, unit: unit) == interval)
    }

    @Test(arguments: ["1", "0.1", "often", "-100 ms", "#REF!", ""])
    func intervalsWithoutAUnitAreMilliseconds(_ text: String) {
        #expect(throws: ValueFault.self) { try values.interval(text, unit: nil) }
    }

    @Test(
        arguments: [
            ("2.5", nil, 2.5), ("2,5 m", nil, 2.5), ("250", "cm", 2.5), ("250 mm", "m", 0.25), ("10 ft", nil, 3.048),
            ("8'", nil, 2.4384),
            ("12 in", nil, 0.3048), ("8' 6\"", nil, 2.5908), ("8 ft 6 in", nil, 2.5908), ("1e1", nil, 10),
            ("-1", "cm", -0.01), ("1 000 cm", nil, 10),
        ] as [(String, String?, Double)])
    func lengthsAreMetres(_ text: String, _ unit: String?, _ metres: Double) throws {
        #expect(abs(try values.metres(text, unit: unit) - metres) < 1e-9)
    }

    @Test(arguments: ["", "here", "5 px", "#N/A", "1.2.3"])
    func otherTextsAreNoLengths(_ text: String) {
        #expect(throws: ValueFault.self) { try values.metres(text, unit: nil) }
    }

    @Test(arguments: [
        ("2.5, 4", [2.5, 4]), ("2,5; 4", [2.5, 4]), ("(2.5,4,1)", [2.5, 4, 1]), ("[1 2 3]", [1, 2, 3]),
        ("POINT (2.5 4)", [2.5, 4]), ("2.5 m, 4 m", [2.5, 4]),
        ("1/2", [1, 2]),
    ])
    func positionsAreRead(_ text: String, _ position: [Double]) throws {
        #expect(try values.position(text, unit: nil) == position)
    }

    @Test(arguments: ["", "hall", "1", "1, 2, 3, 4", "room 1, floor 2"])
    func otherTextsAreNoPositions(_ text: String) { #expect(ListValues.positionParts(text) == nil) }

    @Test func octetsLostZeros() throws {
        #expect(try values.octets("1", count: 6) == "000000000001")
        #expect(try values.octets("8B:0C:A7:50:E7:A7:F6:E3:B0:C2", count: 10) == "8b0ca750e7a7f6e3b0c2")
        for text in ["1A", "1.2E+11", "", "8b0ca750e7a7f6e3b0c2"] {
            #expect(throws: ValueFault.self) { try values.octets(text, count: 6) }
        }
    }

    @Test func addressesAreReadInAllNotations() throws {
        for text in ["C0:FF:EE:00:00:01", "c0-ff-ee-00-00-01", "c0ffee000001", "c0ff.ee00.0001"] {
            #expect(try values.address(text) == "C0:FF:EE:00:00:01")
        }
        #expect(throws: ValueFault.self) { try values.address("AC:23:3F:00:00:01") }
    }

    @Test(
        arguments: [
            ("iBeacon", "ibeacon", nil), ("Eddystone UID", "beacon", "eddystone-uid"),
            ("eddystone_url", "beacon", "eddystone-url"), ("AltBeacon", "beacon", "altbeacon"),
            ("IoT-Design-Shop", "iot-design-shop", nil), ("Ruuvi 5", "beacon", "ruuvi-5"), ("battery", "battery", nil),
        ] as [(String, String, String?)])
    func devicesAreKnownInAnyNotation(_ text: String, _ device: String, _ format: String?) throws {
        let found = try #require(ListValues.device(text))
        #expect(found.device == device && found.format == format)
    }

    @Test func labelsAreOneLineOfText() throws {
        #expect(try values.label("two\nlines \u{A0} of text").text == "two lines of text")
        #expect(try values.label(String(repeating: "ß", count: 101)) == (String(repeating: "ß", count: 99) + "…", true))
        for text in ["#REF!", "a\u{1D}b", "\u{7F}"] { #expect(throws: ValueFault.self) { try values.label(text) } }
    }

    @Test(arguments: [
        ("Das letzte Abendmahl", "das-letzte-abendmahl"), ("Café: \"Mozart\"", "cafe-mozart"),
        ("Über Ötzi", "ueber-oetzi"), ("Stele #4", "stele-4"),
        ("名前", ""), ("Øresund Straße", "oresund-strasse"), ("e\u{301}te\u{301}", "ete"), ("  ", ""),
        ("a b (c)", "a-b-c"),
        (String(repeating: "abcdefghi ", count: 9), "abcdefghi-abcdefghi-abcdefghi-abcdefghi"),
        (String(repeating: "a", count: 70), String(repeating: "a", count: 48)),
    ])
    func idsAreMadeOfNames(_ name: String, _ id: String) throws {
        #expect(ListWords.id(of: name) == id)
        if !id.isEmpty { #expect(try ValueText.name(id) == id) }
    }

    @Test(arguments: [
        ("Hall-1", "Hall-1"), ("Raum 1/2", "Raum-1-2"), ("_x", "_x"), (".a", "a"), ("é", "e"), ("#", ""),
        ("Größe 5", "Grosse-5"),
    ])
    func idsAreLikeTheirTexts(_ text: String, _ id: String) { #expect(ListWords.id(like: text) == id) }

    @Test(arguments: [(2.5, "2.5"), (0, "0"), (-0.0001, "0"), (12.3456, "12.346"), (-3.1, "-3.1"), (1000, "1000")])
    func decimalsAreShort(_ value: Double, _ text: String) { #expect(ListValues.decimal(value, places: 3) == text) }
}
