// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Devices
import Testing

/// A preset without a name, which does not advertise its service.
private struct Nameless: GATTPreset {
    static let kind = "nameless"
    static let settings: [Setting<Nameless>] = []

    var peripheral: GATTPeripheral.Configuration {
        var content = AdvertisedContent()
        content.pdu = .scannable
        return GATTPeripheral.Configuration(
            services: [DeclaredService(uuid: .bit16(0xFFF0), characteristics: [])], content: content)
    }
}

@Suite struct BatteryMonitorTests {
    /// A preset has the findings of the peripheral that it expands to.
    @Test func presetHasWhatItsPeripheralHas() {
        let preset = PresetPeripheral(Nameless())
        #expect(preset.findings.map(\.code) == ["service-not-advertised", "name-missing"])
        #expect(preset.pdu == .scannable)
    }

    private static let level = CharacteristicIdentifier(.bit16(0x2A19))
    private static let drain = Quantity.counter(
        Counter(start: 100, step: -1, every: .seconds(60), range: 0...100, wraps: false))

    /// The book's app scans for 180F or 180A and shows the name.
    @Test func itIsFoundByTheBooksFilter() {
        var battery = BatteryMonitor(BatteryMonitor.Configuration())
        let advertisement = battery.handle(.poweredOn).advertised.flatMap { $0 }
        #expect(advertisement?.advertisingData.services == [.bit16(0x180F), .bit16(0x180A)])
        #expect(advertisement?.advertisingData.localName == "Battery")
        #expect(advertisement?.pdu == .connectableScannable)
        #expect(battery.services.map(\.uuid) == [.bit16(0x180F), .bit16(0x180A)])
    }

    @Test(arguments: [(0x2A29, "Bluegiga"), (0x2A24, "BLE112"), (0x2A26, "25"), (0x2A28, "1.0")] as [(UInt16, String)])
    func itIsTheBooksModule(_ uuid: UInt16, _ text: String) {
        let battery = BatteryMonitor(BatteryMonitor.Configuration())
        #expect(battery.read(.bit16(uuid), offset: 0) == .value(Array(text.utf8)))
    }

    @Test func levelIsOneOctetOrTwo() {
        for (isBookCompatible, value) in [(false, [100]), (true, [0, 100])] as [(Bool, [UInt8])] {
            let battery = BatteryMonitor(BatteryMonitor.Configuration(isBookCompatible: isBookCompatible))
            #expect(battery.read(Self.level, offset: 0) == .value(value))
        }
    }

    @Test func presentationFormatIsThereWhenWanted() {
        let plain = BatteryMonitor(BatteryMonitor.Configuration()).services[0].characteristics[0]
        #expect(plain.descriptors.isEmpty)
        #expect(plain.properties == [.read, .notify])
        let described = BatteryMonitor(BatteryMonitor.Configuration(hasPresentationFormat: true))
        let descriptor = described.services[0].characteristics[0].descriptors.first
        #expect(descriptor?.uuid == .bit16(0x2904))
        #expect(descriptor.map { Hexadecimal.string($0.value) } == "0400ad27010000")
    }

    /// An hour and three quarters in virtual time: a notification a minute while it drains, and none when it is empty.
    @Test func changesAreNotified() {
        var battery = BatteryMonitor(BatteryMonitor.Configuration(level: Self.drain))
        _ = battery.handle(.poweredOn)
        _ = battery.handle(.connected(Bench.alice))
        #expect(battery.nextDeadline == nil)
        #expect(battery.handle(.subscribed(Bench.alice, Self.level, .notification)).isEmpty)
        var notified: [UInt8] = []
        while let deadline = battery.nextDeadline {
            #expect(deadline == .seconds(60 * (notified.count + 1)))
            for output in battery.handle(.timePassed, at: DeviceTime(uptime: deadline)).effects {
                guard case .notify(Self.level, let value, nil) = output else {
                    Issue.record("\(output) is no notification")
                    continue
                }
                notified += value
            }
        }
        #expect(notified == (0...99).reversed())
    }

    @Test func changeWithinOnePerCentIsNotNotified() {
        let wave = Waveform(.triangle, range: 50...52, period: .seconds(200), every: .seconds(1))
        var battery = BatteryMonitor(BatteryMonitor.Configuration(level: .waveform(wave)))
        _ = battery.handle(.poweredOn)
        _ = battery.handle(.subscribed(Bench.alice, Self.level, .notification))
        var notified: [UInt8] = []
        for second in 1...200 {
            let response = battery.handle(.timePassed, at: DeviceTime(uptime: .seconds(second)))
            for case .notify(_, let value, _) in response.effects {
                notified += value
            }
        }
        #expect(notified == [51, 52, 51, 50])
    }

    @Test func ownerTurnsThePotentiometer() {
        var battery = BatteryMonitor(BatteryMonitor.Configuration(level: Self.drain))
        _ = battery.handle(.poweredOn)
        _ = battery.handle(.subscribed(Bench.alice, Self.level, .notification))
        #expect(
            battery.handle(.set([.named("level", "7")])) == .done([.notify(Self.level, value: [7], to: nil)]))
        #expect(battery.handle(.set([.named("level", "101")])) == .refused("level: \"101\" is not from 0 to 100"))
        #expect(battery.handle(.set([.named("level", "auto")])).reply == .done)
        #expect(battery.nextDeadline == .seconds(60))
    }
}
