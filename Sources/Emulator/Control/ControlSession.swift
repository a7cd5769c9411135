// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Devices

/// Serves the requests of one client of the control socket.
struct ControlSession {
    let emulator: Emulator

    /// What a line is answered with.
    enum Reply: Sendable {
        case answer(ControlAnswer)
        case events
        case stop
    }

    /// Does what a line asks.
    func serve(_ line: [UInt8]) async -> Reply {
        do throws(EmulatorError) {
            let request = try ControlRequest(parsing: line)
            switch request.command {
            case .events: return .events
            case .stop: return .stop
            default: return .answer(try await perform(request))
            }
        } catch {
            return .answer(ControlAnswer(error))
        }
    }

    private func perform(_ request: ControlRequest) async throws(EmulatorError) -> ControlAnswer {
        switch request.command {
        case .list, .events, .stop: ControlAnswer(beacons: await emulator.list(of: request.profile))
        case .show: ControlAnswer(beacons: [try await emulator.show(try device(of: request))])
        case .set:
            ControlAnswer(beacons: [try await emulator.set(try device(of: request), request.values ?? [:])])
        case .enable: ControlAnswer(beacons: [try await emulator.setEnabled(try device(of: request), true)])
        case .disable: ControlAnswer(beacons: [try await emulator.setEnabled(try device(of: request), false)])
        case .act:
            ControlAnswer(
                beacons: [try await emulator.perform(try Self.action(request), on: try device(of: request))])
        case .reload: ControlAnswer(reload: try await emulator.reload())
        case .bonds: ControlAnswer(bonds: try await emulator.bonds(of: request.device).map(BondRecord.init))
        case .forget: ControlAnswer(forgotten: try await forget(request))
        case .pair: try await pair(request)
        }
    }

    private static func action(_ request: ControlRequest) throws(EmulatorError) -> DeviceCommand {
        guard let action = request.values?["action"].flatMap(ANCSAction.init) else {
            throw EmulatorError(.badProfile, "act needs an action", hint: "give positive or negative")
        }
        guard let notification = request.values?["notification"].flatMap({ UInt32($0) }) else {
            throw EmulatorError(
                .badProfile, "act needs a notification's number",
                hint: "give the one of an event of this session, from 0 to \(UInt32.max)")
        }
        return DeviceCommand("act", ["action": action.name, "notification": "\(notification)"])
    }

    func device(of request: ControlRequest) throws(EmulatorError) -> String {
        guard let device = request.device else {
            throw EmulatorError(
                .badProfile, "\(request.command.rawValue) needs a beacon", hint: "name one, see list")
        }
        return device
    }
}
