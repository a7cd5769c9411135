// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Devices
import Foundation
import Profiles
import Radio
import Receiving
import Space

@testable import Emulator

/// An event of each kind, and of each form of a kind, for the tests that compare its JSON and its sentence.
enum EventSamples {
    /// All samples.
    static let all = run + hosts + air + beacons + pairing + displays + phones

    static let beacon = BeaconIdentifier("entrance")
    static let central = "C0:FF:EE:00:00:02"
    static let peer = RemoteAddress(address, isRandom: true)
    static let level = NamedCharacteristic(
        identifier: CharacteristicIdentifier(BluetoothUUID.bit16(0x2A19)), name: "level")
    static let read = AttributeRequest(
        beacon: beacon, characteristic: level.identifier, central: central, operation: .read(offset: 0))
    static let write = AttributeRequest(
        beacon: beacon, characteristic: level.identifier, central: central,
        operation: .write(offset: 0, value: [0xFF]))

    private static let address = BluetoothAddress(octets: [0xC0, 0xFF, 0xEE, 0, 0, 2]) ?? .zero
    private static let phone = BeaconIdentifier("iphone")
    private static let lost = RadioError(.noAdapter, "it is gone", hint: "plug it in")
    private static let problem = Warning(code: "interval-coarse", message: "it is coarse", hint: "use another one")

    // MARK: - The run and hosts

    private static let run: [EmulatorEvent] =
        [
            .radioReady(
                RadioCapabilities(
                    name: "hci0", way: "management socket", wayReason: "it has the right", address: address,
                    hasExtendedAdvertising: true, instances: 12, freeInstances: 11, sharesTime: false, canReadBack: true
                )),
            .radioReady(
                RadioCapabilities(
                    name: "virtual", way: "virtual air", wayReason: "it was requested", address: nil,
                    hasExtendedAdvertising: true, instances: 1000, freeInstances: 999, sharesTime: false,
                    canReadBack: true,
                    servers: ["tcp:127.0.0.1:6402", "netsim:127.0.0.1:8877", "vhci:hci1"],
                    receivers: ["visitor": "tcp:127.0.0.1:6402"], seed: 7)
            ),
            .radioLost(lost),
            .ready(beacons: 2),
            .degraded(summary), .recovered(summary),
            .controlServed(url: "http://127.0.0.1:8080"),
            .reloaded(beacons: 1), .reloaded(beacons: 2),
            .reloadFailed(EmulatorError(.badProfile, "it is wrong", hint: "fix the profile, then reload")),
            .reloadFailed(
                EmulatorError(
                    ProfileFaults([
                        ProfileFault(file: "a.yaml", line: 1, column: 2, field: "beacons", message: "it is wrong"),
                        ProfileFault(file: "a.yaml", line: 3, column: 4, field: "profile", message: "it is missing"),
                    ]))),
            .replayEnded(packets: 1), .replayEnded(packets: 3),
            .stopping,
            .warning(problem),
            .lost(count: 1), .lost(count: 2),
        ] + ["running", "ended", "stopped"].map { scenario($0, done: 0) } + [scenario("running", done: 1)]

    private static let summary = AirSummary(of: [
        AirSummary.MissingBeacon(device: "till", state: .flatBattery),
        AirSummary.MissingBeacon(device: "door", state: .onAir),
    ])

    private static func scenario(_ state: String, done: Int) -> EmulatorEvent {
        let json = """
            { "v": 1, "scenario": "walk", "state": "\(state)", "elapsed": 1.5, "duration": 60, "changes": 2, "done": \(done),
              "next": { "at": 30, "change": "mute entrance" }, "ignored": ["expect"],
              "refused": [{ "at": 1, "change": "mute till", "message": "there is no till" }] }
            """
        guard let record = try? JSONDecoder().decode(ScenarioRecord.self, from: Data(json.utf8)) else {
            preconditionFailure("the sample of a scenario cannot be decoded")
        }
        return .scenario(record)
    }

    private static let hosts: [EmulatorEvent] = [
        HostEvent.Action.joined, .left, .refused(reason: "it sent no HCI packet"), .scanStarted(isActive: true),
        .scanStarted(isActive: false), .scanStopped,
    ].flatMap { action in
        [
            HostEvent(
                action, name: "visitor", transport: "tcp:127.0.0.1:6402", peer: "127.0.0.1:53412", address: address),
            HostEvent(
                action, name: "Pixel_7", transport: "netsim:127.0.0.1:8877", peer: "127.0.0.1:53412", address: address,
                kind: "emulator"),
        ].map { .host($0) }
    }

    // MARK: - Beacons

    private static let requested = Advertisement(
        pdu: .connectableScannable, advertisingData: [.flags(.beacon)],
        scanResponse: [.transmitPower(TransmitPower(4))],
        interval: AdvertisingInterval(160), transmitPower: TransmitPower(0))

    private static func effective(upTo interval: UInt32) -> EffectiveAdvertisement {
        var effective = EffectiveAdvertisement(unknown: "it is not read back")
        effective.pdu = .known(.connectableScannable)
        effective.address = .known(address)
        effective.advertisingData = .known([0x02, 0x01, 0x06])
        effective.scanResponse = .known([0x02, 0x0A, 0x04])
        effective.interval = .known(AdvertisingInterval(160)...AdvertisingInterval(interval))
        effective.transmitPower = .known(TransmitPower(-4))
        return effective
    }

    private static func status(_ effective: EffectiveAdvertisement) -> AdvertisingStatus {
        AdvertisingStatus(
            requested: requested, effective: effective, differences: effective.differences(from: requested),
            warnings: [])
    }

    private static let advertisements: [BeaconEvent] = [true, false].flatMap { isNew in
        [effective(upTo: 160), effective(upTo: 320), EffectiveAdvertisement(unknown: "it is not read back")].map {
            .advertising(status($0), radio: "hci0", isNew: isNew)
        }
    }

    private static let beacons: [EmulatorEvent] =
        (advertisements + [
            .advertisingStopped(.connected), .advertisingStopped(.radio("it was removed")),
            .advertisingRefused(lost),
            .connected(central: central), .disconnected(central: central),
            .subscribed(central: central, level, isOn: true), .subscribed(central: central, level, isOn: false),
            .written(central: central, level, value: [0x50], settings: ["level": "80", "major": "5"]),
            .written(
                central: central, NamedCharacteristic(identifier: level.identifier, name: nil), value: [], settings: [:]
            ),
            .refused(read, .readNotPermitted, name: nil), .refused(write, .writeNotPermitted, name: "level"),
            .settingsSaved(file: "/a/b.json"), .settingsRestored(file: "/a/b.json", reset: "beaconry reset entrance"),
            .settingsReset(file: "/a/b.json"), .labelled("North \"gate\""), .labelled(nil),
            .bondsSaved(file: "/a/b.bonds"), .bondsReset(file: "/a/b.bonds"),
            .connectionsFailing(ConnectionFault(count: 3, phase: .request, reason: .lowResources)),
            .connectionsFailing(ConnectionFault(count: 2, phase: .establishment)),
            .connectionsFailing(ConnectionFault(count: 0)),
            .muted(nil), .muted(.milliseconds(1500)), .unmuted, .battery(.flat), .battery(.full),
            .warning(problem),
            .report(.waiting("its side key must be pressed", until: ["key=on", "key=off"])),
        ] as [BeaconEvent]).map { .beacon(beacon, $0) }

    private static let pairing: [EmulatorEvent] =
        ([
            .began, .passkeyShown(42), .passkeyWanted, .comparisonWanted(123_456),
            .paired(PairedPeer(address: peer, isBonded: true, isAuthenticated: false)),
            .paired(
                PairedPeer(
                    address: RemoteAddress(.zero, isRandom: false), isBonded: false, isAuthenticated: true,
                    usesSecureConnections: true, keySize: 16)),
            .failed(PairingError(.wrongPasskey)),
            .encrypted(LinkProtection(isAuthenticated: true, keySize: 16)),
            .encrypted(LinkProtection(isAuthenticated: nil, keySize: nil)),
            .forgotten(peer),
        ] as [PairingEvent]).map { .beacon(beacon, .pairing(central: central, $0)) }

    // MARK: - Notifications

    private static func notification(_ kind: UInt8) -> ANCSNotificationEvent {
        ANCSNotificationEvent(
            ANCSNotificationEvent.Kind(rawValue: kind), notification: 3, category: .social,
            flags: [.silent, .important])
    }

    private static let air: [EmulatorEvent] = {
        var settings = ListenerSettings(screen: .off)
        let screenOff = ListenerSummary(settings)
        settings.isListening = false
        let connection = ConnectionRecord(peer, beacon: "entrance", mtu: 23)
        let regions: [BeaconRegion.Identifiers] = [
            .numbers(UUID128(high: 1, low: 2), major: 1, minor: 2),
            .namespace([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], instance: [1, 2, 3, 4, 5, 6]),
        ]
        var (denied, off) = (ListenerSettings(), ListenerSettings())
        denied.permission = .denied
        off.bluetooth = .off
        if let pixel = Handset.named("pixel-4"), let phone = PhoneModel.exact.with(pixel) { denied.phone = phone }
        let events: [ReceiverEvent] =
            [
                .added(ListenerSummary(denied), position: nil), .changed(ListenerSummary(denied)),
                .changed(ListenerSummary(off)), .added(ListenerSummary(ListenerSettings()), position: [2, 3.5, 0]),
                .added(screenOff, position: nil),
                .served(server: "tcp:127.0.0.1:6402", position: [0, 0, 2]), .changed(ListenerSummary(settings)),
                .removed, .labelled("Anna"), .labelled(nil), .entered(room: "kitchen", position: [2, 3.5, 0]),
                .estimated(
                    EstimateRecord(.leastSquares, PlaceEstimate(room: "kitchen", position: Position(x: 2, y: 3)))),
                .left(room: "kitchen", position: [4, 3.5, 1]),
                .ended(region: "shop"), .connected(connection), .disconnected(connection),
                .connected(ConnectionRecord(peer, beacon: nil, mtu: 23)),
            ] + regions.map { .monitored(region: "shop", IdentifierRecord($0)) }
        let overrides = [
            LinkOverride(rssi: -70, duration: .seconds(9.5)), LinkOverride(loss: 6.5, packetLoss: 0.25),
            LinkOverride(packetLoss: 1),
        ]
        var model = Propagation.environments[1].propagation
        let preset = AirRecord.Physics(model)
        model.setExponent(2.5)
        return events.map { .receiver("phone", $0) }
            + overrides.map { .link(from: "entrance", to: "phone", OverrideRecord($0)) } + [
                .link(from: "entrance", to: "phone", nil), .physics(preset, walls: 0),
                .physics(AirRecord.Physics(model), walls: 1), .physics(AirRecord.Physics(model), walls: 2),
            ]
    }()

    private static let displays: [EmulatorEvent] = [
        ("notifications-available", [:]),
        ("notifications-available", ["reason": .text("the phone sends no attributes of its notifications")]),
        ("notifications-unavailable", ["reason": .text("the phone is gone")]),
        ("notification-added", ["notification": .object(notification(0).fields)]),
        ("notification-modified", ["notification": .object(notification(1).fields)]),
        ("notification-removed", ["notification": .object(notification(2).fields)]),
        ("notification-event-9", ["notification": .object(notification(9).fields)]),
        ("notification-shown", ["notification": .object(["uid": .integer(3), "title": .text("Robert")])]),
        (
            "notification-not-shown",
            ["notification": .object(["uid": .integer(3)]), "reason": .text("it was removed")]
        ),
        ("action-performed", ["notification": .object(["uid": .integer(3)]), "action": .text("positive")]),
        (
            "action-failed",
            [
                "notification": .object(["uid": .integer(3)]), "action": .text("negative"),
                "reason": .text("it has none"),
            ]
        ),
    ].map { .beacon(beacon, .report(DeviceReport($0.0, central: Central(central), $0.1))) }

    private static let phones: [EmulatorEvent] =
        ([
            .looking, .accessoryFound(peer, advertisingData: [2, 1, 6]), .connectionFailed(peer, lost), .connected,
            .disconnected(reason: "it is out of range"), .encrypted(LinkProtection(isAuthenticated: true, keySize: 16)),
            .pairingFailed(PairingError(.wrongPasskey), hint: "pair again"),
            .notNotified(.bit16(0x2A19), value: [1, 2]), .serviceChanged(isPresent: true),
            .serviceChanged(isPresent: false),
            .serviceFailed(lost),
            .service(.sessionBegan), .service(.sessionEnded), .service(.notified(notification(0), "mail")),
            .service(.notified(notification(1), "mail")), .service(.notified(notification(2), "mail")),
            .service(.notified(notification(9), "mail")),
            .service(.asked(.notificationAttributes(3, []))), .service(.asked(.appAttributes("org.example.mail", [0]))),
            .service(.acted(.positive, "mail")), .service(.refused(.writeNotPermitted, [9])),
        ] as [PhoneEvent]).flatMap { event -> [EmulatorEvent] in
            [.phone(phone, accessory: peer, event), .phone(phone, accessory: nil, event)]
        }
}
