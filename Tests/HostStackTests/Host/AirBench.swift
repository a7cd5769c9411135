// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI
import TestSupport
import Testing
import VirtualRadio

@testable import HostStack

/// Hosts whose controllers are on one virtual air, in virtual time.
struct AirBench {
    struct Station {
        var host: LEHost
        let controller: ControllerIdentifier
        /// Whether the controller claims to be of version 4.0, without extended commands.
        let isLegacy: Bool
        var events: [(time: Duration, event: LEHostEvent)] = []
        /// The values of the characteristics, which peers read and write.
        var values: [BluetoothUUID: [UInt8]] = [:]
    }

    var air = Air()
    var stations: [Station] = []
    var time: Duration = .zero
    /// Whether hosts whose controllers have failed are started again after 1 s.
    var startsFailedHostsAgain = false
    private var restarts: [(time: Duration, station: Int)] = []

    /// Adds a station to the air and starts it.
    /// - Returns: its index.
    mutating func add(
        _ number: UInt8, isLegacy: Bool = false, character: ControllerCharacter = .none,
        configuration: LEHostConfiguration = LEHostConfiguration()
    ) -> Int {
        let address = BluetoothAddress(octets: [0, 0x11, 0x22, 0, 0, number]) ?? .zero
        let controller = air.addController(ControllerConfiguration(publicAddress: address, character: character))
        stations.append(
            Station(
                host: LEHost(configuration: configuration, random: RandomSource(SplitMix64(seed: UInt64(number)))),
                controller: controller, isLegacy: isLegacy))
        stations[stations.count - 1].host.start(at: time)
        settle()
        return stations.count - 1
    }

    mutating func perform(_ station: Int, _ body: (inout LEHost) -> Void) {
        stations[station].host.advance(to: time)
        body(&stations[station].host)
        settle()
    }

    /// Advances the time, and does what is due meanwhile.
    mutating func advance(by duration: Duration) {
        let end = time + duration
        while let next = nextDeadline, next <= end { step(to: next) }
        step(to: end)
    }

    /// Advances the time, for at most a minute, until a station has an event with a value.
    mutating func advance<Value>(until station: Int, _ value: (LEHostEvent) -> Value?) throws -> Value {
        let end = time + .seconds(60)
        while true {
            for (_, event) in stations[station].events { if let found = value(event) { return found } }
            let next = try #require(nextDeadline, "no further deadline: \(stations[station].events)")
            try #require(next <= end, "no such event within a minute: \(stations[station].events)")
            step(to: next)
        }
    }

    /// Advances the time, for this time at most, until a condition holds.
    /// - Returns: whether it does.
    mutating func advance(for limit: Duration, until holds: (AirBench) -> Bool) -> Bool {
        let end = time + limit
        while !holds(self) {
            guard let next = nextDeadline, next <= end else { return false }
            step(to: next)
        }
        return true
    }

    private var nextDeadline: Duration? {
        let hosts = stations.compactMap(\.host.nextDeadline) + restarts.map(\.time)
        return (hosts + [air.nextDeadline.map { .microseconds($0) }].compactMap(\.self)).min()
    }

    private mutating func step(to next: Duration) {
        time = max(time, next)
        // Rounded up: a host's deadline may lie between two microseconds.
        let microseconds = Int64((time / .microseconds(1)).rounded(.up))
        air.advance(to: microseconds)
        for index in stations.indices { stations[index].host.advance(to: time) }
        for restart in restarts where restart.time <= time { stations[restart.station].host.start(at: time) }
        restarts.removeAll { $0.time <= time }
        settle()
    }

    private mutating func settle() {
        var isSettled = false
        while !isSettled {
            isSettled = true
            for index in stations.indices {
                for output in stations[index].host.takeOutputs() {
                    isSettled = false
                    switch output {
                    case .send(let packet): air.receive(packet, from: stations[index].controller)
                    case .event(let event): take(event, at: index)
                    }
                }
                while let packet = air.takeOutput(of: stations[index].controller) {
                    isSettled = false
                    stations[index].host.receive(stations[index].isLegacy ? aged(packet) : packet, at: time)
                }
            }
        }
    }

    private mutating func take(_ event: LEHostEvent, at index: Int) {
        stations[index].events.append((time, event))
        if startsFailedHostsAgain, case .failed = event { restarts.append((time + .seconds(1), index)) }
        guard case .attributeRequest(let request) = event else { return }
        let result: Result<[UInt8], ATTError>
        switch request.operation {
        case .read(let offset): result = .success(Array((stations[index].values[request.uuid] ?? []).dropFirst(offset)))
        case .write(_, let value, _):
            stations[index].values[request.uuid] = value
            result = .success([])
        }
        stations[index].host.respond(to: request.token, of: request.connection, with: result)
    }

    /// The packet as a controller of version 4.0 sends it.
    private func aged(_ packet: HCIPacket) -> HCIPacket {
        guard case .event(let event) = packet,
            let complete = try? event.parameters(as: HCICommandComplete.self)
        else { return packet }
        var returned = complete.returnParameters
        switch complete.opcode {
        case ReadLocalSupportedCommands.opcode:
            returned =
                [0] + SupportedCommands(ScriptedController.legacyCommands).serialized()
        case ReadLocalVersionInformation.opcode where returned.count > 1: returned[1] = 6
        default: break
        }
        return .event(
            HCIEventPacket(
                HCICommandComplete(
                    commandCredits: complete.commandCredits, opcode: complete.opcode, returnParameters: returned)))
    }

    /// The reports of an address that a station received.
    func reports(_ station: Int, of address: BluetoothAddress) -> [(time: Duration, report: ScanReport)] {
        stations[station].events.compactMap { time, event in
            if case .scanReport(let report, _) = event, report.address == address { (time, report) } else { nil }
        }
    }
}
