// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Devices
import Testing

/// A SensorTag in virtual time, and a central that may be connected to it.
struct SensorTagBench {
    /// A notified value.
    struct Notification: Hashable, CustomStringConvertible {
        /// The time since the bench began, in milliseconds.
        let milliseconds: Int
        let characteristic: BluetoothUUID
        let value: [UInt8]

        var description: String { "\(milliseconds) ms: \(characteristic) \(Hexadecimal.string(value))" }
    }

    static let alice = Central("00:AA:01:00:00:00")

    var tag: SensorTag
    /// The time since the bench began.
    private(set) var elapsed = Duration.zero
    /// All notified values.
    private(set) var notifications: [Notification] = []
    /// All other effects.
    private(set) var effects: [DeviceEffect] = []
    /// All replies.
    private(set) var replies: [DeviceReply] = []

    /// A tag that was switched on just now.
    /// - Parameter beginning: the uptime at this moment.
    init(_ configuration: SensorTag.Configuration = SensorTag.Configuration(), beginning: Duration = .zero) {
        tag = SensorTag(configuration)
        self.beginning = beginning
        send(.poweredOn)
    }

    /// A tag with a central that subscribed to sensors, calibration and keys.
    static func connected(
        _ firmware: SensorTagFirmware = .version14, environment: [SensorTagQuantity: Quantity] = [:]
    ) -> SensorTagBench {
        var bench = SensorTagBench(
            SensorTag.Configuration(firmware: firmware, environment: SensorTagEnvironment(environment)),
            beginning: .seconds(1_000_000))
        bench.send(.connected(alice))
        for sensor in SensorTagSensor.allCases { bench.subscribe(sensor.data) }
        bench.subscribe(SensorTagWire.calibration)
        bench.subscribe(SensorTagWire.keys)
        return bench
    }

    private let beginning: Duration
    private var now: DeviceTime { DeviceTime(uptime: beginning + elapsed) }

    /// Passes an input to the tag now.
    @discardableResult
    mutating func send(_ input: DeviceInput) -> DeviceResponse {
        let response = tag.handle(input, at: now)
        record(response)
        return response
    }

    private mutating func record(_ response: DeviceResponse) {
        if let reply = response.reply { replies.append(reply) }
        for effect in response.effects {
            if case .notify(let characteristic, let value, to: nil) = effect {
                notifications.append(
                    Notification(
                        milliseconds: Int(
                            elapsed.components.seconds * 1000 + elapsed.components.attoseconds / 1_000_000_000_000_000),
                        characteristic: characteristic.uuid,
                        value: value))
            } else {
                effects.append(effect)
            }
        }
    }

    /// Advances time, and wakes the tag at each of its deadlines.
    mutating func run(for duration: Duration) {
        let end = elapsed + duration
        while let deadline = tag.nextDeadline, deadline <= beginning + end {
            elapsed = max(elapsed, deadline - beginning)
            record(tag.handle(.timePassed, at: now))
        }
        elapsed = end
    }

    /// Advances time without waking the tag.
    mutating func sleep(for duration: Duration) { elapsed += duration }

    /// Discards recorded notifications, effects and replies.
    mutating func clear() {
        notifications = []
        effects = []
        replies = []
    }

    mutating func subscribe(_ uuid: BluetoothUUID) {
        send(.subscribed(Self.alice, CharacteristicIdentifier(uuid), .notification))
    }

    /// Writes a characteristic.
    /// - Returns: the reply.
    @discardableResult
    mutating func write(_ value: [UInt8], to uuid: BluetoothUUID, offset: Int = 0) -> DeviceReply? {
        send(.wrote(uuid, offset: offset, value: value)).reply
    }

    /// Reads a characteristic.
    func read(_ uuid: BluetoothUUID, offset: Int = 0) -> ReadResult { tag.read(uuid, offset: offset, at: now) }

    /// The value of a characteristic; `nil` if it cannot be read.
    func value(of uuid: BluetoothUUID) -> [UInt8]? {
        try? read(uuid).value.get()
    }

    /// When a characteristic was notified, in milliseconds.
    func times(of uuid: BluetoothUUID) -> [Int] {
        notifications.filter { $0.characteristic == uuid }.map(\.milliseconds)
    }

    /// The notified values of a characteristic.
    func values(of uuid: BluetoothUUID) -> [[UInt8]] {
        notifications.filter { $0.characteristic == uuid }.map(\.value)
    }

    /// Presses exactly these keys.
    @discardableResult
    mutating func press(_ keys: String) -> DeviceResponse { send(.set([.named("keys", keys)])) }
}
