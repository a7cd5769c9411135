// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Devices
import TestSupport
import Testing

@Suite struct GATTPeripheralTests {
    static let uuid = BluetoothUUID.bit16(0x2A19)
    static let identifier = CharacteristicIdentifier(uuid)
    static let octet = ValueFormat.integer(IntegerFormat(size: 1, isSigned: false))

    /// A peripheral with one characteristic, switched on.
    static func peripheral(
        _ properties: CharacteristicProperties = [.read, .write, .notify], fields: [ValueField]? = nil,
        centrals: Int = 1, _ change: (inout DeclaredCharacteristic) -> Void = { _ in }
    ) -> GATTPeripheral {
        var characteristic = DeclaredCharacteristic(
            name: "value", uuid: uuid, properties: properties,
            fields: fields ?? [ValueField(format: octet, source: .fixed([5]))])
        change(&characteristic)
        let service = DeclaredService(uuid: .bit16(0x180F), characteristics: [characteristic])
        var peripheral = GATTPeripheral(GATTPeripheral.Configuration(services: [service], centrals: centrals))
        _ = peripheral.handle(.poweredOn)
        return peripheral
    }

    static func counting(_ properties: CharacteristicProperties = [.read, .notify]) -> [ValueField] {
        let counter = Counter(start: 0, every: .seconds(1), range: 0...255)
        return [ValueField(format: octet, source: .quantity(.counter(counter)))]
    }

    static func at(_ milliseconds: Int) -> DeviceTime {
        DeviceTime(
            uptime: .milliseconds(milliseconds), sinceUnixEpoch: .seconds(1_700_000_000) + .milliseconds(milliseconds))
    }

    static func notification(_ value: [UInt8]) -> DeviceEffect { .notify(identifier, value: value, to: nil) }

    // MARK: - Reading and writing

    @Test func valueIsReadFromAnyOffset() {
        let peripheral = Self.peripheral(fields: [ValueField(format: .text, source: .fixed(Array("abc".utf8)))])
        #expect(peripheral.read(Self.uuid, offset: 0) == .value(Array("abc".utf8)))
        #expect(peripheral.read(Self.uuid, offset: 3) == .value([]))
        #expect(peripheral.read(Self.uuid, offset: 4) == .error(.invalidOffset))
        #expect(peripheral.read(Self.uuid, offset: -1) == .error(.invalidOffset))
        #expect(peripheral.read(.bit16(0x2A00), offset: 0) == .error(.readNotPermitted))
    }

    @Test func valueIsThatOfTheTime() {
        var peripheral = Self.peripheral([.read], fields: Self.counting())
        _ = peripheral.handle(.poweredOn, at: Self.at(500))
        for (time, value) in [(500, 0), (1499, 0), (1500, 1), (256_500, 0)] as [(Int, UInt8)] {
            #expect(peripheral.read(Self.identifier, offset: 0, at: Self.at(time)) == .value([value]))
        }
        // Power again: everything begins again.
        _ = peripheral.handle(.poweredOn, at: Self.at(9000))
        #expect(peripheral.read(Self.identifier, offset: 0, at: Self.at(9999)) == .value([0]))
    }

    @Test func writesAreChecked() {
        let fields = [
            ValueField(name: "a", format: Self.octet, source: .fixed([1]), accepted: 0...9),
            ValueField(name: "b", format: .text, source: .fixed([0x62])),
        ]
        var peripheral = Self.peripheral(fields: fields) {
            $0.lengths = 1...4
            $0.rangeError = ATTError(rawValue: 0x80)
        }
        let rows: [(offset: Int, value: [UInt8], outcome: DeviceReply)] = [
            (0, [], .rejected(.invalidAttributeValueLength)),
            (0, [1, 0x63, 0x64, 0x65, 0x66], .rejected(.invalidAttributeValueLength)),
            (3, [1], .rejected(.invalidOffset)), (-1, [1], .rejected(.invalidOffset)),
            (0, [10, 0x63], .rejected(ATTError(rawValue: 0x80))), (0, [1, 0xFF], .rejected(.valueNotAllowed)),
            (0, [9], .done), (1, [0x63, 0x64], .done),
        ]
        for row in rows {
            #expect(peripheral.handle(.wrote(Self.uuid, offset: row.offset, value: row.value)).reply == row.outcome)
        }
        #expect(peripheral.read(Self.uuid, offset: 0) == .value([9, 0x63, 0x64]))
        // What is not declared as writable is not.
        var fixed = Self.peripheral([.read])
        #expect(fixed.handle(.wrote(Self.uuid, offset: 0, value: [1])) == .rejected(.writeNotPermitted))
        // It is gone with the power.
        _ = peripheral.handle(.poweredOn)
        #expect(peripheral.read(Self.uuid, offset: 0) == .value([1, 0x62]))
    }

    @Test func truthIsZeroOrOne() {
        var peripheral = Self.peripheral(fields: [ValueField(format: .boolean, source: .fixed([0]))])
        #expect(peripheral.handle(.wrote(Self.uuid, offset: 0, value: [2])) == .rejected(.valueNotAllowed))
        #expect(peripheral.handle(.wrote(Self.uuid, offset: 0, value: [1])).reply == .done)
        #expect(peripheral.handle(.wrote(Self.uuid, offset: 0, value: [0xFF])) == .rejected(.valueNotAllowed))
        #expect(peripheral.read(Self.uuid, offset: 0) == .value([1]))
        #expect(peripheral.settings.contains(.named("value", "true")))
    }

    @Test func delaysComeBeforeAnswers() {
        var peripheral = Self.peripheral {
            $0.readDelay = .seconds(2)
            $0.writeDelay = .milliseconds(5)
        }
        #expect(peripheral.read(Self.uuid, offset: 0) == ReadResult(.success([5]), delay: .seconds(2)))
        #expect(peripheral.handle(.wrote(Self.uuid, offset: 0, value: [7])) == .done(delay: .milliseconds(5)))
        #expect(
            peripheral.handle(.wrote(Self.uuid, offset: 0, value: []))
                == .rejected(.invalidAttributeValueLength, delay: .milliseconds(5)))
    }

    // MARK: - Errors on purpose

    private static let code = ATTError(rawValue: 0x81)

    @Test func errorsAreAnsweredOnTheirOccasions() {
        var always = Self.peripheral {
            ($0.readFault, $0.writeFault) = (AttributeFault(Self.code), AttributeFault(Self.code))
        }
        #expect(always.read(Self.uuid, offset: 0) == .error(Self.code))
        #expect(always.handle(.wrote(Self.uuid, offset: 0, value: [7])) == .rejected(Self.code))

        // Reads are counted, so that each is answered once, by the device that counts.
        var second = Self.peripheral { $0.readFault = AttributeFault(Self.code, .time(2)) }
        for answer in [.success([5]), .failure(Self.code), .success([5])] as [Result<[UInt8], ATTError>] {
            #expect(second.read(Self.uuid, offset: 0) == ReadResult(answer, isCounted: true))
            #expect(second.handle(.readAnswered(Self.identifier)).isEmpty)
        }
        var written = Self.peripheral { $0.writeFault = AttributeFault(Self.code, .time(1)) }
        #expect(written.handle(.wrote(Self.uuid, offset: 0, value: [7])) == .rejected(Self.code))
        #expect(written.handle(.wrote(Self.uuid, offset: 0, value: [7])) == .done())
        #expect(written.handle(.poweredOn).advertised != nil)
        #expect(written.handle(.wrote(Self.uuid, offset: 0, value: [7])) == .rejected(Self.code))

        var repaired = Self.peripheral { $0.readFault = AttributeFault(Self.code, .untilWritten) }
        #expect(repaired.read(Self.uuid, offset: 0) == .error(Self.code))
        #expect(repaired.handle(.wrote(Self.uuid, offset: 0, value: [])) == .rejected(.invalidAttributeValueLength))
        #expect(repaired.read(Self.uuid, offset: 0) == .error(Self.code))
        #expect(repaired.handle(.wrote(Self.uuid, offset: 0, value: [7])) == .done())
        #expect(repaired.read(Self.uuid, offset: 0) == .value([7]))
    }

    // MARK: - Notifying

    @Test func changesAreNotifiedToSubscribersOnly() {
        var peripheral = Self.peripheral([.read, .notify], fields: Self.counting(), centrals: 2) {
            $0.notificationPolicy = .onChange
        }
        _ = peripheral.handle(.poweredOn, at: Self.at(0))
        #expect(peripheral.nextDeadline == nil)
        #expect(peripheral.handle(.subscribed(Bench.alice, Self.identifier, .notification), at: Self.at(100)).isEmpty)
        #expect(peripheral.nextDeadline == .seconds(1))
        // Too early: nothing has changed.
        #expect(peripheral.handle(.timePassed, at: Self.at(999)).isEmpty)
        #expect(peripheral.handle(.timePassed, at: Self.at(1000)) == [Self.notification([1])])
        #expect(peripheral.handle(.timePassed, at: Self.at(1001)).isEmpty)
        // Late: what was missed is not made up for.
        #expect(peripheral.handle(.timePassed, at: Self.at(5300)) == [Self.notification([5])])
        #expect(peripheral.nextDeadline == .seconds(6))
        _ = peripheral.handle(.subscribed(Bench.bob, Self.identifier, .indication), at: Self.at(5400))
        _ = peripheral.handle(.disconnected(Bench.alice), at: Self.at(5500))
        #expect(peripheral.handle(.timePassed, at: Self.at(6000)) == [Self.notification([6])])
        #expect(peripheral.handle(.subscribed(Bench.bob, Self.identifier, []), at: Self.at(6100)).isEmpty)
        #expect(peripheral.nextDeadline == nil)
        #expect(peripheral.handle(.timePassed, at: Self.at(7000)).isEmpty)
    }

    @Test func valuesAreNotifiedPeriodically() {
        var peripheral = Self.peripheral { $0.notificationPolicy = .every(.milliseconds(300)) }
        _ = peripheral.handle(.poweredOn, at: Self.at(0))
        _ = peripheral.handle(.subscribed(Bench.alice, Self.identifier, .notification), at: Self.at(100))
        var times: [Int] = []
        for time in 100..<2000 where peripheral.handle(.timePassed, at: Self.at(time)) == [Self.notification([5])] {
            times.append(time)
        }
        #expect(times == [400, 700, 1000, 1300, 1600, 1900])
        // Who comes later does not disturb the rhythm, and a late wake-up does not shift it.
        _ = peripheral.handle(.subscribed(Bench.bob, Self.identifier, .notification), at: Self.at(2000))
        #expect(peripheral.handle(.timePassed, at: Self.at(2900)) == [Self.notification([5])])
        #expect(peripheral.nextDeadline == .milliseconds(3100))
        // Whole periods late, the ones between are left out.
        #expect(peripheral.handle(.timePassed, at: Self.at(4400)) == [Self.notification([5])])
        #expect(peripheral.nextDeadline == .milliseconds(4600))
    }

    @Test func changedValueIsNotifiedAfterAWrite() {
        var peripheral = Self.peripheral { $0.notificationPolicy = .onChange }
        _ = peripheral.handle(.subscribed(Bench.alice, Self.identifier, .notification))
        #expect(peripheral.handle(.wrote(Self.uuid, offset: 0, value: [5])) == .done())
        #expect(peripheral.handle(.wrote(Self.uuid, offset: 0, value: [6])) == .done([Self.notification([6])]))
        var echo = Self.peripheral { ($0.notificationPolicy, $0.echo) = (.onChange, "value") }
        #expect(echo.handle(.wrote(Self.uuid, offset: 0, value: [6])) == .done())
        _ = echo.handle(.subscribed(Bench.alice, Self.identifier, .notification))
        for _ in 0..<2 {
            #expect(echo.handle(.wrote(Self.uuid, offset: 0, value: [6])) == .done([Self.notification([6])]))
        }
    }

    /// What is written to one characteristic comes back from another, and lets a third begin again.
    @Test func characteristicsActOnEachOther() {
        func characteristic(
            _ name: String, _ uuid: UInt16, _ properties: CharacteristicProperties, _ fields: [ValueField]
        ) -> DeclaredCharacteristic {
            DeclaredCharacteristic(name: name, uuid: .bit16(uuid), properties: properties, fields: fields)
        }
        let text = [ValueField(format: .text, source: .fixed([]))]
        var transmit = characteristic("transmit", 0xFFF1, .write, text)
        transmit.echo = "receive"
        transmit.restarts = ["time.seconds"]
        let fields = [
            ValueField(name: "flags", format: Self.octet, source: .fixed([0])),
            ValueField(name: "seconds", format: Self.octet, source: Self.counting()[0].source),
        ]
        let service = DeclaredService(
            uuid: .bit16(0xFFF0),
            characteristics: [
                transmit, characteristic("receive", 0xFFF2, .notify, text),
                characteristic("time", 0xFFF3, .read, fields),
            ])
        var peripheral = GATTPeripheral(GATTPeripheral.Configuration(services: [service]))
        _ = peripheral.handle(.poweredOn, at: Self.at(0))
        let receive = CharacteristicIdentifier(.bit16(0xFFF2))
        _ = peripheral.handle(.subscribed(Bench.alice, receive, .notification), at: Self.at(0))
        let time = BluetoothUUID.bit16(0xFFF3)
        #expect(peripheral.read(time, offset: 0, at: Self.at(7500)) == .value([0, 7]))
        let outputs = peripheral.handle(.wrote(.bit16(0xFFF1), offset: 0, value: [0x68, 0x69]), at: Self.at(7500))
        #expect(outputs == .done([.notify(receive, value: [0x68, 0x69], to: nil)]))
        #expect(peripheral.read(time, offset: 0, at: Self.at(8499)) == .value([0, 0]))
        #expect(peripheral.read(time, offset: 0, at: Self.at(8500)) == .value([0, 1]))
    }

    // MARK: - Flash

    @Test func whatIsStoredSurvivesPowerCuts() throws {
        var peripheral = Self.peripheral { $0.isStored = true }
        let outputs = peripheral.handle(.wrote(Self.uuid, offset: 0, value: [9]))
        #expect(outputs == .done(flash: FlashImage(["value": .text("09")])))
        _ = peripheral.handle(.poweredOn)
        #expect(peripheral.read(Self.uuid, offset: 0) == .value([9]))
        var other = Self.peripheral { $0.isStored = true }
        try other.restore(from: try #require(outputs.flash))
        #expect(other.read(Self.uuid, offset: 0) == .value([9]))
        try other.restore(from: FlashImage(["someone's": .integer(1)]))
        #expect(other.read(Self.uuid, offset: 0) == .value([9]))
        for bad in [.text("0102"), .text("zz"), .integer(9)] as [FlashValue] {
            #expect(throws: FlashFault(name: "value")) { try other.restore(from: FlashImage(["value": bad])) }
        }
        #expect(other.read(Self.uuid, offset: 0) == .value([9]))
        // What is not stored is not kept, and not restored.
        var plain = Self.peripheral()
        #expect(plain.handle(.wrote(Self.uuid, offset: 0, value: [9])).flash == nil)
        try plain.restore(from: FlashImage(["value": .text("07")]))
        _ = plain.handle(.poweredOn)
        #expect(plain.read(Self.uuid, offset: 0) == .value([5]))
    }

    // MARK: - Settings

    @Test func ownerSetsValues() {
        var peripheral = Self.peripheral([.read, .notify], fields: Self.counting()) {
            $0.notificationPolicy = .onChange
        }
        _ = peripheral.handle(.poweredOn, at: Self.at(0))
        _ = peripheral.handle(.subscribed(Bench.alice, Self.identifier, .notification), at: Self.at(0))
        #expect(peripheral.settings.last == .named("value", "auto"))
        #expect(peripheral.handle(.set([.named("value", "42")]), at: Self.at(10)) == .done([Self.notification([42])]))
        #expect(peripheral.settings.last == .named("value", "42"))
        #expect(peripheral.nextDeadline == nil)
        // It outlasts the power, until it is let go.
        _ = peripheral.handle(.poweredOn, at: Self.at(20))
        #expect(peripheral.read(Self.identifier, offset: 0, at: Self.at(5000)) == .value([42]))
        #expect(peripheral.handle(.set([.named("value", "auto")]), at: Self.at(5000)) == .done())
        #expect(peripheral.read(Self.identifier, offset: 0, at: Self.at(5020)) == .value([5]))
    }

    @Test(
        arguments: [
            (.named("value", "256"), "value: \"256\" is not a whole number from 0 to 255"),
            (.named("value", "100"), "value: \"100\" is not from 0 to 99"),
            (.named("other", "1"), "other: there is no setting of this name; settings are value"),
            (.major(1), "major: this peripheral has no such setting"),
            (
                .interval(AdvertisingInterval(31)),
                "interval: a radio can send every 20 ms to 10240 ms (32 to 16384 ticks)"
            ),
        ] as [(SettingValue, String)])
    func settingsAreRefusedTogether(_ setting: SettingValue, _ sentence: String) {
        let fields = [ValueField(format: Self.octet, source: .fixed([5]), accepted: 0...99)]
        var peripheral = Self.peripheral(fields: fields)
        let before = peripheral.settings
        #expect(peripheral.handle(.set([.named("value", "7"), setting])) == .refused(sentence))
        #expect(peripheral.settings == before)
    }

    // MARK: - Centrals

    @Test func centralsAreCounted() {
        var peripheral = Self.peripheral(centrals: 2)
        let onAir = peripheral.handle(.poweredOn).advertised
        #expect(onAir == .some(peripheral.advertisement(at: DeviceTime())))
        #expect(peripheral.handle(.connected(Bench.alice)).isEmpty)
        #expect(peripheral.handle(.connected(Bench.bob)) == [.advertise(nil)])
        let third = peripheral.handle(.connected(Central("c")))
        #expect(third.effects.first == .disconnect(Central("c")))
        #expect(third.warningCodes == ["central-too-many"])
        #expect(peripheral.handle(.disconnected(Central("c"))).isEmpty)
        #expect(peripheral.handle(.disconnected(Bench.alice)).advertised == onAir)
    }

    // MARK: - Anything at all

    /// Every request has one answer, whatever centrals do, and notified values are valid.
    @Test(arguments: [1, 2, 3] as [UInt64])
    func everyRequestHasOneAnswer(_ seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        var peripheral = Self.everything()
        let identifiers = peripheral.services.identifiedCharacteristics.map(\.identifier) + [Self.identifier]
        var now = DeviceTime()
        _ = peripheral.handle(.poweredOn, at: now)
        for _ in 0..<5000 {
            now.uptime += .milliseconds(Int.random(in: 0...500, using: &generator))
            now.sinceUnixEpoch = .milliseconds(Int.random(in: -1_000_000...1_000_000, using: &generator))
            let identifier = identifiers.randomElement(using: &generator) ?? Self.identifier
            let central = [Bench.alice, Bench.bob].randomElement(using: &generator) ?? Bench.alice
            let length = Int.random(in: 0...(Bool.random(using: &generator) ? 8 : 600), using: &generator)
            let value = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
            let offset = Int.random(in: -1...5, using: &generator)
            let inputs: [DeviceInput] = [
                .readAnswered(identifier), .wrote(identifier, offset: offset, value: value),
                .connected(central),
                .wrote(identifier, offset: 0, value: value), .disconnected(central), .timePassed,
                .subscribed(central, identifier, ClientCharacteristicConfiguration(rawValue: UInt16(length % 4))),
            ]
            let input = inputs.randomElement(using: &generator) ?? .timePassed
            let outputs = peripheral.handle(input, at: now)
            if case .success(let read) = peripheral.read(identifier, offset: offset, at: now).value {
                #expect(read.count <= 512)
            }
            switch input {
            case .wrote: #expect(outputs.reply != nil)
            default: #expect(outputs.reply == nil)
            }
            for case .notify(_, let value, _) in outputs.effects { #expect(value.count <= 512) }
            if let image = outputs.flash { #expect(throws: Never.self) { try peripheral.restore(from: image) } }
        }
    }

    /// A peripheral with characteristics of every kind.
    private static func everything() -> GATTPeripheral {
        let all: CharacteristicProperties = [.read, .write, .notify]
        let walk = RandomWalk(seed: 1, start: 5, step: 1, range: 0...9, every: .milliseconds(10))
        let kinds: [[ValueField]] = [
            [ValueField(format: .octets, source: .fixed([]))], [ValueField(format: .text, source: .fixed([]))],
            [ValueField(format: octet, source: .fixed([5]), accepted: 0...9)], counting(),
            [ValueField(format: .float64(.bigEndian), source: .quantity(.randomWalk(walk)))],
            [ValueField(format: .octets, source: .clock(.currentTime))],
            [
                ValueField(
                    name: "a", format: .medical(.short, decimals: nil), source: .fixed([0, 0]), accepted: -5...5),
                ValueField(name: "b", format: .text, source: .fixed([])),
            ],
        ]
        let policies: [NotificationPolicy] = [.never, .onChange, .every(.milliseconds(300))]
        let characteristics = kinds.indices.map { index in
            var characteristic = DeclaredCharacteristic(
                name: "c\(index)", uuid: .bit16(0xFFF0), properties: all, fields: kinds[index])
            characteristic.notificationPolicy = policies[index % 3]
            characteristic.isStored = index % 2 == 0
            characteristic.echo = "c\((index + 1) % kinds.count)"
            characteristic.restarts = ["c3"]
            characteristic.readFault = index == 1 ? AttributeFault(code, .time(3)) : nil
            return characteristic
        }
        let services = [DeclaredService(uuid: .bit16(0xFFE0), characteristics: characteristics)]
        return GATTPeripheral(GATTPeripheral.Configuration(services: services, centrals: 2))
    }
}
