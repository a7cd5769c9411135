// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import BluetoothCore
import Concurrency
import Radio

/// Waits until a characteristic of a device has a value.
///
/// It connects, and reads the value until it is the expected one. If the connection ends, it connects again.
struct ValueWait: Sendable {
    /// The time between two readings.
    private static let pause = Duration.milliseconds(200)

    let device: RemoteAddress
    let characteristic: BluetoothUUID
    let value: [UInt8]
    /// The time until the device was found.
    let elapsed: Duration
    /// The time limit, from the start.
    let limit: Duration

    /// The verdict, at the latest at the time limit.
    func verdict(on radio: any CentralRadio) async -> ExpectationVerdict {
        let clock = Timekeeper(Simulation.clock)
        let start = clock.now() - elapsed
        var miss = "it was not connected"
        var wasRead = false
        while !Task.isCancelled {
            let left = start + limit - clock.now()
            guard left > .zero else { break }
            do throws(RadioError) {
                let link = try await radio.connect(to: device, timeout: left)
                let watchdog = Task { if await clock.sleep(for: left) { await link.disconnect() } }
                let reading = await read(over: link, for: left)
                watchdog.cancel()
                await link.disconnect()
                switch reading {
                case .expected:
                    let time = clock.now() - start
                    return verdict(
                        true, "read \(Hexadecimal.string(value)) of \(place) within \(Formatting.seconds(time))", time)
                case .absent:
                    let time = clock.now() - start
                    return verdict(
                        false,
                        "expected value \(Hexadecimal.string(value)) of \(place), but it has no such characteristic",
                        time)
                case .other(let text):
                    miss = text
                    wasRead = true
                }
            } catch {
                // Near the time limit, an attempt to connect may be too short.
                if !wasRead { miss = error.message }
            }
            await clock.sleep(for: min(Self.pause, start + limit - clock.now()))
        }
        let expected = "expected value \(Hexadecimal.string(value)) of \(place) within \(Formatting.seconds(limit))"
        return verdict(false, "\(expected), but \(miss)", limit)
    }

    private enum Reading: Sendable {
        case expected
        /// The device does not have the characteristic.
        case absent
        /// Why not, as a clause.
        case other(String)
    }

    private var place: String { "\(characteristic) of \(device.address)" }

    private func verdict(_ isFulfilled: Bool, _ sentence: String, _ time: Duration) -> ExpectationVerdict {
        ExpectationVerdict(isFulfilled, sentence, count: isFulfilled ? 1 : 0, elapsed: time)
    }

    /// Reads until the value is the expected one, the time is over or the connection ends.
    private func read(over link: any RemoteLink, for time: Duration) async -> Reading {
        let clock = Timekeeper(Simulation.clock)
        do throws(RemoteError) {
            guard let found = try await link.characteristic(characteristic) else { return .absent }
            while true {
                let read = try await link.read(found.value)
                if read == value { return .expected }
                guard clock.now() + Self.pause < time, await clock.sleep(for: Self.pause) else {
                    return .other("it is \(Hexadecimal.string(read))")
                }
            }
        } catch {
            switch error {
            case .refused(let error): return .other("it was refused: \(error)")
            case .disconnected(let reason): return .other("the connection ended: \(reason)")
            case .notPaired(let error): return .other("they did not pair: \(error.message)")
            case .impossible(let reason): return .other(reason)
            }
        }
    }
}

extension RemoteLink {
    /// Discovers a characteristic by its type, the first one of the device; `nil` if it has none.
    func characteristic(_ type: BluetoothUUID) async throws(RemoteError) -> RemoteCharacteristic? {
        for service in try await discoverServices(nil) {
            if let found = try await discoverCharacteristics(of: service).first(where: { $0.uuid == type }) {
                return found
            }
        }
        return nil
    }
}
