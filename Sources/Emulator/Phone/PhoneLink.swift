// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import BluetoothCore
import Devices
import Radio

/// What a phone does on its connection to an accessory.
enum PhoneLink {
    /// The longest PDU before anything is agreed on (Core 5.4, Vol 3, Part G, 5.2.1).
    static let minimumTransmissionUnit = 23

    /// Something to do.
    enum Work: Sendable {
        case respond(ServedRequest, AttributeResponse)
        case output(ANCSProvider.Output)
    }

    /// Tells a value, again for a while when too much waits to be sent already; whether it was told.
    static func notify(
        _ value: [UInt8], of characteristic: CharacteristicIdentifier, over link: any RemoteLink, _ clock: DeviceClock
    ) async -> Bool {
        guard let link = link as? any ServingLink else { return false }
        for _ in 0..<100 {
            do throws(RemoteError) {
                try await link.notify(value, of: characteristic)
                return true
            } catch {
                if case .disconnected = error { return false }
            }
            try? await clock.sleep(for: .milliseconds(20))
        }
        return false
    }

    /// An error as a clause for people.
    static func clause(_ error: RemoteError) -> String {
        switch error {
        case .refused(let error): "ATT error \(error)"
        case .disconnected(let reason), .impossible(let reason): reason
        case .notPaired(let error): error.message
        }
    }
}

extension EventRecord {
    /// What happens between a phone and an accessory.
    init(_ report: ANCSProvider.Report, phone: String) {
        switch report {
        case .sessionBegan: self.init("session-began", device: phone)
        case .sessionEnded: self.init("session-ended", device: phone)
        case .told(let event, let name):
            self.init(event.kind.eventName, device: phone)
            notification = NotificationRecord(event.fields)
            notification?.name = name
        case .asked(let command):
            self.init("asked", device: phone)
            value = Hexadecimal.string(command.serialized())
            switch command {
            case .notificationAttributes(let uid, _): notification = NotificationRecord(uid: uid)
            case .appAttributes(let app, _): self.app = app
            case .performAction, .unknown: break
            }
        case .acted(let action, let name):
            self.init("action-performed", device: phone)
            self.action = action.name
            self.name = name
        case .refused(let error, let octets):
            self.init("refused", device: phone)
            code = "0x" + Hexadecimal.string([error.rawValue]).uppercased()
            value = Hexadecimal.string(octets)
            reason = Self.meanings[error]
        }
    }

    private static let meanings: [ATTError: String] = [
        .ancsUnknownCommand: "the command is not known",
        .ancsInvalidCommand: "the command is not written as it should be",
        .ancsInvalidParameter: "what it names is not there in this session",
        .ancsActionFailed: "the action cannot be performed",
    ]
}
