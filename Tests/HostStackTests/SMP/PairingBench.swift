// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import HCI
import TestSupport
import Testing

@testable import HostStack

/// A peripheral and a central on one virtual air, with users who do what their devices request.
struct PairingBench {
    /// The behaviour of the users.
    enum Users {
        /// They enter and confirm the right numbers.
        case careful
        /// They mistype, or confirm that numbers differ.
        case mistaken
        /// They do nothing.
        case absent
    }

    static let set = AdvertisingSetIdentifier.number(0)
    static let service = GATTService(
        uuid: .bit16(0xFFF0),
        characteristics: [
            GATTCharacteristic(
                uuid: .bit16(0xFFF1), properties: [.read, .write],
                permissions: AttributePermissions(read: .encryption, write: .encryption)),
            GATTCharacteristic(
                uuid: .bit16(0xFFF2), properties: .read, permissions: AttributePermissions(read: .authentication)),
            GATTCharacteristic(uuid: .bit16(0xFFF3), properties: [.read, .notify]),
        ])

    var bench = AirBench()
    let peripheral: Int
    let central: Int
    var users = Users.careful
    /// The passkey that both users enter, if both do.
    let agreed: UInt32 = 240_117
    /// The connection, at each end.
    private(set) var links: [Int: LEConnection] = [:]
    /// The number of events that each station's user has seen.
    private var seen: [Int: Int] = [:]

    init(
        central centralSettings: PairingSettings?, peripheral peripheralSettings: PairingSettings?,
        centralAcceptance: PairingAcceptance = .always, peripheralAcceptance: PairingAcceptance = .always,
        address: OwnAddress = .random(.random(1)), centralAddress: OwnAddress = .publicDevice,
        isLegacy: Bool = false, services: [GATTService] = [PairingBench.service],
        configuration: LEHostConfiguration = LEHostConfiguration()
    ) throws {
        peripheral = bench.add(1, isLegacy: isLegacy, configuration: configuration)
        var configuration = configuration
        configuration.centralAddress = centralAddress
        central = bench.add(2, isLegacy: isLegacy, configuration: configuration)
        let database = try AttributeDatabase(services: services, genericAccess: GenericAccess(name: "beacon"))
        bench.stations[peripheral].values = [
            .bit16(0xFFF1): [1], .bit16(0xFFF2): [2], .bit16(0xFFF3): [3],
        ]
        bench.perform(peripheral) {
            $0.setPairing(peripheralSettings, acceptance: peripheralAcceptance, for: Self.set)
            $0.setDatabase(database, for: Self.set)
            $0.setAdvertising(.beacon(.connectableScannable, milliseconds: 100), for: Self.set, address: address)
        }
        bench.perform(central) { $0.setPairing(centralSettings, acceptance: centralAcceptance, for: nil) }
        try connect()
    }

    /// The identifier of the connection at an end.
    func link(_ station: Int) throws -> ConnectionIdentifier { try #require(links[station]).id }

    /// The address in the peripheral's advertisements.
    var peripheralAddress: PeerAddress? {
        let effective = bench.stations[peripheral].events.last { event in
            if case .advertising = event.event { true } else { false }
        }
        guard case .advertising(_, let advertising) = effective?.event else { return nil }
        return PeerAddress(advertising.address, type: advertising.addressType)
    }

    mutating func connect() throws {
        bench.advance(by: .seconds(1))
        let peer = try #require(peripheralAddress)
        clear()
        bench.perform(central) { $0.connect(to: peer.address, type: peer.type) }
        for station in [central, peripheral] {
            links[station] = try bench.advance(until: station) { event in
                if case .connected(let link) = event { link } else { nil }
            }
        }
        clear()
    }

    /// The address of the peripheral in the central's connection.
    var lastPeer: PeerAddress? { links[central].map { PeerAddress($0.peerAddress, type: $0.peerAddressType) } }

    mutating func reconnect() throws {
        try disconnect()
        try connect()
    }

    mutating func disconnect() throws {
        let link = try link(central)
        clear()
        bench.perform(central) { $0.disconnect(link) }
        for station in [central, peripheral] {
            _ = try bench.advance(until: station) { if case .disconnected(let link, _) = $0 { link } else { nil } }
        }
    }

    /// Removes the events so far.
    mutating func clear() {
        for station in [central, peripheral] { bench.stations[station].events = [] }
        seen = [:]
    }

    func events(_ station: Int) -> [LEHostEvent] { bench.stations[station].events.map(\.event) }

    /// Requests security at a station, and lets both sides pair until nothing more happens.
    mutating func pair(by station: Int, renewing: Bool = false, within limit: Duration = .seconds(5)) throws {
        clear()
        let link = try link(station)
        bench.perform(station) { $0.pair(link, renewing: renewing) }
        settle(within: limit)
    }

    /// Advances the time while the users answer their devices.
    mutating func settle(within limit: Duration = .seconds(5)) {
        let end = bench.time + limit
        while bench.time < end {
            bench.advance(by: .milliseconds(10))
            for station in [central, peripheral] { attend(station) }
        }
    }

    private mutating func attend(_ station: Int) {
        let events = events(station)
        while users != .absent, let event = events.dropFirst(seen[station] ?? 0).first {
            if case .passkeyWanted = event, digits(for: station) == nil { return }
            seen[station, default: 0] += 1
            switch event {
            case .passkeyWanted(let link):
                let digits = digits(for: station)
                bench.perform(station) { $0.replyPasskey(digits, of: link) }
            case .comparisonWanted(let link, _):
                let isEqual = users == .careful
                bench.perform(station) { $0.replyComparison(isEqual, of: link) }
            case .confirmationWanted(let link):
                let isConfirmed = users == .careful
                bench.perform(station) { $0.replyComparison(isConfirmed, of: link) }
            case .pairingRequested(let link):
                let isGranted = users == .careful
                bench.perform(station) { $0.replyPairing(isGranted, of: link) }
            default: break
            }
        }
    }

    /// The passkey that the user of a station enters; `nil` while the other device requests and shows none.
    private func digits(for station: Int) -> UInt32? {
        for event in events(station == central ? peripheral : central).reversed() {
            switch event {
            case .displayPasskey(_, let shown): return users == .mistaken ? (shown + 1) % 1_000_000 : shown
            case .passkeyWanted: return users == .mistaken && station == central ? agreed + 1 : agreed
            default: continue
            }
        }
        return nil
    }

    /// The bond that a station reported.
    func paired(_ station: Int) -> (bond: Bond, isBonded: Bool)? {
        for case .paired(_, let bond, let isBonded) in events(station) { return (bond, isBonded) }
        return nil
    }

    func failure(_ station: Int) -> PairingError? {
        for case .pairingFailed(_, let failure) in events(station) { return failure }
        return nil
    }

    func security(_ station: Int) -> LinkSecurity? {
        var last: LinkSecurity?
        for case .securityChanged(_, let security) in events(station) { last = security }
        return last
    }

    func encryptionFailure(_ station: Int) -> EncryptionFailure? {
        for case .encryptionFailed(_, let failure) in events(station) { return failure }
        return nil
    }

    /// Runs a procedure on the peripheral's attributes.
    mutating func run(_ procedure: GATTProcedure) throws -> Result<GATTResult, ATTClientError> {
        let link = try link(central)
        var token: ATTToken?
        bench.perform(central) { token = $0.start(procedure, on: link) }
        return try bench.advance(until: central) { event in
            if case .completed(link, let completed, let result) = event, completed == token { result } else { nil }
        }
    }

    /// The handle of the value of a characteristic of the peripheral.
    func handle(_ uuid: UInt16) throws -> AttributeHandle {
        let database = try AttributeDatabase(services: [Self.service], genericAccess: GenericAccess(name: "beacon"))
        return try #require(database.valueHandle(of: .bit16(uuid)))
    }
}

extension PairingBench: CustomTestStringConvertible {
    var testDescription: String { "central: \(events(central)), peripheral: \(events(peripheral))" }
}
