// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Devices
import Radio
import TestTraits
import Testing

@testable import Emulator

@Suite(.realTime, .timeLimit(.minutes(10))) struct ClientConversationTests {
    private static let central = Central("00:AA:01:00:00:00")
    private static let service = RemoteService(uuid: .bit16(0x180F), handles: 0x0010...0x0013)
    private static let level = RemoteCharacteristic(
        uuid: .bit16(0x2A19), properties: [.read, .notify], declaration: 0x0011, value: 0x0012, end: 0x0013)

    /// A radio with one connected central, or none.
    private final class OneLinkRadio: ClientRadio {
        let name = "one link"
        let events = RadioEvents()
        let link: ScriptedLink?
        init(_ link: ScriptedLink?) { self.link = link }

        func open(
            _ beacons: [HostedBeacon], waits: Bool,
            attributes: @escaping AttributeResponder
        ) async throws(RadioError) -> RadioCapabilities {
            throw RadioError(.unsupported, "it cannot be opened", hint: "do not")
        }
        func replan(_ beacons: [HostedBeacon]) async throws(RadioError) {}
        func advertise(_ advertisement: Advertisement?, for beacon: BeaconIdentifier) async {}
        func notify(
            _ value: [UInt8], of characteristic: CharacteristicIdentifier, on beacon: BeaconIdentifier,
            to central: String?
        ) async {}
        func disconnect(central: String) async {}
        func close() async {}
        func link(to central: String) async throws(RadioError) -> any RemoteLink {
            guard let link else { throw RadioError(.unsupported, "it has no links", hint: "use another radio") }
            return link
        }
    }

    private static func conversation(
        _ link: ScriptedLink?
    ) -> (ClientConversation, EventLog<DeviceInput>) {
        let inputs = EventLog<DeviceInput>()
        return (ClientConversation(with: central, on: OneLinkRadio(link)) { inputs.append($0) }, inputs)
    }

    @Test func requestsAreAnsweredInOrder() async throws {
        let link = ScriptedLink(
            services: [(Self.service, [Self.level])], refusals: [0x0015: .refused(.ancsInvalidParameter)])
        let (conversation, inputs) = Self.conversation(link)
        let requests: [ClientRequest] = [
            .secure, .subscribe(0x0012, true), .discover(.bit16(0x180A)), .discover(.bit16(0x180F)),
            .subscribe(0x0012, true), .read(0x0012), .write(0x0012, [7]), .write(0x0015, [8]),
        ]
        for request in requests { conversation.ask(request) }
        let results: [ClientResult] = [
            .failed("this radio does not pair"), .failed("no characteristic with the handle 0x0012 was found"),
            .found(nil), .found([Self.level]), .done, .value([0x12]), .done, .refused(.ancsInvalidParameter),
        ]
        try await inputs.entry(requests.count) { _ in true }
        #expect(inputs.entries == zip(requests, results).map { .responseReceived(Self.central, $0, $1) })
        #expect(link.calls.entries == [.setNotifying(true, 0x0012), .write([7], 0x0012), .write([8], 0x0015)])
        conversation.end()
    }

    @Test func notificationsOfTheCentralAreDelivered() async throws {
        let link = ScriptedLink()
        let (conversation, inputs) = Self.conversation(link)
        for value: UInt8 in 1...3 { link.notification.yield(RemoteNotification(handle: 0x0012, value: [value])) }
        try await inputs.entry(3) { _ in true }
        #expect(inputs.entries == (1...3).map { .notificationReceived(Self.central, 0x0012, [UInt8($0)]) })
        conversation.end()
    }

    @Test func radioWithoutLinksIsReportedWithAHint() async throws {
        let (conversation, inputs) = Self.conversation(nil)
        conversation.ask(.secure)
        conversation.ask(.read(1))
        try await inputs.entry(2) { _ in true }
        let failure = ClientResult.failed("it has no links; use another radio")
        #expect(
            inputs.entries == [
                .responseReceived(Self.central, .secure, failure), .responseReceived(Self.central, .read(1), failure),
            ])
        conversation.end()
    }
}
