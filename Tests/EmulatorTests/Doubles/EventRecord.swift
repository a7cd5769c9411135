// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import JSON

@testable import Emulator

/// An event's JSON line as another program parses it: tests compare the names and fields that scripts rely on.
struct EventRecord: Decodable, Hashable, Sendable {
    struct Requested: Decodable, Hashable, Sendable {
        var pdu: String
        var advertisingData: String
        var scanResponse: String
        var intervalTicks: UInt32
        var txPower: Int8?
        var address: String?
    }

    struct Notification: Decodable, Hashable, Sendable {
        var uid: UInt32
        var name: String?
        var category: String?
        var display: String?
        var categoryCount: UInt8?
        var flags: [String]?
        var app: String?
        var appName: String?
        var title: String?
        var subtitle: String?
        var message: String?
        var messageSize: Int?
        var date: String?
        var positiveAction: String?
        var negativeAction: String?
    }

    var v: Int
    var time: String
    var event: String
    var device: String?
    var radio: String?
    var address: String?
    var pdu: String?
    var advertisingData: String?
    var scanResponse: String?
    var intervalTicks: UInt32?
    var intervalTicksRange: [UInt32]?
    var txPower: Int8?
    var requested: Requested?
    var unknown: [String]?
    var different: [String]?
    var reason: String?
    var code: String?
    var message: String?
    var hint: String?
    var faults: [ErrorRecord]?
    var central: String?
    var characteristic: String?
    var characteristicName: String?
    var value: String?
    var decoded: [String: String]?
    var operation: String?
    var attError: UInt8?
    var file: String?
    var passkey: String?
    var peer: String?
    var peerType: String?
    var bonded: Bool?
    var authenticated: Bool?
    var secureConnections: Bool?
    var keySize: UInt8?
    var transport: String?
    var scan: String?
    var notification: Notification?
    var action: String?
    var name: String?
    var app: String?
    var count: Int?
    var way: String?
    var extended: Bool?
    var instances: Int?
    var freeInstances: Int?
    var servers: [String]?
    var receivers: [String: String]?
    var seed: UInt64?
    var beacons: Int?
    var expected: Int?
    var onAir: Int?
    var missing: [AirSummary.MissingBeacon]?
    var seconds: Double?

    /// The record of an event.
    init(_ posted: PostedEvent) {
        guard let record = EventRecord(line: JSONLine.encode(posted)) else {
            preconditionFailure("an event is not a record: \(JSONLine.encode(posted))")
        }
        self = record
    }

    /// The record of an event of this moment.
    init(_ event: EmulatorEvent) { self.init(PostedEvent(event)) }

    /// Parses a line; `nil` if it is not a record.
    init?(line: String) {
        guard let record = try? JSONDecoder().decode(EventRecord.self, from: Data(line.utf8)) else { return nil }
        self = record
    }
}

extension EmulatorEvent {
    /// The event of a run whose beacons are all on the air.
    static func ready(beacons: Int) -> EmulatorEvent {
        .ready(AirSummary(of: (0..<beacons).map { AirSummary.MissingBeacon(device: "b\($0)", state: .onAir) }))
    }
}
