// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import BluetoothCore
import FoundationEssentials
import Radio

/// One event of a run as its JSON line has it: a field that does not concern the event is absent.
package struct EventRecord: Codable, Hashable, Sendable {
    /// The format's version.
    package var v = 1
    /// When, in UTC with milliseconds: `2026-01-31T12:00:00.000Z`.
    package var time: String
    /// What: `advertising-started`, `written` and so on.
    package var event: String
    /// The beacon, by its id.
    package var device: String?
    /// The radio, as `--radio` takes it.
    package var radio: String?

    // advertising-started, advertising-changed
    /// The address in the PDU.
    package var address: String?
    /// The PDU type.
    package var pdu: String?
    /// Bytes in lower-case hexadecimal.
    package var advertisingData: String?
    /// Bytes in lower-case hexadecimal.
    package var scanResponse: String?
    /// In 0.625 ms.
    package var intervalTicks: UInt32?
    /// Lowest and highest, where the controller may choose between them.
    package var intervalTicksRange: [UInt32]?
    /// In dBm.
    package var txPower: Int8?
    /// What was asked for, field by field.
    package var requested: Requested?
    /// The fields above that are not known.
    package var unknown: [String]?
    /// The fields that differ from what was asked for.
    package var different: [String]?

    // advertising-stopped, radio-lost, warning
    /// Why, a clause.
    package var reason: String?
    /// A stable code.
    package var code: String?
    /// A sentence.
    package var message: String?
    /// What to do.
    package var hint: String?
    /// The faults of a profile that was read again.
    package var faults: [ErrorRecord]?

    // connected, disconnected, written, persisted
    /// The central's address, as far as the radio knows it.
    package var central: String?
    /// The characteristic's UUID.
    package var characteristic: String?
    /// The name that the profile gives it; absent where it gives none.
    package var characteristicName: String?
    /// Bytes in lower-case hexadecimal.
    package var value: String?
    /// What was written, as settings have it, by their keys.
    package var decoded: [String: String]?
    /// What was refused: `read` or `write`.
    package var operation: String?
    /// The error code that the central was sent (Core 5.4, Vol 3, Part F, 3.4.1.1).
    package var attError: UInt8?
    /// The file.
    package var file: String?

    // pairing-began, passkey-shown, passkey-wanted, comparison-wanted, paired, encrypted, bond-forgotten
    /// Six digits, to be shown or compared.
    package var passkey: String?
    /// The peer's identity address.
    package var peer: String?
    /// `random` or `public`: the kind of that address.
    package var peerType: String?
    /// Whether the peer is remembered.
    package var bonded: Bool?
    /// Whether the key was made with protection against a person in the middle.
    package var authenticated: Bool?
    /// Whether the key was made by LE Secure Connections.
    package var secureConnections: Bool?
    /// The length of the key, in octets.
    package var keySize: UInt8?

    // host-joined, host-left, host-refused, scan-started, scan-stopped, whose `peer` is the host's end of the connection
    /// Where a host joined: `tcp:127.0.0.1:6402`, `vhci`.
    package var transport: String?
    /// How a host scans: `active` or `passive`.
    package var scan: String?

    // notifications
    /// A phone's notification.
    package var notification: NotificationRecord?
    /// What is done with it: `positive` or `negative`.
    package var action: String?
    /// The notification's name in a phone's script.
    package var name: String?
    /// The identifier of an app that an accessory asks about.
    package var app: String?

    // events-lost
    /// How many events were lost to this listener.
    package var count: Int?

    // radio-ready, ready
    /// How advertisements reach the radio, and why so.
    package var way: String?
    /// Whether the controller has extended advertising.
    package var extended: Bool?
    /// How many advertisements the radio carries at once.
    package var instances: Int?
    /// How many of these are not taken by others.
    package var freeInstances: Int?
    /// Where others find controllers on the radio's air: `tcp:127.0.0.1:6402`, `vhci:hci1`.
    package var servers: [String]?
    /// What decides the chance of a virtual air: `--seed` with it repeats the run.
    package var seed: UInt64?
    /// How many beacons are on the air.
    package var beacons: Int?

    /// What was asked of a radio.
    package struct Requested: Codable, Hashable, Sendable {
        package var pdu: String
        package var advertisingData: String
        package var scanResponse: String
        package var intervalTicks: UInt32
        package var txPower: Int8?
        package var address: String?
    }

    /// An event of this name, now.
    init(_ event: String, device: String? = nil) {
        self.event = event
        self.device = device
        time = Self.now
    }

    /// The present time as records have it.
    static var now: String { Date.now.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)) }
}

extension EventRecord {
    /// A central's request that was refused.
    init(refused request: AttributeRequest, _ error: ATTError, name: String?) {
        self.init("refused", device: request.beacon.name)
        central = request.central
        characteristic = request.characteristic.description
        characteristicName = name
        attError = error.rawValue
        code = "0x" + Hexadecimal.string([error.rawValue]).uppercased()
        reason = "\(error)"
        switch request.operation {
        case .read: operation = "read"
        case .write(_, let octets):
            operation = "write"
            value = Hexadecimal.string(octets)
        }
    }

    /// Reads a record's JSON line; `nil` when it is none.
    package init?(line: String) {
        guard let record = try? JSONDecoder().decode(EventRecord.self, from: Data(line.utf8)) else { return nil }
        self = record
    }
}

/// The one encoder of JSON lines.
package enum JSONLine {
    /// A value on one line, keys in order, without a line end; what steers terminals or splits lines is escaped.
    package static func encode(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(value) else {
            preconditionFailure("records hold nothing but strings, numbers and truth values")
        }
        return SafeText.json(String(decoding: data, as: UTF8.self))
    }
}
