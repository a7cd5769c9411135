// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI
import Space
import VirtualRadio

/// Beacons on an air whose clock goes as fast as it can.
enum VirtualTime {
    /// The mean interval over 100,000 advertising events of one beacon, as a scanner without pauses receives them.
    static func meanInterval() -> BeaconryBench.Figure {
        let events = 100_000
        let interval = AdvertisingInterval(160)
        var room = Room()
        room.addBeacon(0, interval: interval)
        let scanner = room.addScanner()
        var heard: [AirTime] = []
        while heard.count <= events, let deadline = room.air.nextDeadline {
            room.air.advance(to: deadline)
            while room.air.takeOutput(of: scanner) != nil { heard.append(room.air.now) }
        }
        let mean = Double(heard[events] - heard[0]) / Double(events)
        // The link layer adds 0 to 10 ms at random to each interval.
        let expected = Double(interval.count) * 625 + 5000
        let deviation = (mean / expected - 1) * 100
        return BeaconryBench.Figure(
            what: "100,000 events at 100 ms, mean interval",
            ours: "\((mean / 1000).text(3)) ms (\(deviation < 0 ? "" : "+")\(deviation.text(3)) %)",
            goal: "105 ms within 0.1 %")
    }

    /// How long an hour of 1,000 beacons at 100 ms takes.
    static func hour() -> BeaconryBench.Figure {
        let beacons = 1000
        var room = Room()
        for number in 0..<beacons { room.addBeacon(UInt32(number), interval: AdvertisingInterval(160)) }
        let start = ContinuousClock.now
        room.air.advance(to: 3_600_000_000)
        let seconds = start.duration(to: .now) / .seconds(1)
        let events = Double(beacons) * 3600 / 0.105
        return BeaconryBench.Figure(
            what: "an hour of 1,000 beacons at 100 ms",
            ours: "\(seconds.text(1)) s (\((events / seconds / 1e6).text(1)) million events/s)", goal: "30 s")
    }
}

/// An air, and hosts on it that say only what is needed.
struct Room {
    var air: Air

    init(_ propagation: Propagation = Propagation(), seed: UInt64 = 1) {
        air = Air(AirConfiguration(seed: seed, propagation: propagation))
    }

    /// A beacon that cannot be connected to.
    /// - Returns: its address.
    @discardableResult
    mutating func addBeacon(
        _ number: UInt32, interval: AdvertisingInterval, motion: Motion? = nil
    ) -> BluetoothAddress {
        let controller = addController(number, motion, isOfBeacon: true)
        let parameters = LESetAdvertisingParameters(
            minimumInterval: interval, maximumInterval: interval, advertisingType: .nonConnectableUndirected)
        send(parameters, to: controller)
        send(LESetAdvertisingData(data: [UInt8](repeating: 0, count: 31), padding: []), to: controller)
        send(LESetAdvertisingEnable(enable: 1), to: controller)
        return Self.address(number)
    }

    /// A scanner, by default without a pause.
    mutating func addScanner(
        _ number: UInt32 = .max, motion: Motion? = nil, interval: ScanTime = ScanTime(160),
        window: ScanTime = ScanTime(160)
    ) -> ControllerIdentifier {
        let controller = addController(number, motion)
        send(LESetScanParameters(scanType: .passive, scanInterval: interval, scanWindow: window), to: controller)
        send(LESetScanEnable(enable: 1, filterDuplicates: 0), to: controller)
        return controller
    }

    private static func address(_ number: UInt32) -> BluetoothAddress {
        let octets = [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: number >> $0) }
        return BluetoothAddress(octets: [0x02, 0xBE] + octets) ?? .zero
    }

    private mutating func addController(
        _ number: UInt32, _ motion: Motion?, isOfBeacon: Bool = false
    ) -> ControllerIdentifier {
        let controller = air.addController(
            ControllerConfiguration(publicAddress: Self.address(number), motion: motion, isOfBeacon: isOfBeacon))
        send(HCIReset(), to: controller)
        send(SetEventMask(eventMask: EventMask(rawValue: .max)), to: controller)
        send(LESetEventMask(eventMask: LEEventMask(rawValue: .max)), to: controller)
        return controller
    }

    private mutating func send(_ command: some HCICommand, to controller: ControllerIdentifier) {
        air.receive(.command(HCICommandPacket(command)), from: controller)
        while case .event(let event)? = air.takeOutput(of: controller) {
            guard let answer = try? event.parameters(as: HCICommandComplete.self) else { continue }
            precondition(answer.status == .success, "\(command) failed")
        }
    }
}
