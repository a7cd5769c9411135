// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BeaconryCentral
import Bluetooth
import Concurrency
import Radio

/// Waits until a characteristic of a device has a value.
///
/// It connects, and reads the value until it is the expected one. If the device refuses to send the value over a link that
/// is not encrypted, it pairs ("just works"), and reads again. If the connection ends, it connects again. A cause that does not
/// pass, such as a value that requires another pairing, ends the wait before its time limit.
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
                let watchdog = Task {
                    if await clock.sleep(for: start + limit - clock.now()) { await link.disconnect() }
                }
                let reading = await read(over: link, until: start + limit, by: clock)
                watchdog.cancel()
                await link.disconnect()
                switch reading {
                case .expected:
                    let time = clock.now() - start
                    return verdict(
                        true, "read \(Hexadecimal.string(value)) of \(place) within \(Formatting.seconds(time))", time)
                case .impossible(let text):
                    return verdict(
                        false, "expected value \(Hexadecimal.string(value)) of \(place), but \(text)",
                        clock.now() - start)
                case .other(let text):
                    miss = text
                    wasRead = true
                case .ended(let text):
                    // At the time limit this side ends the connection, which is not the reason.
                    let isOver = clock.now() >= start + limit
                    if !wasRead { miss = isOver ? "it did not answer in time" : text }
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
        /// The value cannot be read: why not, as a clause.
        case impossible(String)
        /// Why not, as a clause.
        case other(String)
        /// The connection ended before there was anything to report: a clause with the reason.
        case ended(String)
    }

    private var place: String { "\(characteristic) of \(device.address)" }

    private func verdict(_ isFulfilled: Bool, _ sentence: String, _ time: Duration) -> ExpectationVerdict {
        ExpectationVerdict(isFulfilled, sentence, count: isFulfilled ? 1 : 0, elapsed: time)
    }

    /// Reads until the value is the expected one, the time is over or the connection ends.
    private func read(over link: any RemoteLink, until end: Duration, by clock: Timekeeper) async -> Reading {
        // From the last response of the device: the reason for the verdict, also if the connection ends after it.
        var last: Reading?
        var hasPaired = false
        do throws(RemoteError) {
            guard let found = try await link.characteristic(characteristic) else {
                return .impossible("it has no such characteristic")
            }
            while true {
                do throws(RemoteError) {
                    let read = try await link.read(found.value)
                    if read == value { return .expected }
                    last = .other("it is \(Hexadecimal.string(read))")
                } catch .refused(let code) where code.requiresSecurity && !hasPaired {
                    last = .other("it was refused: \(code)")
                    if let failure = await pair(link) {
                        let text = "it was refused: \(code), and pairing failed: \(failure)"
                        if failure.code == .disconnected { return .ended(text) }
                        return failure.code.isLasting ? .impossible(text) : .other(text)
                    }
                    hasPaired = true
                    continue
                }
                guard clock.now() + Self.pause < end, await clock.sleep(for: Self.pause) else { break }
            }
            return last ?? .ended("the time limit came first")
        } catch {
            switch error {
            case .refused(let error) where error.requiresSecurity && hasPaired:
                return .impossible(
                    "it was refused: \(error), although they have paired (Just Works); the value requires a pairing "
                        + "with a passkey or a comparison")
            case .refused(let error): return .other("it was refused: \(error); \(CentralError.hint(of: error))")
            case .disconnected(let reason): return last ?? .ended("the connection ended: \(reason)")
            case .notPaired(let error): return .other("they did not pair: \(error.message)")
            case .impossible(let reason): return .other(reason)
            }
        }
    }

    /// Pairs without a user.
    /// - Returns: the error; `nil` if the link is encrypted.
    private func pair(_ link: any RemoteLink) async -> PairingError? {
        guard let link = link as? any PairingLink else { return PairingError(.unsupported) }
        do throws(PairingError) {
            _ = try await link.pair(PairingSettings()) { _ in .cancel }
            return nil
        } catch {
            return error
        }
    }
}

extension ATTError {
    /// Whether an encrypted link may have what the device requires.
    fileprivate var requiresSecurity: Bool {
        self == .insufficientAuthentication || self == .insufficientEncryption
    }
}

extension PairingError.Code {
    /// Whether another attempt with the same settings ends like this one.
    fileprivate var isLasting: Bool {
        switch self {
        case .outOfBandNotAvailable, .authenticationRequirements, .notSupported, .keyTooShort, .commandNotSupported,
            .unsupported:
            true
        default: false
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
