// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Devices
import Testing

@Suite struct SensorTagSettingTests {
    @Test func settingsShowTheEnvironment() {
        let environment = SensorTagEnvironment([.objectTemperature: .fixed(36.6), .keys: .fixed(3)])
        let tag = SensorTag(SensorTag.Configuration(environment: environment))
        for (name, text) in [
            ("temperature.object", "36.6"), ("temperature.ambient", "22"), ("pressure", "1013.25"),
            ("keys", "left+right"), ("magnetism.z", "-40"),
        ] {
            #expect(tag.settings.contains(.named(name, text)))
        }
        // The hardware determines it.
        #expect(!tag.settings.contains { $0.key == "interval" })
    }

    @Test func newQuantitiesTakeEffectAtTheNextMeasurement() {
        var bench = SensorTagBench.connected()
        bench.write([1], to: SensorTagSensor.accelerometer.configuration)
        #expect(bench.send(.set([.named("acceleration.x", "-1.5"), .named("acceleration.z", "0")])) == .done())
        #expect(bench.value(of: SensorTagSensor.accelerometer.data) == [0, 0, 64])
        bench.run(for: .seconds(1))
        #expect(bench.value(of: SensorTagSensor.accelerometer.data) == [0xA0, 0, 0])
    }

    @Test(arguments: [
        ("humidity", "101", "humidity: \"101\" is not a number from 0 to 100 (%)"),
        ("humidity", "wet", "humidity: \"wet\" is not a number from 0 to 100 (%)"),
        ("pressure", "101325", "pressure: \"101325\" is not a number from 300 to 1100 (hPa)"),
        ("temperature.object", "nan", "temperature.object: \"nan\" is not a number from -40 to 125 (°C)"),
        ("acceleration.x", "0x1", "acceleration.x: \"0x1\" is not a number from -2 to 2 (g)"),
        ("rotation.y", "-250.1", "rotation.y: \"-250.1\" is not a number from -250 to 250 (°/s)"),
        (
            "keys", "middle",
            "keys: \"middle\" is not none, left, right or side, or several of them such as left+right"
        ),
    ])
    func invalidValuesAreRefusedAndChangeNothing(_ name: String, text: String, sentence: String) {
        var bench = SensorTagBench()
        let before = bench.tag.settings
        #expect(bench.send(.set([.named("magnetism.x", "1"), .named(name, text)])) == .refused(sentence))
        #expect(bench.tag.settings == before)
    }

    @Test(arguments: [SettingValue.major(1), .interval(AdvertisingInterval(160)), .named("colour", "red")])
    func unknownSettingsAreRefused(_ setting: SettingValue) throws {
        var bench = SensorTagBench()
        guard case .refused(let sentence)? = bench.send(.set([setting])).reply else {
            Issue.record("not refused")
            return
        }
        #expect(sentence.hasPrefix("\(setting.key): a SensorTag has no such setting; it has temperature.object, "))
    }

    /// `auto` resumes at the present value of the generator.
    @Test func generatorsChangeQuantitiesAndResumeWithAuto() {
        let rising = Quantity.counter(Counter(every: .seconds(1), range: 0...100))
        var bench = SensorTagBench.connected(environment: [.rotationX: rising, .humidity: rising])
        #expect(bench.tag.settings.contains(.named("rotation.x", "auto")))
        bench.write([1], to: SensorTagSensor.humidity.configuration)
        func humidity() -> Double? {
            bench.value(of: SensorTagSensor.humidity.data).map { SensorTagFormulas.humidity($0).rounded() }
        }
        bench.run(for: .milliseconds(5250))
        #expect(humidity() == 5)
        bench.send(.set([.named("humidity", "50")]))
        bench.run(for: .seconds(20))
        #expect(humidity() == 50)
        bench.send(.set([.named("humidity", "auto")]))
        bench.run(for: .seconds(5))
        #expect(humidity() == 30)
    }

    @Test func randomWalkDoesNotDependOnHowOftenItIsRead() {
        let walk = Quantity.randomWalk(RandomWalk(seed: 7, start: 0, step: 5, range: -200...200, every: .seconds(1)))
        func values(readingOften: Bool) -> [[UInt8]] {
            var bench = SensorTagBench.connected(environment: [.rotationZ: walk])
            bench.write([4], to: SensorTagSensor.gyroscope.configuration)
            for _ in 0..<60 {
                bench.run(for: .seconds(1))
                if readingOften { _ = bench.value(of: SensorTagSensor.gyroscope.data) }
            }
            return bench.values(of: SensorTagSensor.gyroscope.data)
        }
        let seldom = values(readingOften: false)
        #expect(seldom == values(readingOften: true))
        #expect(Set(seldom).count > 30)
    }

    @Test func generatorPressesKeys() {
        let pressing = Quantity.waveform(
            Waveform(.square, range: 0...1, period: .seconds(2), phase: 0.5, every: .milliseconds(100)))
        var bench = SensorTagBench.connected(environment: [.keys: pressing])
        bench.run(for: .milliseconds(4500))
        #expect(bench.values(of: SensorTagWire.keys) == [[1], [0], [1], [0]])
        #expect(bench.times(of: SensorTagWire.keys) == [1000, 2000, 3000, 4000])
        // After the machine slept, only the present keys are notified.
        bench.sleep(for: .seconds(86_400))
        bench.clear()
        bench.send(.timePassed)
        #expect(bench.notifications.count <= 1)
    }

    @Test func firmware15AcceptsHigherAcceleration() {
        var bench = SensorTagBench.connected(.version15)
        #expect(bench.send(.set([.named("acceleration.x", "7.5")])) == .done())
        bench = SensorTagBench.connected(.version14)
        #expect(bench.send(.set([.named("acceleration.x", "7.5")])).reply != .done)
    }
}
