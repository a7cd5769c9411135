// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import FoundationEssentials
import GATT
import Glibc
import HCIRadio
import Radio

/// Plays the phone on a controller behind a TCP port, for tests and benchmarks against peers that others wrote.
///
/// `central-harness HOST PORT ADDRESS` scans, connects, reads every value that can be read, and prints what it found as
/// JSON lines. `… write UUID HEX` writes one besides; `… reads UUID COUNT` reads one so often and prints how long it took.
/// `central-harness rounds COUNT COUNT` is `Rounds`.
@main
struct CentralHarness {
    struct Line: Encodable {
        var event: String
        var pdu: String?
        var data: String?
        var rssi: Int8?
        var service: String?
        var characteristic: String?
        var value: String?
        var error: String?
        var seconds: Double?
        var count: Int?
    }

    static func main() async {
        do {
            try await run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            tell(Line(event: "failed", error: "\(error)"))
            exit(1)
        }
    }

    struct Usage: Error {}

    private static func run(_ arguments: [String]) async throws {
        if arguments.count == 3, arguments[0] == "rounds", let first = Int(arguments[1]), let more = Int(arguments[2]) {
            return try await Rounds.run(first, more)
        }
        guard arguments.count >= 3, let port = Int(arguments[1]), let address = BluetoothAddress(arguments[2]) else {
            throw Usage()
        }
        let radio = HCIRadio(.tcp(host: arguments[0], port: port))
        _ = try await radio.openCentral(waits: false)
        let device = try await find(address, on: radio)
        let link = try await radio.connect(to: device, timeout: .seconds(10))
        tell(Line(event: "connected"))
        try await look(at: link, Array(arguments.dropFirst(3)), on: radio)
        await link.disconnect()
        tell(Line(event: "disconnected"))
        await radio.close()
    }

    /// Scans until the device was heard, and its scan response if it is scannable.
    private static func find(_ address: BluetoothAddress, on radio: HCIRadio) async throws -> RemoteAddress {
        var kinds: Set<Sighting.PDU> = []
        var device: RemoteAddress?
        let end = ContinuousClock.now + .seconds(5)
        for await sighting in try await radio.scan(ScanSettings()) {
            guard ContinuousClock.now < end else { break }
            guard sighting.device.address == address else { continue }
            device = sighting.device
            guard let pdu = sighting.pdu, kinds.insert(pdu).inserted else { continue }
            tell(
                Line(
                    event: "heard", pdu: sighting.pdu?.rawValue, data: Hexadecimal.string(sighting.data),
                    rssi: sighting.rssi?.decibelMilliwatts))
            if kinds.contains(.scanResponse) || kinds.contains(.nonConnectable) { break }
        }
        await radio.stopScanning()
        guard let device else { throw RemoteError.impossible("\(address) was not heard") }
        return device
    }

    /// On the radio's own thread, so that reads are not timed with changes of threads.
    private static func look(at link: any RemoteLink, _ task: [String], on radio: isolated HCIRadio) async throws {
        for service in try await link.discoverServices(nil) {
            for characteristic in try await link.discoverCharacteristics(of: service) {
                try await look(at: characteristic, of: service, link, task, on: radio)
            }
        }
    }

    private static func look(
        at characteristic: RemoteCharacteristic, of service: RemoteService, _ link: any RemoteLink, _ task: [String],
        on radio: isolated HCIRadio
    ) async throws {
        var line = Line(event: "characteristic")
        line.service = "\(service.uuid)"
        line.characteristic = "\(characteristic.uuid)"
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
        tell(line)
    }

    private static func read(
        _ characteristic: RemoteCharacteristic, times: Int, _ link: any RemoteLink, on radio: isolated HCIRadio
    ) async throws {
        let start = ContinuousClock.now
        for _ in 0..<times { _ = try await link.read(characteristic.value) }
        let (seconds, attoseconds) = start.duration(to: .now).components
        tell(Line(event: "reads", seconds: Double(seconds) + Double(attoseconds) / 1e18, count: times))
    }

    private static func tell(_ line: Line) {
        guard let data = try? JSONEncoder().encode(line) else { return }
        print(String(decoding: data, as: UTF8.self))
        fflush(nil)
    }
}
