// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Glibc
import Radio

/// Acts as a phone, for tests and benchmarks with third-party peers.
///
/// `central-harness RADIO` executes the commands on standard input, one a line (`Session`).
/// `central-harness RADIO ADDRESS` scans, connects, reads every readable value, and prints the results as JSON lines.
/// `… write UUID HEX` also writes a value; `… reads UUID COUNT` reads a value COUNT times and prints the duration.
/// `central-harness rounds COUNT…` runs `Rounds`.
@main
struct CentralHarness {
    static func main() async {
        do {
            try await run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            Line.failed("\(error)").print()
            exit(1)
        }
    }

    struct Usage: Error {}

    private static func run(_ arguments: [String]) async throws {
        if arguments.first == "rounds" {
            let counts = arguments.dropFirst().compactMap { Int($0) }
            guard !counts.isEmpty, counts.count == arguments.count - 1 else { throw Usage() }
            return try await Rounds.run(counts)
        }
        guard let name = arguments.first, let radio = HarnessRadios.make(name) else { throw Usage() }
        if arguments.count == 1 { return await Session(radio).run() }
        guard let address = BluetoothAddress(arguments[1]) else { throw Usage() }
        try await visit(address, Array(arguments.dropFirst(2)), on: radio)
    }

    private static func visit(_ address: BluetoothAddress, _ task: [String], on radio: HarnessRadio) async throws {
        _ = try await radio.openCentral(waits: false)
        let device = try await find(address, on: radio)
        let link = try await radio.connect(to: device, timeout: .seconds(10))
        Line(event: "connected").print()
        try await inspect(link, task, on: radio)
        await link.disconnect()
        Line(event: "disconnected").print()
        await radio.close()
    }

    /// Scans until the device is received, with its scan response if it is scannable.
    private static func find(_ address: BluetoothAddress, on radio: HarnessRadio) async throws -> RemoteAddress {
        var kinds: Set<Sighting.PDU> = []
        var device: RemoteAddress?
        let end = ContinuousClock.now + .seconds(5)
        for await sighting in try await radio.scan(ScanParameters()) {
            guard ContinuousClock.now < end else { break }
            guard sighting.device.address == address else { continue }
            device = sighting.device
            guard let pdu = sighting.pdu, kinds.insert(pdu).inserted else { continue }
            Line(sighting).print()
            if kinds.contains(.scanResponse) || kinds.contains(.nonConnectable) { break }
        }
        await radio.stopScanning()
        guard let device else { throw RemoteError.impossible("\(address) was not received") }
        return device
    }

    /// Runs on the radio's own thread, so that the time of reads does not include thread switches.
    private static func inspect(_ link: any RemoteLink, _ task: [String], on radio: isolated HarnessRadio) async throws
    {
        for service in try await link.discoverServices(nil) {
            for characteristic in try await link.discoverCharacteristics(of: service) {
                try await inspect(characteristic, of: service, link, task, on: radio)
            }
        }
    }

    private static func inspect(
        _ characteristic: RemoteCharacteristic, of service: RemoteService, _ link: any RemoteLink, _ task: [String],
        on radio: isolated HarnessRadio
    ) async throws {
        var line = Line(characteristic, of: service)
        if task.count == 3, task[1] == "\(characteristic.uuid)" {
            if task[0] == "write" { try await link.write(Hexadecimal.bytes(task[2]), to: characteristic.value) }
            if task[0] == "reads" { try await read(characteristic, times: Int(task[2]) ?? 0, link, on: radio) }
        }
        if characteristic.properties.contains(.read) {
            do throws(RemoteError) {
                line.value = Hexadecimal.string(try await link.read(characteristic.value))
            } catch {
                line.error = "\(error)"
            }
        }
        line.print()
    }

    private static func read(
        _ characteristic: RemoteCharacteristic, times: Int, _ link: any RemoteLink, on radio: isolated HarnessRadio
    ) async throws {
        let start = ContinuousClock.now
        for _ in 0..<times { _ = try await link.read(characteristic.value) }
        Line(event: "reads", seconds: start.duration(to: .now) / .seconds(1), count: times).print()
    }
}
