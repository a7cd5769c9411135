// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

// physics-harness MODEL SEED INTERVAL SCAN: a beacon that moves among resting sensors on the virtual air, for the
// comparison with recordings (Tests/Recordings/compare.py). MODEL is a preset, or the keys of `physics`. INTERVAL is that of the
// beacon, and SCAN the interval and window of the sensors, in ticks of 0.625 ms. Standard input has `wall X1 Y1 X2 Y2 DECIBELS`
// lines and a `level DECIBELS` line, which is added to what the beacon transmits, if there are any; then `sensor NAME X Y Z` lines,
// then `at SECONDS X Y Z` lines: where the beacon is from then on, in metres. Each packet that a sensor receives is printed as
// `SECONDS NAME RSSI`.

import Bluetooth
import Glibc
import HCI
import Profiles
import Space
import VirtualRadio

struct Bench {
    private var air: Air
    private let scan: ScanTime
    private let beacon: ControllerIdentifier
    private var sensors: [(name: String, controller: ControllerIdentifier)] = []

    init(
        _ propagation: Propagation, level: Double, seed: UInt64, interval: AdvertisingInterval, scan: ScanTime
    ) {
        air = Air(AirConfiguration(seed: seed, propagation: propagation))
        self.scan = scan
        beacon = air.addController(
            ControllerConfiguration(
                publicAddress: Self.address(0), name: "beacon", position: Position(x: 0, y: 0), rssiOffset: level,
                isOfBeacon: true))
        perform(
            LESetAdvertisingParameters(
                minimumInterval: interval, maximumInterval: interval, advertisingType: .nonConnectableUndirected,
                peerAddress: .zero, channelMap: .all, filterPolicy: []), by: beacon)
        if let data = LESetAdvertisingData(data: [30, 0xFF] + Array(repeating: 7, count: 29)) {
            perform(data, by: beacon)
        }
        perform(LESetAdvertisingEnable(enable: 1), by: beacon)
    }

    mutating func addSensor(_ name: String, at position: Position) {
        let sensor = air.addController(
            ControllerConfiguration(
                publicAddress: Self.address(UInt8(truncatingIfNeeded: sensors.count + 1)), name: name,
                position: position))
        sensors.append((name, sensor))
        perform(SetEventMask(eventMask: EventMask(rawValue: .max)), by: sensor)
        perform(
            LESetScanParameters(
                scanType: .passive, scanInterval: scan, scanWindow: scan, scanningFilterPolicy: .unfiltered), by: sensor
        )
        perform(LESetScanEnable(enable: 1, filterDuplicates: 0), by: sensor)
    }

    /// Prints what is received until a time, in microseconds, then moves the beacon.
    mutating func moveBeacon(to position: Position, at time: AirTime) {
        while let deadline = air.nextDeadline, deadline <= time {
            air.advance(to: deadline)
            for (name, controller) in sensors { printReports(of: controller, name) }
        }
        air.advance(to: time)
        air.setMotion(.rest(position), of: beacon)
    }

    private mutating func printReports(of controller: ControllerIdentifier, _ name: String) {
        while let packet = air.takeOutput(of: controller) {
            guard case .event(let event) = packet, let parsed = try? event.parameters(as: LEAdvertisingReport.self)
            else { continue }
            for report in parsed.reports { print(Double(air.now) / 1e6, name, report.rssi.decibelMilliwatts) }
        }
    }

    private mutating func perform(_ command: some HCICommand, by controller: ControllerIdentifier) {
        air.receive(.command(HCICommandPacket(command)), from: controller)
        while air.takeOutput(of: controller) != nil {}
    }

    private static func address(_ number: UInt8) -> BluetoothAddress {
        BluetoothAddress(octets: [0xC0, 0, 0, 0, 0, number]) ?? .zero
    }
}

func exit(saying sentence: String) -> Never {
    let line = Array("physics-harness: \(sentence)\n".utf8)
    _ = write(STDERR_FILENO, line, line.count)
    exit(EXIT_FAILURE)
}

let arguments = CommandLine.arguments
guard arguments.count == 5, let seed = UInt64(arguments[2]), let interval = UInt32(arguments[3]),
    let scan = UInt32(arguments[4])
else { exit(saying: "usage: physics-harness MODEL SEED INTERVAL SCAN") }
guard var propagation = try? Propagation(parsing: arguments[1], file: "model") else {
    exit(saying: "this is not a model: \(arguments[1])")
}
var level = 0.0
var bench: Bench?
while let line = readLine() {
    let words = line.split(separator: " ")
    let all = words.dropFirst().compactMap { Double($0) }
    if words[0] == "level", all.count == 1 {
        level = all[0]
        continue
    }
    if words[0] == "wall", all.count == 5 {
        propagation.walls.append(
            Propagation.Wall(
                from: Position(x: all[0], y: all[1]), to: Position(x: all[2], y: all[3]), loss: all[4]))
        continue
    }
    let numbers = words.dropFirst(2).compactMap { Double($0) }
    guard words.count == 5, numbers.count == 3 else { exit(saying: "this is not a line: \(line)") }
    let position = Position(x: numbers[0], y: numbers[1], z: numbers[2])
    var present =
        bench
        ?? Bench(
            propagation, level: level, seed: seed, interval: AdvertisingInterval(interval), scan: ScanTime(scan))
    if words[0] == "sensor" {
        present.addSensor(String(words[1]), at: position)
    } else if words[0] == "at", let seconds = Double(words[1]), (0...1e9).contains(seconds) {
        present.moveBeacon(to: position, at: AirTime(seconds * 1e6))
    } else {
        exit(saying: "this is not a line: \(line)")
    }
    bench = present
}
