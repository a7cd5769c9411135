// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Devices
import Profiles
import Testing

@Suite struct ValueTextTests {
    private static func refusal<Value>(
        _ text: String, _ parse: (String) throws(ValueFault) -> Value,
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> String? {
        do throws(ValueFault) {
            let value = try parse(text)
            Issue.record("\"\(text)\" is parsed as \(value)", sourceLocation: sourceLocation)
            return nil
        } catch {
            return error.message
        }
    }

    @Test(
        arguments: [
            ("100ms", 160), ("100 ms", 160), ("160ticks", 160), ("160 ticks", 160), ("1tick", 1), ("0ticks", 0),
            ("0ms", 0), ("152.5ms", 244), ("1s", 1600), ("1.5s", 2400), ("10.24s", 16384), ("30s", 48000),
            ("0.1s", 160), ("0.000625s", 1), ("0.625ms", 1), ("0.312ms", 0), ("0.3124ms", 0), ("0.3125ms", 1),
            ("0.313ms", 1), ("100.3125ms", 161), ("0.0003125s", 1), ("1.ms", 2), ("4294967295ticks", UInt32.max),
        ] as [(String, UInt32)])
    func intervalIsRead(_ text: String, count: UInt32) throws {
        #expect(try ValueText.interval(text).count == count)
    }

    @Test(arguments: [
        "", "ms", "-1ms", "+1ms", "1e3ms", "1,5s", "1..5s", "1.5.0s", ".5s", "100 us", "100mS", "100 ms ",
        " 100ms", "0x10ticks", "1.5ticks", "-1ticks", "4294967296ticks", "1234567890ms", "１００ms", "100msx", "ticks",
        "--1ms", "٣ms",
    ])
    func otherIntervalIsRefused(_ text: String) {
        #expect(
            Self.refusal(text, ValueText.interval) == "\"\(text)\" is not an interval; write 100ms or 160ticks")
    }

    @Test(arguments: ["2684355s", "999999999s", "999999999.999999999s"])
    func tooLongIntervalIsRefused(_ text: String) {
        #expect(Self.refusal(text, ValueText.interval) == "\(text) is too long for an interval")
    }

    @Test func intervalsHaveRanges() throws {
        #expect(try ValueText.radiatedInterval("20ms").count == 32)
        #expect(try ValueText.radiatedInterval("10240ms").count == 16384)
        for text in ["0ms", "19ms", "31ticks", "16385ticks", "10.241s"] {
            #expect(
                Self.refusal(text, ValueText.radiatedInterval)
                    == "\(text) is out of range: radios send every 20ms to 10240ms")
        }
        #expect(try ValueText.storedInterval("0ticks").count == 0)
        #expect(try ValueText.storedInterval("65535ticks").count == 65535)
        for text in ["65536ticks", "41s"] {
            #expect(
                Self.refusal(text, ValueText.storedInterval)
                    == "\(text) is out of range: the beacon stores 0 to 65535 ticks")
        }
    }

    @Test(
        arguments: [
            ("10s", .seconds(10)), ("500ms", .milliseconds(500)), ("2m", .seconds(120)), ("1h", .seconds(3600)),
            ("1.5s", .milliseconds(1500)), ("0.5ms", .microseconds(500)), ("0s", .zero), ("10 s", .seconds(10)),
            ("0.5h", .seconds(1800)),
        ] as [(String, Duration)])
    func durationIsRead(_ text: String, duration: Duration) throws {
        #expect(try ValueText.duration(text) == duration)
    }

    @Test(arguments: ["0", "100", "1.5", "999999999"])
    func missingUnitIsSuggested(_ number: String) {
        #expect(
            Self.refusal(number, ValueText.interval)
                == "\"\(number)\" has no unit: ms, s, or ticks of 0.625 ms; write \(number)ms")
        #expect(
            Self.refusal(number, ValueText.duration) == "\"\(number)\" has no unit: ms, s, m or h; write \(number)s")
    }

    @Test(arguments: ["", "s", "-1s", "1d", "1e3s", "10S", "9999999999s", "1:30"])
    func otherDurationIsRefused(_ text: String) {
        #expect(Self.refusal(text, ValueText.duration) == "\"\(text)\" is not a duration; write 10s, 500ms or 2m")
    }

    @Test(arguments: [("0", 0), ("65535", 65535), ("007", 7), ("0x10", 16), ("0xEA8A", 60042)] as [(String, UInt16)])
    func unsigned16IsRead(_ text: String, value: UInt16) throws {
        #expect(try ValueText.unsigned16(text) == value)
    }

    @Test(arguments: ["", "-1", "65536", "0x10000", "1.0", "1e3", " 1", "one", "１"])
    func otherNumberIsRefused(_ text: String) {
        #expect(
            Self.refusal(text, ValueText.unsigned16) == "\"\(text)\" is not a whole number from 0 to 65535")
    }

    @Test(
        arguments: [
            ("-59", -59), ("-59dBm", -59), ("-59 dBm", -59), ("0dBm", 0), ("+4dBm", 4), ("-128", -128), ("127", 127),
            ("0xC5", -59),
        ] as [(String, Int8)])
    func measuredPowerIsRead(_ text: String, level: Int8) throws {
        #expect(try ValueText.measuredPower(text) == MeasuredPower(level))
    }

    @Test(arguments: ["", "dBm", "-129", "-59db", "-59DBM", "-59.5dBm", "-59 dBm ", "- 59", "0x1C5"])
    func otherMeasuredPowerIsRefused(_ text: String) {
        #expect(
            Self.refusal(text, ValueText.measuredPower)
                == "\"\(text)\" is not a power in whole dBm from -128 to 127")
    }

    @Test func transmitPowerHasTheControllersRange() throws {
        #expect(try ValueText.transmitPower("-127dBm") == TransmitPower(-127))
        #expect(try ValueText.transmitPower("20dBm") == TransmitPower(20))
        for text in ["-128", "21", "127dBm"] {
            #expect(
                Self.refusal(text, ValueText.transmitPower) == "\"\(text)\" is not a power from -127dBm to 20dBm")
        }
    }

    @Test(
        arguments: [
            ("none", nil), ("0x06", 6), ("0x1A", 0x1A), ("0x1a", 0x1A), ("6", 6), ("0", 0), ("255", 255), ("0xff", 255),
        ] as [(String, UInt8?)])
    func flagsAreRead(_ text: String, octet: UInt8?) throws {
        #expect(try ValueText.flags(text)?.rawValue == octet)
    }

    @Test(arguments: ["", "0x", "0x100", "256", "-1", "None", "0xG", "06h", "1a"])
    func otherFlagsAreRefused(_ text: String) {
        #expect(Self.refusal(text, ValueText.flags) == "\"\(text)\" is not a byte of flags; write 0x06, or none")
    }

    @Test func uuidAndAddressAreRead() throws {
        #expect(
            try ValueText.uuid("2173e519-9155-4862-ab64-7953ab146156").description
                == "2173E519-9155-4862-AB64-7953AB146156")
        #expect(try ValueText.address("c0:ff:ee:00:00:01").description == "C0:FF:EE:00:00:01")
        #expect(
            Self.refusal("180F", ValueText.uuid)
                == "\"180F\" is not a UUID; write 32 hexadecimal digits as E2C56DB5-DFFB-48D2-B060-D0F5A71096E0")
        #expect(
            Self.refusal("C0-FF", ValueText.address)
                == "\"C0-FF\" is not an address; write six bytes as C0:FF:EE:00:00:01")
    }

    @Test(
        arguments: [
            ("uuid", "2173E519-9155-4862-AB64-7953AB146156", SettingValue(.uuid, IoTDesignShop.service)),
            ("major", "1", SettingValue(.major, 1)), ("minor", "2", SettingValue(.minor, 2)),
            ("measured-power", "-59", SettingValue(.measuredPower, MeasuredPower(-59))),
            ("interval", "0ticks", SettingValue(.interval, AdvertisingInterval(0))),
            ("tx-power", "0dBm", SettingValue(.transmitPower, TransmitPower(0))),
        ] as [(String, String, SettingValue)])
    func settingIsRead(_ key: String, text: String, setting: SettingValue) throws {
        let common = try #require(DeviceRegistry.commonSetting(key))
        #expect(try common.value(text) == setting)
        #expect(setting.key == key)
        #expect(Self.refusal("?") { text throws(ValueFault) in try common.value(text) } != nil)
    }
}
