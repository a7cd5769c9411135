// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import BluetoothCore

extension SensorTag {
    /// A sensor that was not asked for so many times has not measured then.
    private static let backlog = 64

    /// Lets everything happen that is due, in its order.
    mutating func advance(to now: Duration) -> [DeviceEffect] {
        skipBacklog(to: now)
        var outputs: [DeviceEffect] = []
        while let due = nextDeadline, due <= now {
            if due == farewellAt {
                farewellAt = nil
                outputs += central.map { [.disconnect($0)] } ?? []
            } else if due == resetAt {
                outputs += reset(at: due)
            } else if due == discoverableEnd {
                discoverableEnd = nil
                isDiscoverable = false
                outputs.append(.advertise(onAir))
            } else if due == retimingAt {
                retimingAt = nil
                outputs += updateConnection(to: Self.likedTiming)
            } else if due == nextKeyChange {
                outputs += followKeys(at: due)
            } else if let sensor = SensorTagSensor.allCases.first(where: { sensors[$0]?.nextSample == due }) {
                outputs += sample(sensor, at: due)
            }
        }
        return outputs
    }

    /// Leaves out what would have been measured long ago, as after a machine slept.
    private mutating func skipBacklog(to now: Duration) {
        if let next = nextKeyChange, now - next > .seconds(10) { nextKeyChange = now }
        for sensor in SensorTagSensor.allCases {
            guard let state = sensors[sensor], let next = state.nextSample else { continue }
            let interval = sensor.sampleInterval(period: state.appliedPeriod)
            guard now - next > interval * Self.backlog else { continue }
            let late = now - next
            // What remains has the same place in the rhythm, also in that of the barometer's turns.
            let turns = 2 * Int((late / (interval * 2)).rounded(.down)) - Self.backlog
            sensors[sensor]?.nextSample = next + interval * turns
            sensors[sensor]?.sampleCount += turns
        }
    }

    private mutating func sample(_ sensor: SensorTagSensor, at time: Duration) -> [DeviceEffect] {
        guard var state = sensors[sensor] else { return [] }
        environment.settle(at: time - poweredAt)
        state.data = environment.data(of: sensor, at: time - poweredAt, former: state.data, state: state)
        state.sampleCount += 1
        state.nextSample = time + sensor.sampleInterval(period: state.appliedPeriod)
        sensors[sensor] = state
        return notify(sensor.data, state.data)
    }

    /// Tells a value to whoever wants it.
    func notify(_ uuid: BluetoothUUID, _ value: [UInt8]) -> [DeviceEffect] {
        let characteristic = CharacteristicIdentifier(uuid)
        guard subscriptions.contains(where: { $0.characteristic == characteristic }) else { return [] }
        return [.notify(characteristic, value: value, to: nil)]
    }
}

// MARK: - Switching sensors

extension SensorTag {
    /// Takes a value of a sensor's configuration: it is kept, whatever it is, and does something if it means something.
    mutating func configure(_ sensor: SensorTagSensor, _ value: UInt8, at now: Duration) -> [DeviceEffect] {
        sensors[sensor]?.configuration = value
        if value == 0 { return switchOff(sensor) }
        if sensor == .barometer, value == 2 {
            calibration = BarometerCalibration.example.octets
            return notify(SensorTagWire.calibration, calibration)
        }
        guard means(value, for: sensor) else { return [] }
        if sensor == .accelerometer, configuration.firmware == .version15, 1...3 ~= value {
            sensors[sensor]?.greatestAcceleration = Double(16 >> Int(value))
        }
        switchOn(sensor, at: now)
        return []
    }

    /// Whether a sensor is on when its configuration has this value.
    private func means(_ value: UInt8, for sensor: SensorTagSensor) -> Bool {
        switch sensor {
        case .gyroscope: true
        case .accelerometer: value == 1 || configuration.firmware == .version15
        case .infraredThermometer, .humidity, .magnetometer, .barometer: value == 1
        }
    }

    private mutating func switchOn(_ sensor: SensorTagSensor, at now: Duration) {
        guard var state = sensors[sensor], !state.isOn else { return }
        state.data = [UInt8](repeating: 0, count: sensor.dataLength)
        state.sampleCount = 0
        state.nextSample = now + sensor.firstSample(period: state.appliedPeriod)
        sensors[sensor] = state
    }

    private mutating func switchOff(_ sensor: SensorTagSensor) -> [DeviceEffect] {
        guard let state = sensors[sensor], state.isOn else { return [] }
        var rest = SensorTagSensorState(sensor, firmware: configuration.firmware)
        if configuration.firmware == .version15 {
            // Later firmware leaves periods, and the accelerometer's range, as they were.
            rest.period = state.period
            rest.appliedPeriod = state.appliedPeriod
            rest.greatestAcceleration = state.greatestAcceleration
        }
        sensors[sensor] = rest
        let outputs = notify(sensor.data, rest.data)
        guard sensor == .barometer else { return outputs }
        calibration = [UInt8](repeating: 0, count: calibration.count)
        return outputs + notify(SensorTagWire.calibration, calibration)
    }

    /// Takes a sensor's period, which counts from the next measurement on.
    mutating func setPeriod(of sensor: SensorTagSensor, to value: UInt8) -> DeviceResponse {
        guard let shortest = configuration.firmware.shortestPeriod(of: sensor) else {
            return .rejected(.writeNotPermitted)
        }
        guard value >= shortest || configuration.firmware != .version15 else { return .rejected(Self.invalidValue) }
        sensors[sensor]?.period = value
        if value >= shortest { sensors[sensor]?.appliedPeriod = value }
        return .done()
    }

    /// What the maker's stack says to a value out of range.
    private static let invalidValue = ATTError(rawValue: 0x80)
}
