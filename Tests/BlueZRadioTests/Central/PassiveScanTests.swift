// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import DBus
import Radio
import TestSupport
import TestTraits
import Testing

@testable import BlueZRadio

/// Passive scans over a real bus, with a bluetoothd of the test that has advertisement monitors.
@Suite(.realTime, .timeLimit(.minutes(10))) struct PassiveScanTests {
    private static let device: ObjectPath = "/org/bluez/hci0/dev_C0_FF_EE_00_00_01"
    private static let passive = ScanParameters(isActive: false)

    private struct Rig {
        let daemon: FakeBluetoothd
        let central: BlueZCentral
        let capabilities: ReceivingCapabilities

        init(bus: TestBus, features: [String]?) async throws {
            daemon = try await FakeBluetoothd.start(on: bus, monitorFeatures: features)
            central = BlueZCentral(
                .any,
                openBus: { () async throws(RadioError) in
                    do throws(DBusError) {
                        return try await DBusConnection.connect(to: .address(bus.address))
                    } catch {
                        throw RadioError(.noDaemon, error.message, hint: "")
                    }
                }, openMonitor: { nil })
            capabilities = try await central.openCentral(waits: false)
        }

        /// Signals that the device advertises other data.
        func change(_ number: UInt8) async throws {
            try await daemon.connection.emitPropertiesChanged(
                PassiveScanTests.device, "org.bluez.Device1",
                ["ManufacturerData": PassiveScanTests.manufacturerData(number)])
        }

        /// Has a monitor of flags report an advertisement.
        func find() async throws { try await daemon.find(PassiveScanTests.device, type: 0x01, [6]) }

        /// The first advertisement of the device.
        func appear() async throws {
            try await daemon.add(
                PassiveScanTests.device, "org.bluez.Device1",
                [
                    "Address": "C0:FF:EE:00:00:01", "AddressType": "random", "RSSI": .int16(-60),
                    "ManufacturerData": PassiveScanTests.manufacturerData(1),
                ])
            try await daemon.find(PassiveScanTests.device, type: 0x01, [6])
            try await daemon.find(PassiveScanTests.device, type: 0xFF, [0x4C, 0x00, 1])
        }
    }

    private static func manufacturerData(_ number: UInt8) -> DBusValue {
        .dictionary("q", "v", [DBusDictionaryEntry(.uint16(0x004C), .variant(.bytes([number])))])
    }

    private static func with(_ features: [String]?, _ body: (Rig) async throws -> Void) async throws {
        try await TestBus.with { bus in
            let rig = try await Rig(bus: bus, features: features)
            do {
                try await body(rig)
            } catch {
                await rig.central.close()
                throw error
            }
            await rig.central.close()
        }
    }

    @Test func passiveScanRegistersMonitorsAndDiscoversNothing() async throws {
        try await Self.with([]) { rig in
            #expect(
                rig.capabilities.limits(scanningActively: false).map(\.subject) == [.pdu, .exactData, .patterns, .rssi])
            let sightings = try await rig.central.scan(Self.passive)
            let monitors = await rig.daemon.monitors
            #expect(monitors.count == PassiveScanPatterns.monitors.count)
            #expect(monitors.allSatisfy { (1...7).contains($0.patterns.count) })
            try await rig.appear()
            var iterator = sightings.makeAsyncIterator()
            let first = try #require(await iterator.next())
            #expect(first.device.description == "C0:FF:EE:00:00:01 (random)" && first.rssi == RSSI(-60))
            await rig.central.stopScanning()
            await rig.daemon.wait { $0.count(of: "UnregisterMonitor") == 1 }
            #expect(await rig.daemon.calls == ["RegisterMonitor", "UnregisterMonitor"])
            // Again, with another application: bluetoothd may have the first one still.
            _ = try await rig.central.scan(Self.passive)
            #expect(await rig.daemon.count(of: "RegisterMonitor") == 2)
        }
    }

    @Test func eachAdvertisementIsReportedOnce() async throws {
        try await Self.with([]) { rig in
            let sightings = try await rig.central.scan(Self.passive)
            var iterator = sightings.makeAsyncIterator()
            try await rig.appear()
            var data = [await iterator.next()?.data.last]
            // Unchanged, and reported by two monitors.
            try await rig.find()
            try await rig.daemon.find(Self.device, type: 0xFF, [0x4C, 0x00, 1])
            data.append(await iterator.next()?.data.last)
            // Other data: its signal is reported, the call that follows is not.
            try await rig.change(2)
            data.append(await iterator.next()?.data.last)
            try await rig.find()
            try await rig.find()
            data.append(await iterator.next()?.data.last)
            try await rig.change(3)
            data.append(await iterator.next()?.data.last)
            #expect(data == [1, 1, 2, 2, 3])
        }
    }

    /// The events of a monitor and of the bus are in two streams.
    @Test func numberOfSightingsDoesNotDependOnTheOrderOfCallsAndSignals() async {
        typealias Step = (inout RunningScan) -> Void
        let properties = DeviceProperties([
            "Address": "C0:FF:EE:00:00:01", "AddressType": "random", "RSSI": .int16(-60),
        ])
        let added: Step = { $0.noteAdded(Self.device, properties) }
        let changed: Step = {
            $0.noteChanged(Self.device, ["ManufacturerData": Self.manufacturerData(2)], invalidated: [])
        }
        let louder: Step = { $0.noteChanged(Self.device, ["RSSI": .int16(-40)], invalidated: []) }
        let found: [Step] = [0, 2].map { monitor in { $0.noteFound(Self.device, by: monitor) } }
        let removed: Step = { $0.noteRemoved(Self.device) }
        let orders: [(steps: [Step], sightings: Int)] = [
            ([added] + found, 1), (found + [added], 1), ([found[0], added, found[1]], 1),
            ([added] + found + found, 2), ([added] + found + [changed] + found, 2),
            ([added] + found + found + [changed], 3),
            ([added] + found + [found[0], changed, found[1]] + found, 3), ([added] + found + [louder] + found, 2),
            ([added] + found + found + [louder], 2), ([added, removed, added] + found, 2), (found, 0), ([louder], 0),
        ]
        for (number, order) in orders.enumerated() {
            let (stream, continuation) = AsyncStream.makeStream(of: Sighting.self)
            var scan = RunningScan(Self.passive, .inDaemon, continuation)
            for step in order.steps { step(&scan) }
            continuation.finish()
            var count = 0
            for await _ in stream { count += 1 }
            #expect(count == order.sightings, "order \(number)")
        }
    }

    @Test(arguments: [nil, ["controller-patterns"], []] as [[String]?])
    func monitorsAreRecognised(_ features: [String]?) async throws {
        try await Self.with(features) { rig in
            let subjects = rig.capabilities.limits(scanningActively: false).map(\.subject)
            #expect(subjects.contains(.passiveScanning) == (features == nil))
            #expect(subjects.contains(.patterns) == (features != nil))
            #expect(subjects.contains(.duplicates) == (features?.isEmpty == false))
        }
    }

    @Test func bluetoothdWithoutMonitorsRefuses() async throws {
        try await Self.with(nil) { rig in
            let error = await #expect(throws: RadioError.self) { try await rig.central.scan(Self.passive) }
            #expect(error?.code == .unsupported)
            for word in ["Experimental = true", "bluetoothd with -E", "--radio hci-socket:N"] {
                #expect(error?.hint.contains(word) == true, "\(word)")
            }
            #expect(await rig.daemon.calls.isEmpty)
            _ = try await rig.central.scan(ScanParameters())
            #expect(await rig.daemon.calls == ["SetDiscoveryFilter", "StartDiscovery"])
        }
    }

    @Test func monitorsThatAreNotAcceptedAreReported() async throws {
        try await Self.with(["controller-patterns"]) { rig in
            await rig.daemon.setAcceptedMonitors(1)
            _ = try await rig.central.scan(Self.passive)
            var warnings = rig.central.scanWarnings.makeAsyncIterator()
            let warning = try #require(await warnings.next())
            #expect(warning.code == "monitors-refused")
            for monitor in PassiveScanPatterns.monitors.dropFirst() {
                #expect(warning.message.contains(monitor.meaning))
            }
            await rig.central.stopScanning()
            await rig.daemon.setAcceptedMonitors(0)
            let error = await #expect(throws: RadioError.self) { try await rig.central.scan(Self.passive) }
            #expect(error?.code == .refused && error?.message.contains("no advertisement monitor") == true)
            let registrations = await rig.daemon.count(of: "RegisterMonitor")
            #expect(await rig.daemon.count(of: "UnregisterMonitor") == registrations)
        }
    }

    @Test func scanEndsWhenItsMonitorsAreDropped() async throws {
        try await Self.with([]) { rig in
            let sightings = try await rig.central.scan(Self.passive)
            try await rig.daemon.releaseMonitors()
            for await _ in sightings {}
        }
    }

    @Test func activeScanReplacesAPassiveOne() async throws {
        try await Self.with([]) { rig in
            let first = try await rig.central.scan(Self.passive)
            _ = try await rig.central.scan(ScanParameters(filtersDuplicates: true))
            for await _ in first {}
            #expect(
                await rig.daemon.calls == [
                    "RegisterMonitor", "UnregisterMonitor", "SetDiscoveryFilter", "StartDiscovery",
                ])
        }
    }

    // MARK: - Patterns

    /// A frame of each format.
    private static let frames: [String: AdvertisingStructure] = [
        "ibeacon": .manufacturerSpecific(CompanyIdentifier(0x004C), [0x02, 0x15] + [UInt8](repeating: 1, count: 21)),
        "altbeacon": .manufacturerSpecific(CompanyIdentifier(0x0118), [0xBE, 0xAC] + [UInt8](repeating: 1, count: 22)),
        "eddystone-uid": .serviceData16(0xFEAA, [0x00, 0xF5] + [UInt8](repeating: 1, count: 16)),
        "eddystone-url": .serviceData16(0xFEAA, [0x10, 0xF5, 0x03, 0x61]),
        "eddystone-tlm": .serviceData16(0xFEAA, [0x20, 0x00] + [UInt8](repeating: 1, count: 12)),
        "eddystone-etlm": .serviceData16(0xFEAA, [0x20, 0x01] + [UInt8](repeating: 1, count: 16)),
        "eddystone-eid": .serviceData16(0xFEAA, [0x30, 0xF5] + [UInt8](repeating: 1, count: 8)),
        "bthome": .serviceData16(0xFCD2, [0x40, 0x02, 0xC4, 0x09]),
        "bthome-encrypted": .serviceData16(0xFCD2, [0x41] + [UInt8](repeating: 1, count: 11)),
        "ruuvi-5": .manufacturerSpecific(CompanyIdentifier(0x0499), [5] + [UInt8](repeating: 1, count: 23)),
        "ruuvi-6": .manufacturerSpecific(CompanyIdentifier(0x0499), [6] + [UInt8](repeating: 1, count: 19)),
        "ruuvi-e1": .manufacturerSpecific(CompanyIdentifier(0x0499), [0xE1] + [UInt8](repeating: 1, count: 39)),
        "pvvx": .serviceData16(0x181A, [1, 2, 3, 0x38, 0xC1, 0xA4] + [UInt8](repeating: 1, count: 9)),
        "pvvx-encrypted": .serviceData16(0x181A, [UInt8](repeating: 1, count: 11)),
        "atc1441-encrypted": .serviceData16(0x181A, [UInt8](repeating: 1, count: 8)),
        "mibeacon-encrypted": .serviceData16(0xFE95, [0x58, 0x58, 0x5B, 0x05] + [UInt8](repeating: 1, count: 19)),
        "atc1441": .serviceData16(0x181A, [0xA4, 0xC1, 0x38, 1, 2, 3] + [UInt8](repeating: 1, count: 7)),
        "mibeacon": .serviceData16(
            0xFE95, [0x50, 0x20, 0xAA, 0x01, 1, 1, 2, 3, 4, 5, 6, 0x0A, 0x10, 0x01, 0x3B]),
        "govee-h5075": .manufacturerSpecific(CompanyIdentifier(0xEC88), [0x00, 0x03, 0x21, 0x5D, 0x64, 0x00]),
        "thermopro": .manufacturerSpecific(CompanyIdentifier(0x17C2), [0x01, 0x27, 0x02, 0x2C]),
        "switchbot-meter": .serviceData16(0xFD3D, [0x54, 0x00, 0x64, 0x00, 0x98, 0xA6]),
        "inkbird": .manufacturerSpecific(
            CompanyIdentifier(0x089C), [0xF4, 0x10, 0x00, 0xBA, 0x4E, 0x64, 0x08]),
        "minew-ht": .serviceData16(0xFFE1, [0xA1, 0x01] + [UInt8](repeating: 1, count: 11)),
        "minew-acc": .serviceData16(0xFFE1, [0xA1, 0x03] + [UInt8](repeating: 1, count: 13)),
        "minew-info": .serviceData16(0xFFE1, [0xA1, 0x08] + [UInt8](repeating: 0x41, count: 11)),
        "kbeacon": .serviceData16(0xFEAA, [0x21, 0x00, 0x01, 0x0E, 0x5B]),
        "teltonika-eye": .manufacturerSpecific(CompanyIdentifier(0x089A), [0x01, 0x02, 0x12]),
        "tilt": .manufacturerSpecific(
            CompanyIdentifier(0x004C),
            [
                0x02, 0x15, 0xA4, 0x95, 0xBB, 0x10, 0xC5, 0xB1, 0x4B, 0x44, 0xB5, 0x12, 0x13, 0x70, 0xF0, 0x2D, 0x74,
                0xDE,
            ]
                + [0, 68, 3, 0xF8, 0xC5]),
    ]

    /// What begins with a counter and a ciphertext: no pattern has its bytes. The limits of passive scans name them.
    private static let startsAtRandom: Set = ["pvvx-encrypted", "atc1441-encrypted"]

    private static func passes(_ structure: AdvertisingStructure) -> Bool {
        PassiveScanPatterns.monitors.flatMap(\.patterns).contains {
            $0.matches(type: structure.type, data: structure.data)
        }
    }

    /// bluetoothd 5.71 and newer compare what follows the UUID of service data.
    private static func passesSince571(_ structure: AdvertisingStructure) -> Bool {
        guard structure.type == 0x16 else { return passes(structure) }
        let data = Array(structure.data.dropFirst(2))
        return PassiveScanPatterns.monitors.flatMap(\.patterns).contains {
            $0.matches(type: structure.type, data: data)
        }
    }

    @Test func everyFormatPassesWithoutFlags() {
        #expect(Set(Self.frames.keys) == Set(BeaconFormats.names))
        for (name, structure) in Self.frames {
            #expect(AdvertisingData([structure]).frames.map(\.format).contains(name), "\(name)")
            #expect(Self.passes(structure), "\(name)")
            #expect(Self.passesSince571(structure) != Self.startsAtRandom.contains(name), "\(name)")
        }
        for kind in [0x40, 0x41, 0x44, 0x45] as [UInt8] {
            #expect(Self.passesSince571(.serviceData16(0xFCD2, [kind, 0x02])), "BTHome \(kind)")
        }
    }

    @Test func everyAdvertisementWithFlagsPasses() {
        for flags in UInt8(0)...0x1F { #expect(Self.passes(.flags(AdvertisingFlags(rawValue: flags))), "\(flags)") }
        for company in UInt16(0)...0x11FF {
            #expect(Self.passes(.manufacturerSpecific(CompanyIdentifier(company), [])))
        }
        #expect(Self.passes(.manufacturerSpecific(CompanyIdentifier(0xFFFF), [])))
        // What the limits name.
        #expect(!Self.passes(.localName("name", isComplete: true)))
    }

    /// Linux takes 32 monitors of 16 patterns, bluetoothd commands of 255 bytes: 1, and 34 for each pattern.
    @Test func monitorsHaveTheSizesThatBluetoothdAndTheKernelAccept() {
        #expect(PassiveScanPatterns.monitors.count <= 32 && 1 + 34 * PassiveScanPatterns.capacity <= 255)
        for monitor in PassiveScanPatterns.monitors {
            #expect((1...PassiveScanPatterns.capacity).contains(monitor.patterns.count))
            #expect(Set(monitor.patterns).count == monitor.patterns.count)
            #expect(monitor.patterns.allSatisfy { (1...31).contains(Int($0.start) + $0.content.count) })
        }
        let all = PassiveScanPatterns.monitors.flatMap(\.patterns)
        #expect(Set(all).count == all.count)
    }
}
