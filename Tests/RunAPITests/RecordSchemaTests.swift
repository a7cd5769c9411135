// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Devices
import JSON
import Radio
import Receiving
import Space
import Testing

@testable import Emulator
@testable import RunAPI

/// Every record has the members that its schema has, and no others.
@Suite struct RecordSchemaTests {
    private static let position = Position(x: 1, y: 2, z: 3)

    private static let versions = RunVersions(
        version: "1",
        profiles: [ProfileVersion(profile: "a", files: "0123456789abcdef", effective: "0123456789abcdef")])

    private static let reload: Emulator.ReloadResult = {
        var result = Emulator.ReloadResult()
        result.keptSettings = [
            Emulator.KeptSettings(device: "a", settings: ["major": .init(profile: "1", present: "2")])
        ]
        return result
    }()

    /// Records with all members.
    private static let full: [any Record] = [
        RadioState(power: .on), versions, Health(AirSummary(), versions), Forgotten(forgotten: 1),
        MoveRecord(name: "a", position: position), WalkRecord(name: "a", path: [position], over: .seconds(1)),
        DisconnectionRecord(name: "a", peers: ["b"], reason: "remote-user"),
        ReceiverRecord(
            "a", server: AirReceiver(name: "a", server: "tcp:127.0.0.1:1", hosts: ["a"], position: position)
        ).labelled("A"),
        LinkChangeRecord(from: "a", to: "b", LinkOverride()),
        reload, ClockRecord(elapsed: 1, rate: "1", virtual: true),
        ConnectionRecord(RemoteAddress(.zero, isRandom: true), beacon: "a", mtu: 23),
        ServiceRecord(
            RemoteService(uuid: .bit16(0x180F), handles: .all),
            [
                CharacteristicRecord(
                    RemoteCharacteristic(
                        uuid: .bit16(0x2A19), properties: .notify, declaration: 2, value: 3, end: 4),
                    name: "a", [RemoteDescriptor(uuid: .bit16(0x2902), handle: 4)])
            ]),
        ValueRecord(3, .bit16(0x2A19), [1]),
    ]

    @Test(arguments: full.indices)
    func recordHasTheMembersOfItsSchema(_ index: Int) throws {
        let record = Self.full[index]
        let schema = type(of: record).schema
        let name = try #require(schema.json.members?["$ref"]?.string?.split(separator: "/").last)
        let object = try #require(schema.named[String(name)]?.json.members)
        let encoded = try JSONValue(parsing: Array(JSONLine.encode(Encoded(record)).utf8)).members ?? [:]
        let described = try #require(object["properties"]?.members)
        let required = Set((object["required"]?.elements ?? []).compactMap(\.string))
        #expect(Set(encoded.keys).isSubset(of: described.keys), "\(name)")
        #expect(required.isSubset(of: encoded.keys), "\(name)")
    }

    private struct Encoded: Encodable {
        let value: any Encodable

        init(_ value: any Encodable) { self.value = value }

        func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
    }
}
