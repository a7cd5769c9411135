// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI
import Space
import VirtualRadio

/// Many beacons and many receivers on an air in virtual time, whose hosts take all reports.
struct Crowd {
    /// The name of the row, and its argument.
    let name: String
    let beacons: Int
    /// They scan without a pause.
    let receivers: Int
    /// In milliseconds.
    let interval: UInt32
    /// A preset; `nil` for physics off, where all are one metre apart.
    let physics: String?
    /// The side of a square in metres, in which the beacons rest and the receivers walk at 1.2 m/s.
    let side: Double
    /// In seconds of virtual time.
    let duration: Int64

    static let all = [
        Crowd(
            name: "receivers", beacons: 1000, receivers: 100, interval: 1000, physics: nil, side: 0, duration: 3600),
        Crowd(
            name: "receivers-office", beacons: 1000, receivers: 100, interval: 1000, physics: "office", side: 100,
            duration: 3600),
        Crowd(
            name: "receivers-short", beacons: 1000, receivers: 100, interval: 100, physics: nil, side: 0, duration: 360
        ),
        Crowd(
            name: "receivers-office-short", beacons: 1000, receivers: 100, interval: 100, physics: "office", side: 100,
            duration: 360),
        Crowd(
            name: "hall", beacons: 10_000, receivers: 1000, interval: 1000, physics: "hall", side: 500, duration: 60),
        Crowd(
            name: "town", beacons: 10_000, receivers: 1000, interval: 1000, physics: "obstructed", side: 3000,
            duration: 60),
    ]

    private var description: String {
        let time = duration == 3600 ? "an hour" : duration == 60 ? "a minute" : "\(duration / 60) minutes"
        let place = physics.map { ", \($0), \(Int(side)) m square" } ?? ", physics off"
        return "\(time) of \(beacons) beacons at \(interval) ms, \(receivers) receivers\(place)"
    }

    /// How long the run takes.
    func figure() -> BeaconryBench.Figure {
        let propagation = Propagation.environments.first { $0.name == physics }?.propagation
        var room = Room(propagation ?? Propagation())
        var random = SplitMix64(seed: 1)
        func place() -> Position { Position(x: random.unit() * side, y: random.unit() * side) }
        let ticks = AdvertisingInterval(interval * 8 / 5)
        for number in 0..<beacons {
            room.addBeacon(
                UInt32(number), interval: ticks, motion: physics == nil ? nil : .rest(place()))
            // Hosts do not switch their beacons on at one instant.
            room.air.advance(to: room.air.now + Int64(interval) * 1000 / Int64(beacons))
        }
        for number in 0..<receivers {
            let walk = Motion.Path(through: [place(), place(), place()], speed: 1.2, repeats: true)
            _ = room.addScanner(UInt32(beacons + number), motion: physics == nil ? nil : walk.map(Motion.path))
        }
        _ = room.air.takeControllersWithOutput()
        let start = ContinuousClock.now
        let first = room.air.now
        var reports = 0
        for step in 1...(duration * 10) {
            room.air.advance(to: first + step * 100_000)
            for receiver in room.air.takeControllersWithOutput() {
                while room.air.takeOutput(of: receiver) != nil { reports += 1 }
            }
        }
        let seconds = start.duration(to: .now) / .seconds(1)
        return BeaconryBench.Figure(
            what: description, ours: "\(seconds.text(1)) s (\((Double(reports) / 1e6).text(1)) million reports)",
            goal: "60 s")
    }
}
