// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth

/// The six sensors of a SensorTag: configuration, period, data and measurement schedule.
///
/// A sensor is off until a valid configuration is written. Its first measurement follows after a delay that depends on
/// the sensor, the next ones after each period; a new period takes effect at the next measurement. Writing 0 switches
/// the sensor off, and its data become zeros. Invalid configurations are stored and have no effect.
///
/// The barometer measures temperature and pressure alternately, and 2 in its configuration loads its calibration.
struct SensorTagSensors: Sendable {
    /// One sensor.
    private struct State: Hashable {
        /// The latest write to the configuration, valid or not.
        var configuration: UInt8 = 0
        /// The latest write to the period, in units of 10 ms, valid or not.
        var period: UInt8
        /// The latest valid period.
        var appliedPeriod: UInt8
        /// The latest measurement.
        var data: [UInt8]
        /// When the sensor measures next, in uptime; `nil` while it is off.
        var nextSample: Duration?
        /// The number of measurements since the sensor was switched on.
        var sampleCount = 0
        /// The acceleration at full scale, in g.
        var accelerationRange: Double

        init(_ sensor: SensorTagSensor, _ firmware: SensorTagFirmware) {
            period = sensor.defaultPeriod
            appliedPeriod = period
            data = [UInt8](repeating: 0, count: sensor.dataLength)
            accelerationRange = firmware.maximumAcceleration
        }
    }

    /// More overdue measurements of one sensor than this are skipped, as after the machine slept.
    private static let maximumBacklog = 64
    /// The error of the manufacturer's stack for a value out of range.
    private static let invalidValue = ATTError(rawValue: 0x80)
    private static let emptyCalibration = [UInt8](repeating: 0, count: 16)

    private let firmware: SensorTagFirmware
    private var states: [SensorTagSensor: State] = [:]
    /// The value of the barometer's calibration: zeros until it is loaded.
    private(set) var calibration = emptyCalibration

    /// All sensors are off.
    init(_ firmware: SensorTagFirmware) { self.firmware = firmware }

    private subscript(_ sensor: SensorTagSensor) -> State {
        get { states[sensor] ?? State(sensor, firmware) }
        set { states[sensor] = newValue }
    }

    /// Switches all sensors off and restores the defaults, without notifications.
    mutating func reset() { self = SensorTagSensors(firmware) }

    // MARK: - Characteristics

    /// The latest measurement of a sensor.
    func data(of sensor: SensorTagSensor) -> [UInt8] { self[sensor].data }

    /// The configuration of a sensor.
    func configuration(of sensor: SensorTagSensor) -> UInt8 { self[sensor].configuration }

    /// The period of a sensor, in units of 10 ms; `nil` if the sensor has no period characteristic.
    func period(of sensor: SensorTagSensor) -> UInt8? {
        firmware.shortestPeriod(of: sensor) == nil ? nil : self[sensor].period
    }

    /// Writes the configuration of a sensor.
    mutating func configure(_ sensor: SensorTagSensor, _ value: UInt8, at now: Duration) -> [SensorTagNotification] {
        self[sensor].configuration = value
        if value == 0 { return switchOff(sensor) }
        if sensor == .barometer, value == 2 {
            calibration = BarometerCalibration.example.bytes
            return [SensorTagNotification(SensorTagWire.calibration, calibration)]
        }
        guard switchesOn(sensor, value) else { return [] }
        if sensor == .accelerometer, firmware == .version15, 1...3 ~= value {
            self[sensor].accelerationRange = Double(16 >> Int(value))
        }
        switchOn(sensor, at: now)
        return []
    }

    /// Whether this configuration switches a sensor on.
    private func switchesOn(_ sensor: SensorTagSensor, _ value: UInt8) -> Bool {
        switch sensor {
        case .gyroscope: true
        case .accelerometer: value == 1 || firmware == .version15
        case .infraredThermometer, .humidity, .magnetometer, .barometer: value == 1
        }
    }

    private mutating func switchOn(_ sensor: SensorTagSensor, at now: Duration) {
        var state = self[sensor]
        guard state.nextSample == nil else { return }
        state.data = [UInt8](repeating: 0, count: sensor.dataLength)
        state.sampleCount = 0
        state.nextSample = now + sensor.firstSample(period: state.appliedPeriod)
        self[sensor] = state
    }

    private mutating func switchOff(_ sensor: SensorTagSensor) -> [SensorTagNotification] {
        let state = self[sensor]
        guard state.nextSample != nil else { return [] }
        var initial = State(sensor, firmware)
        if firmware == .version15 {
            // Firmware 1.5 does not reset periods and the accelerometer's range.
            initial.period = state.period
            initial.appliedPeriod = state.appliedPeriod
            initial.accelerationRange = state.accelerationRange
        }
        self[sensor] = initial
        var notifications = [SensorTagNotification(sensor.data, initial.data)]
        if sensor == .barometer {
            calibration = Self.emptyCalibration
            notifications.append(SensorTagNotification(SensorTagWire.calibration, calibration))
        }
        return notifications
    }

    /// Writes the period of a sensor.
    mutating func setPeriod(of sensor: SensorTagSensor, to value: UInt8) throws(ATTError) {
        guard let shortest = firmware.shortestPeriod(of: sensor) else { throw .writeNotPermitted }
        // Earlier firmware stores a period that is too short, and measures with the one before.
        guard value >= shortest || firmware != .version15 else { throw Self.invalidValue }
        self[sensor].period = value
        if value >= shortest { self[sensor].appliedPeriod = value }
    }

    // MARK: - Measurements

    /// When `advance` is due, in uptime.
    var nextDeadline: Duration? { states.values.compactMap(\.nextSample).min() }

    /// Performs the measurements that are due.
    mutating func advance(
        to now: Duration, in surroundings: inout SensorTagSurroundings
    ) -> [SensorTagNotification] {
        var notifications: [SensorTagNotification] = []
        for sensor in SensorTagSensor.allCases {
            var state = self[sensor]
            guard let time = state.nextSample, time <= now else { continue }
            surroundings.settle(at: time)
            state.data = data(of: sensor, state, in: surroundings, at: time)
            state.sampleCount += 1
            state.nextSample = time + sensor.sampleInterval(period: state.appliedPeriod)
            self[sensor] = state
            notifications.append(SensorTagNotification(sensor.data, state.data))
        }
        return notifications
    }

    /// Skips measurements that were due long ago.
    mutating func skipBacklog(to now: Duration) {
        for sensor in SensorTagSensor.allCases {
            guard let next = self[sensor].nextSample else { continue }
            let interval = sensor.sampleInterval(period: self[sensor].appliedPeriod)
            let delay = now - next
            guard delay > interval * Self.maximumBacklog else { continue }
            // An even number, so that the barometer's alternation continues.
            let count = 2 * Int((delay / (interval * 2)).rounded(.down)) - Self.maximumBacklog
            self[sensor].nextSample = next + interval * count
            self[sensor].sampleCount += count
        }
    }

    private func data(
        of sensor: SensorTagSensor, _ state: State, in surroundings: SensorTagSurroundings, at now: Duration
    ) -> [UInt8] {
        func value(_ quantity: SensorTagQuantity) -> Double { surroundings.value(of: quantity, at: now) }
        switch sensor {
        case .infraredThermometer:
            return InfraredThermometer.data(object: value(.objectTemperature), ambient: value(.ambientTemperature))
        case .accelerometer:
            return MotionSensors.acceleration(
                SensorTagQuantity.acceleration.map(value), range: state.accelerationRange)
        case .humidity:
            return HumiditySensor.data(temperature: value(.ambientTemperature), humidity: value(.humidity))
        case .magnetometer:
            return MotionSensors.magnetism(SensorTagQuantity.magnetism.map(value))
        case .gyroscope:
            // The configuration has a bit for each axis.
            let axes = SensorTagQuantity.rotation.enumerated().map { number, axis in
                state.configuration & 1 << number == 0 ? 0 : value(axis)
            }
            return MotionSensors.rotation(axes)
        case .barometer:
            let calibration = BarometerCalibration.example
            if state.sampleCount.isMultiple(of: 2) {
                let raw = calibration.temperatureRaw(value(.ambientTemperature))
                return Self.bytes(UInt16(bitPattern: raw)) + state.data.suffix(2)
            }
            let temperature = Int16(truncatingIfNeeded: Int(state.data[0]) | Int(state.data[1]) << 8)
            let raw = calibration.pressureRaw(value(.pressure) * 100, temperatureRaw: temperature)
            return state.data.prefix(2) + Self.bytes(raw)
        }
    }

    private static func bytes(_ value: UInt16) -> [UInt8] { [UInt8(value & 0xFF), UInt8(value >> 8)] }
}
