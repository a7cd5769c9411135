// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Concurrency
import Devices
import Emulator
import HTTPTypes
import JSON
import Radio
import RunAPI
import Space
import Testing

@testable import RunServer

/// What clients write is what the server reads.
@Suite struct ClientRequestTests {
    /// Takes the request of an operation apart as the server does, and puts it together again.
    private func check<Sent: Operation>(_ operation: Sent, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let request = operation.request
        let method = try #require(HTTPRequest.Method(request.method.rawValue))
        var head = HTTPRequest(method: method, scheme: nil, authority: "run", path: request.target)
        for (name, value) in request.fields { head.headerFields[try #require(HTTPField.Name(name))] = value }
        let read = try APIRequest(head)
        let (resource, names) = try #require(Router(Operations.all).find(read.segments))
        guard case .operations(let endpoints) = resource, let endpoint = endpoints[method] else {
            Issue.record("\(request.target) leads to no operation", sourceLocation: sourceLocation)
            return
        }
        let body = try request.body.map { bytes -> RequestBody in
            endpoint.takesText ? .text(String(decoding: bytes, as: UTF8.self)) : .json(try JSONValue(parsing: bytes))
        }
        let again = try endpoint.request(try read.values(of: endpoint, names, body))
        #expect(endpoint.name == Sent.name, sourceLocation: sourceLocation)
        #expect(again.target == request.target && again.body == request.body, sourceLocation: sourceLocation)
    }

    @Test(arguments: ["door", "museum/door", "a b", "50%", "Tür?", "a+b&c=d", "../x", "#"])
    func namesAreAnyText(_ name: String) throws {
        try check(ShowBeacon { $0.beacon = BeaconName(name) })
        try check(ListBonds { $0.beacon = BeaconName(name) })
        try check(
            OverrideLink {
                $0.from = AirName(name)
                $0.to = AirName(name)
                $0.loss = SettingText("6.5dB")
            })
        try check(ListBeacons { $0.profile = name })
        try check(RemoveBeacons { $0.match = BeaconPattern(name) })
    }

    @Test(
        arguments: [
            .zero, .microseconds(1500), .milliseconds(1), .milliseconds(999), .seconds(1), .seconds(90),
            .seconds(720 * 3600), .seconds(999_999_999),
        ] as [Duration])
    func durationsAreShortAndLong(_ duration: Duration) throws {
        try check(AdvanceClock { $0.time = duration })
        try check(
            ChangeBeacon {
                $0.beacon = BeaconName("door")
                $0.change.muting = .during(duration)
            })
    }

    @Test(arguments: [0, 7, 12_345, 123_456, 999_999] as [UInt32])
    func passkeysHaveSixDigits(_ passkey: UInt32) throws {
        try check(
            AnswerPairing {
                $0.beacon = BeaconName("door")
                $0.answer = .passkey(passkey)
            })
    }

    @Test func otherValuesAreReadAsTheyAreWritten() throws {
        try check(Reload())
        try check(
            ChangeBeacon {
                $0.beacon = BeaconName("door")
                $0.change.settings = ["major": "7", "uuid": "", "name": "\"\u{1F4E1}\\n"]
                $0.change.position = Position(x: -0.5, y: 1e3, z: 0.125)
                $0.change.battery = .flat
                $0.change.isEnabled = false
            })
        try check(
            ChangeBeacons {
                $0.match = BeaconPattern("museum/shelf-[0-9]*")
                $0.profile = "museum"
                $0.change.isEnabled = true
            })
        try check(
            Walk {
                $0.target = AirName("phone")
                $0.path = WalkPath([Position(x: 0, y: 0), Position(x: 9999.5, y: -1)])
                $0.time = .seconds(20)
            })
        try check(
            ReplaceProfile {
                $0.tag = Tag("7")
                $0.document = Document("profile: a\nbeacons: []\n")
            })
        try check(
            FollowEvents {
                $0.types = EventTypes(["written", "connected"])
                $0.last = EventNumber(17)
                $0.hasText = true
            })
        try check(
            Wait {
                $0.conditions = Conditions([try JournalExpectation(condition: "written,decoded.a=1*", count: 0)])
                $0.time = .milliseconds(250)
                $0.begin = JournalBegin("30s")
            })
        try check(SetRate { $0.rate = .manual })
        try check(ReadCapture { $0.capture = CaptureNumber(3) })
        try check(ClearJournal { $0.through = EventNumber(1 << 52) })
    }
}
