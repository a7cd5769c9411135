// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import BluetoothCore
import Devices
import Testing

/// A SensorTag in virtual time, and a central that may be connected to it.
struct SensorTagBench {
    /// A value that was told.
    struct Told: Hashable, CustomStringConvertible {
        /// When, in milliseconds since the bench began.
        let milliseconds: Int
        let characteristic: BluetoothUUID
        let value: [UInt8]

        var description: String { "\(milliseconds) ms: \(characteristic) \(Hexadecimal.string(value))" }
    }

    static let alice = Central("00:AA:01:00:00:00")

    var tag: SensorTag
    /// How long the bench has run.
    private(set) var elapsed = Duration.zero
    /// All values that were told.
    private(set) var told: [Told] = []
    /// All that was wanted otherwise.
    private(set) var outputs: [DeviceEffect] = []
    /// All replies.
    private(set) var replies: [DeviceReply] = []

    /// A tag that power has just come to.
    /// - Parameter beginning: what time it is then.
    init(_ configuration: SensorTag.Configuration = SensorTag.Configuration(), beginning: Duration = .zero) {
        tag = SensorTag(configuration)
        self.beginning = beginning
        send(.poweredOn)
    }

    /// A tag of a firmware, in a usual environment, with a central that wants to be told everything.
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

    /// Gives the tag an input now.
    @discardableResult
    mutating func send(_ input: DeviceInput) -> DeviceResponse {
        let response = tag.handle(input, at: now)
        note(response)
        return response
    }

    private mutating func note(_ response: DeviceResponse) {
        if let reply = response.reply { replies.append(reply) }
        for output in response.effects {
            if case .notify(let characteristic, let value, to: nil) = output {
                told.append(
                    Told(
                        milliseconds: Int(
                            elapsed.components.seconds * 1000 + elapsed.components.attoseconds / 1_000_000_000_000_000),
                        characteristic: characteristic.uuid,
                        value: value))
            } else {
                outputs.append(output)
            }
        }
    }

    /// Lets time pass, with the tag woken exactly when it wants to be.
    mutating func run(for duration: Duration) {
        let end = elapsed + duration
        while let deadline = tag.nextDeadline, deadline <= beginning + end {
            elapsed = max(elapsed, deadline - beginning)
            note(tag.handle(.timePassed, at: now))
        }
        elapsed = end
    }

    /// Lets time pass without waking the tag.
    mutating func sleep(for duration: Duration) { elapsed += duration }

    /// Forgets what was told and wanted.
    mutating func forget() {
        told = []
        outputs = []
        replies = []
    }

    mutating func subscribe(_ uuid: BluetoothUUID) {
        send(.subscribed(Self.alice, CharacteristicIdentifier(uuid), .notification))
    }

    /// Writes a characteristic; what is said to that.
    @discardableResult
    mutating func write(_ value: [UInt8], to uuid: BluetoothUUID, offset: Int = 0) -> DeviceReply? {
        send(.wrote(uuid, offset: offset, value: value)).reply
    }

    /// Reads a characteristic; what is said to that.
    func read(_ uuid: BluetoothUUID, offset: Int = 0) -> ReadResult { tag.read(uuid, offset: offset, at: now) }

    /// The value of a characteristic that can be read.
    func value(of uuid: BluetoothUUID) -> [UInt8]? {
        try? read(uuid).value.get()
    }

    /// When a characteristic was told, in milliseconds.
    func times(of uuid: BluetoothUUID) -> [Int] {
        told.filter { $0.characteristic == uuid }.map(\.milliseconds)
    }

    /// What was told of a characteristic.
    func values(of uuid: BluetoothUUID) -> [[UInt8]] {
        told.filter { $0.characteristic == uuid }.map(\.value)
    }

    /// Presses exactly these keys.
    @discardableResult
    mutating func press(_ keys: String) -> DeviceResponse { send(.set([.named("keys", keys)])) }
}
