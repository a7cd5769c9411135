// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import BluetoothCore
import Devices
import Profiles
import Radio

/// A subscription of a central to one of a beacon's characteristics.
struct Subscription: Hashable, Sendable {
    let central: String
    let characteristic: CharacteristicIdentifier
}

/// One beacon of a run: its device and flash (`RunningBeacon`), and its state on the radio.
///
/// A session is on the air or off the air, and has any number of connected centrals. A central may be subscribed to
/// characteristics, may have a pairing that waits for the user, and may serve attributes that the device uses. All of
/// these end when the central disconnects. A reload may replace the beacon of a session; its centrals stay connected.
/// If a reload removes the beacon, the session ends when the beacon is off the air.
struct BeaconSession {
    /// An advertisement in memory of its own, so that the table of sessions, half of which is free, is small.
    private indirect enum LastAdvertisement {
        case none
        case effective(EffectiveAdvertisement)

        var value: EffectiveAdvertisement? {
            switch self {
            case .none: nil
            case .effective(let value): value
            }
        }
    }

    /// The device and its flash.
    private(set) var beacon: RunningBeacon
    /// Whether the beacon is in none of the profiles any more.
    private(set) var isRemoved = false
    /// Whether nothing that the beacon sends is received (`ctl mute`).
    var isMuted = false
    /// Whether its battery is flat (`ctl battery`).
    var hasFlatBattery = false
    /// Whether the device is switched on.
    private(set) var isEnabled = true
    /// The latest report of the radio.
    private(set) var report = AirReport.none
    /// Whether the device requests an advertisement.
    private(set) var isRequested = true
    /// The state that the run counts; `nil` before the first one, and of a removed beacon.
    var countedState: AirState?
    /// The effective advertisement on the air, or the last one.
    private var advertisement = LastAdvertisement.none
    private var connected: Set<String> = []
    private var activeSubscriptions: [Subscription: ClientCharacteristicConfiguration] = [:]
    /// The last events of pairings that have not ended, by central.
    private var pairings: [String: PairingEvent] = [:]
    private var conversations: [String: ClientConversation] = [:]

    /// A session of a beacon that is off the air.
    init(_ beacon: RunningBeacon) { self.beacon = beacon }

    /// Whether the radio reports that the beacon is on the air.
    var isOnAir: Bool { report == .advertising }

    /// The connected centrals, sorted by name.
    var centrals: [String] { connected.sorted() }

    /// The subscriptions of the connected centrals.
    var subscriptions: [Subscription: ClientCharacteristicConfiguration] { activeSubscriptions }

    /// A beacon's status with the values that the radio reports.
    func completed(_ beaconStatus: BeaconStatus) -> BeaconStatus {
        var complete = beaconStatus
        complete.isOnAir = isOnAir
        complete.effective = advertisement.value
        complete.centrals = centrals
        complete.isMuted = isMuted
        complete.hasFlatBattery = hasFlatBattery
        return complete
    }

    // MARK: - Reloads

    /// Replaces the beacon by the one of a reload, or restores a removed one.
    mutating func replace(with successor: RunningBeacon) {
        beacon = successor
        isRemoved = false
    }

    /// Removes the beacon from the run. It may still be on the air.
    mutating func remove() {
        isRemoved = true
        isEnabled = true
        isRequested = true
        isMuted = false
        hasFlatBattery = false
        advertisement = .none
        connected = []
        activeSubscriptions = [:]
        pairings = [:]
        endConversations()
    }

    // MARK: - Advertising

    /// Takes a report of the radio.
    /// - Returns: Whether the beacon was off the air before.
    mutating func advertise(_ status: AdvertisingStatus) -> Bool {
        defer { report = .advertising }
        advertisement = .effective(status.effective)
        return !isOnAir
    }

    /// Takes the beacon off the air.
    /// - Parameter report: Why it is.
    /// - Returns: Whether it was on the air before.
    mutating func stopAdvertising(_ report: AirReport = .none) -> Bool {
        defer { self.report = report }
        return isOnAir
    }

    /// Takes that the radio, which had stopped the beacon, is usable again.
    mutating func expectReport() { if report == .stopped { report = .none } }

    /// Takes whether the device is switched on.
    /// - Parameter advertises: Whether a device that is on requests an advertisement.
    mutating func `switch`(on isOn: Bool, advertises: Bool = true) {
        isEnabled = isOn
        if isOn { isRequested = advertises }
    }

    /// Takes what the device requests: an advertisement, or none.
    mutating func request(_ isRequested: Bool) {
        self.isRequested = isRequested
        // A refusal of an earlier advertisement says nothing about this one.
        if report == .refused { report = .none }
    }

    // MARK: - Centrals

    /// Adds a central.
    mutating func connect(_ central: String) { connected.insert(central) }

    /// Removes a central, its subscriptions, its pairing and its conversation.
    mutating func disconnect(_ central: String) {
        connected.remove(central)
        conversations.removeValue(forKey: central)?.end()
        activeSubscriptions = activeSubscriptions.filter { $0.key.central != central }
        pairings[central] = nil
    }

    /// Sets or, with an empty configuration, removes a subscription.
    mutating func subscribe(_ subscription: Subscription, _ configuration: ClientCharacteristicConfiguration) {
        activeSubscriptions[subscription] = configuration.isEmpty ? nil : configuration
    }

    /// The conversation with a connected central, which `start` creates; `nil` if the central is not connected.
    mutating func conversation(with central: Central, start: () -> ClientConversation) -> ClientConversation? {
        guard connected.contains(central.name) else { return nil }
        if let conversation = conversations[central.name] { return conversation }
        let conversation = start()
        conversations[central.name] = conversation
        return conversation
    }

    /// Ends the conversations with all centrals.
    mutating func endConversations() {
        for conversation in conversations.values { conversation.end() }
        conversations = [:]
    }

    // MARK: - Pairing

    /// Takes an event of a pairing.
    /// - Returns: The answer that the profile gives; `nil` if the pairing waits for the user, or for nothing.
    mutating func take(_ event: PairingEvent, from central: String) -> PairingAnswer? {
        let settings = beacon.profile.pairing ?? PairingSettings()
        switch event {
        case .passkeyWanted:
            if let passkey = settings.passkey { return .passkey(passkey) }
            pairings[central] = event
        case .comparisonWanted:
            switch settings.comparison {
            case .accept: return .comparison(true)
            case .reject: return .comparison(false)
            case .ask: pairings[central] = event
            }
        case .began, .passkeyShown: pairings[central] = event
        case .paired, .failed: pairings[central] = nil
        case .encrypted, .forgotten: break
        }
        return nil
    }

    /// Takes the user's answer.
    /// - Returns: The central whose pairing waits for such an answer, the first one by name; `nil` if there is none.
    mutating func answer(_ answer: PairingAnswer) -> String? {
        let waiting = pairings.filter { Self.isAnswer(answer, to: $0.value) }.keys.min()
        if let waiting, answer != .cancel { pairings[waiting] = nil }
        return waiting
    }

    private static func isAnswer(_ answer: PairingAnswer, to event: PairingEvent) -> Bool {
        switch (answer, event) {
        case (.cancel, _), (.passkey, .passkeyWanted), (.comparison, .comparisonWanted): true
        default: false
        }
    }
}
