// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import FoundationEssentials
import GATT
import Radio

/// One event of a run as its JSON line has it: a field that does not concern the event is absent.
public struct EventRecord: Codable, Hashable, Sendable {
    /// The format's version.
    public var v = 1
    /// When, in UTC with milliseconds: `2026-01-31T12:00:00.000Z`.
    public var time: String
    /// What: `advertising-started`, `written` and so on.
    public var event: String
    /// The beacon, by its id.
    public var device: String?
    /// The radio, as `--radio` takes it.
    public var radio: String?

    // advertising-started, advertising-changed
    /// The address in the PDU.
    public var address: String?
    /// The PDU type.
    public var pdu: String?
    /// Bytes in lower-case hexadecimal.
    public var advertisingData: String?
    /// Bytes in lower-case hexadecimal.
    public var scanResponse: String?
    /// In 0.625 ms.
    public var intervalTicks: UInt32?
    /// Lowest and highest, where the controller may choose between them.
    public var intervalTicksRange: [UInt32]?
    /// In dBm.
    public var txPower: Int8?
    /// What was asked for, field by field.
    public var requested: Requested?
    /// The fields above that are not known.
    public var unknown: [String]?
    /// The fields that differ from what was asked for.
    public var different: [String]?

    // advertising-stopped, radio-lost, warning
    /// Why, a clause.
    public var reason: String?
    /// A stable code.
    public var code: String?
    /// A sentence.
    public var message: String?
    /// What to do.
    public var cure: String?
    /// The faults of a profile that was read again.
    public var faults: [ErrorRecord]?

    // connected, disconnected, written, persisted
    /// The central's address, as far as the radio knows it.
    public var central: String?
    /// The characteristic's UUID.
    public var characteristic: String?
    /// The name that the profile gives it; absent where it gives none.
    public var characteristicName: String?
    /// Bytes in lower-case hexadecimal.
    public var value: String?
    /// What was written, as settings have it, by their keys.
    public var decoded: [String: String]?
    /// What was refused: `read` or `write`.
    public var operation: String?
    /// The error code that the central was sent (Core 5.4, Vol 3, Part F, 3.4.1.1).
    public var attError: UInt8?
    /// The file.
    public var file: String?

    // pairing-began, passkey-shown, passkey-wanted, comparison-wanted, paired, encrypted, bond-forgotten
    /// Six digits, to be shown or compared.
    public var passkey: String?
    /// The peer's identity address.
    public var peer: String?
    /// `random` or `public`: the kind of that address.
    public var peerType: String?
    /// Whether the peer is remembered.
    public var bonded: Bool?
    /// Whether the key was made with protection against a person in the middle.
    public var authenticated: Bool?
    /// Whether the key was made by LE Secure Connections.
    public var secureConnections: Bool?
    /// The length of the key, in octets.
    public var keySize: UInt8?

    // host-joined, host-left, host-refused, scan-started, scan-stopped, whose `peer` is the host's end of the connection
    /// Where a host joined: `tcp:127.0.0.1:6402`, `vhci`.
    public var transport: String?
    /// How a host scans: `active` or `passive`.
    public var scan: String?

    // notifications
    /// A phone's notification.
    public var notification: NotificationRecord?
    /// What is done with it: `positive` or `negative`.
    public var action: String?
    /// The notification's name in a phone's script.
    public var name: String?
    /// The identifier of an app that an accessory asks about.
    public var app: String?

    // events-lost
    /// How many events were lost to this listener.
    public var count: Int?

    // radio-ready, ready
    /// How advertisements reach the radio, and why so.
    public var way: String?
    /// Whether the controller has extended advertising.
    public var extended: Bool?
    /// How many advertisements the radio carries at once.
    public var instances: Int?
    /// How many of these are not taken by others.
    public var freeInstances: Int?
    /// Where others find controllers on the radio's air: `tcp:127.0.0.1:6402`, `vhci:hci1`.
    public var servers: [String]?
    /// What decides the chance of a virtual air: `--seed` with it repeats the run.
    public var seed: UInt64?
    /// How many beacons are on the air.
    public var beacons: Int?

    /// What was asked of a radio.
    public struct Requested: Codable, Hashable, Sendable {
        public var pdu: String
        public var advertisingData: String
        public var scanResponse: String
        public var intervalTicks: UInt32
        public var txPower: Int8?
        public var address: String?
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
    public init?(line: String) {
        guard let record = try? JSONDecoder().decode(EventRecord.self, from: Data(line.utf8)) else { return nil }
        self = record
    }
}

/// The one encoder of JSON lines.
public enum JSONLine {
    /// A value on one line, keys in order, without a line end; what steers terminals or splits lines is escaped.
    public static func encode(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(value) else {
            preconditionFailure("records hold nothing but strings, numbers and truth values")
        }
        return SafeText.json(String(decoding: data, as: UTF8.self))
    }
}
