// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Devices
import Foundation
import Profiles
import Space
import TestSupport
import Testing

@Suite struct ProfileTests {
    private static func beacon(_ keys: String) throws -> any ProfiledDevice {
        let lines = keys.split(separator: "\n").map { "    \($0)\n" }.joined()
        let profile = try Profile(parsing: "profile: p\nbeacons:\n  - id: a\n" + lines, file: "p.yaml")
        return try #require(profile.beacons.first).device
    }

    /// The example in the documentation of profiles.
    @Test func documentedProfileIsRead() throws {
        let text = """
            # profiles/museum.yaml
            profile: museum
            beacons:
              - id: entrance                    # with the profile's name, the key of its saved settings
                device: iot-design-shop         # or: ibeacon (a plain, non-connectable one), …
                address: C0:FF:EE:00:00:01      # optional; else derived from profile and id, and stable
                ibeacon: { uuid: 2173E519-9155-4862-AB64-7953AB146156, major: 2, minor: 3, measured-power: -59 }
                interval: 100ms                 # or 160ticks
                tx-power: 0dBm
                name: Entrance                  # optional
            """
        let profile = try Profile(parsing: text, file: "museum.yaml")
        #expect(profile.name == "museum")
        let configuration = IoTDesignShopBeacon.Configuration(
            name: "Entrance", advertising: AdvertisingSettings(address: BluetoothAddress("C0:FF:EE:00:00:01")))
        let settings = IoTDesignShopSettings(major: 2, minor: 3, powerCode: 2)
        #expect(
            profile.beacons == [
                BeaconDefinition(id: "entrance", device: IoTDesignShopBeacon(configuration, settings: settings))
            ])
        #expect(settings.uuid.description == "2173E519-9155-4862-AB64-7953AB146156")
        #expect(settings.intervalTicks == 160)
        #expect(settings.measuredPower == MeasuredPower(-59))
    }

    @Test(arguments: [
        ("[2.5, -4]", Position(x: 2.5, y: -4)), ("[0, 0, 1.2]", Position(x: 0, y: 0, z: 1.2)),
    ])
    func positionIsRead(_ text: String, position: Position) throws {
        let text = "profile: p\nbeacons:\n  - { id: a, device: iot-design-shop, position: \(text) }\n"
        #expect(try Profile(parsing: text, file: "p.yaml").beacons.first?.position == position)
    }

    @Test(arguments: ["[1]", "[1, 2, 3, 4]", "[1, x]", "[nan, 1]", "[0x10, 1]", "[10001, 0]", "5", "[]"])
    func invalidPositionIsRefused(_ text: String) throws {
        let text = "profile: p\nbeacons:\n  - { id: a, device: iot-design-shop, position: \(text) }\n"
        #expect { try Profile(parsing: text, file: "p.yaml") } throws: { error in
            (error as? ProfileFaults)?.faults.first?.field.hasPrefix("beacons[0].position") ?? false
        }
    }

    @Test func plainBeaconHasDefaults() throws {
        let device = try Self.beacon("device: ibeacon\nibeacon: { uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0 }")
        let uuid = UUID128("E2C56DB5-DFFB-48D2-B060-D0F5A71096E0")
        let frame = IBeacon(uuid: uuid, major: 0, minor: 0, measuredPower: MeasuredPower(-59))
        #expect(
            (device as? PlainIBeacon)?.configuration
                == (PlainIBeacon.Configuration(
                    frame: frame, flags: .beacon, pdu: .nonConnectable, advertising: AdvertisingSettings(),
                    services: [],
                    name: nil)))
        #expect(device.advertising.interval == AdvertisingInterval(160) && device.advertising.transmitPower == nil)
        #expect(device.kind == "ibeacon")
        #expect(device.advertising.address == nil)
        #expect(device is PlainIBeacon)
    }

    @Test func plainBeaconHasEveryKey() throws {
        let device = try Self.beacon(
            """
            device: ibeacon
            ibeacon: { uuid: E2C56DB5DFFB48D2B060D0F5A71096E0, major: 65535, minor: 0, measured-power: 20 dBm }
            flags: none
            pdu: ADV_IND
            interval: 16384ticks
            tx-power: -7
            address: c0:ff:ee:00:00:02
            services: [2173E519-9155-4862-AB64-7953AB146156]
            name: "Grüße: #1"
            """)
        let uuid = UUID128("E2C56DB5-DFFB-48D2-B060-D0F5A71096E0")
        let address = BluetoothAddress("C0:FF:EE:00:00:02")
        #expect(
            (device as? PlainIBeacon)?.configuration
                == (PlainIBeacon.Configuration(
                    frame: IBeacon(uuid: uuid, major: 65535, minor: 0, measuredPower: MeasuredPower(20)),
                    flags: nil, pdu: .connectableScannable,
                    advertising: AdvertisingSettings(
                        interval: AdvertisingInterval(16384), transmitPower: TransmitPower(-7), address: address),
                    services: [IoTDesignShop.service], name: "Grüße: #1")))
        #expect(device.advertising.address == address)
    }

    @Test(arguments: ["name: N", "services: [2173E519-9155-4862-AB64-7953AB146156]"])
    func keyInTheScanResponseMakesTheBeaconScannable(_ key: String) throws {
        let keys = "device: ibeacon\nibeacon: { uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0 }\n"
        guard let configuration = (try Self.beacon(keys + key) as? PlainIBeacon)?.configuration else {
            Issue.record("another device")
            return
        }
        #expect(configuration.pdu == .scannable)
        #expect(PlainIBeacon(configuration).firstAdvertisement?.scanResponse.structures.isEmpty == false)
    }

    @Test func configurableBeaconHasTheFactoryDefaults() throws {
        let device = try Self.beacon("device: iot-design-shop")
        #expect((device as? IoTDesignShopBeacon)?.configuration == IoTDesignShopBeacon.Configuration())
        #expect(device.kind == "iot-design-shop")
        #expect(device is IoTDesignShopBeacon)
    }

    @Test func configurableBeaconHasEveryKey() throws {
        let device = try Self.beacon(
            """
            device: iot-design-shop
            ibeacon: { minor: 9 }
            interval: 30s
            tx-power: -23 dBm
            address: C0:FF:EE:00:00:03
            name: Door
            on-bad-interval: fail
            advertise-while-connected: true
            measured-power-by-tx-power: { 0dBm: -59, -6dBm: -66, -23: -82dBm }
            """)
        let configuration = IoTDesignShopBeacon.Configuration(
            name: "Door", advertising: AdvertisingSettings(address: BluetoothAddress("C0:FF:EE:00:00:03")),
            badIntervalPolicy: .fail, advertisesWhileConnected: true,
            measuredPowers: [
                TransmitPower(0): MeasuredPower(-59), TransmitPower(-6): MeasuredPower(-66),
                TransmitPower(-23): MeasuredPower(-82),
            ])
        let settings = IoTDesignShopSettings(minor: 9, powerCode: 0, intervalTicks: 48000)
        #expect(device.isDeclared(like: IoTDesignShopBeacon(configuration, settings: settings)))
    }

    @Test func anchorsAndAliasesAreFollowed() throws {
        let text = """
            profile: p
            beacons:
              - id: a
                device: ibeacon
                ibeacon: &frame { uuid: &uuid E2C56DB5-DFFB-48D2-B060-D0F5A71096E0, major: 5 }
              - { id: b, device: ibeacon, ibeacon: *frame }
              - { id: c, device: iot-design-shop, ibeacon: { uuid: *uuid } }
            """
        let profile = try Profile(parsing: text, file: "p.yaml")
        #expect(profile.beacons.map(\.id) == ["a", "b", "c"])
        #expect(profile.beacons[0].device.isDeclared(like: profile.beacons[1].device))
        guard let settings = (profile.beacons[2].device as? IoTDesignShopBeacon)?.configuration.settings else {
            Issue.record("another device")
            return
        }
        #expect(settings.uuid.description == "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0")
    }

    @Test func styleAndKeyOrderDoNotMatter() throws {
        let lines = "profile: p\nbeacons:\n- id: a\n  device: iot-design-shop\n"
        let forms = [
            lines, "# comment\n\n" + lines, "---\n" + lines, "\u{FEFF}" + lines, lines + "...\n",
            lines.replacing("\n", with: "\r\n"),
            #"{"profile": "p", "beacons": [{"id": "a", "device": "iot-design-shop"}]}"#,
            "beacons: [{ device: iot-design-shop, id: 'a' }]\nprofile: \"p\"",
        ]
        for form in forms {
            let profile = try Profile(parsing: form, file: "p.yaml")
            #expect(profile.name == "p")
            #expect(profile.beacons.map(\.id) == ["a"])
        }
    }

    /// The profiles that come with the program.
    @Test func shippedProfilesAreValid() throws {
        let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let folder = package.appending(path: "profiles")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".yaml") }
        #expect(files.contains("iot-design-shop.yaml"))
        for file in files {
            let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
            let sources = ProfileSources(files: { path throws(ValueFault) in
                guard let text = try? String(contentsOf: folder.appending(path: path), encoding: .utf8) else {
                    throw ValueFault("there is no \(path)")
                }
                return text
            })
            let profile = try Profile(parsing: text, file: file, sources: sources)
            #expect("\(profile.name).yaml" == file)
            #expect(!profile.beacons.isEmpty)
        }
    }
}
