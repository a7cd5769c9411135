// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
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
/// these end when the central disconnects. It also has what clients have changed: muting, battery, and an override of the
/// schedule, with their timers. A reload may replace the beacon of a session; its centrals
/// stay connected. If a reload removes the beacon, the session ends when the beacon is off the air.
///
/// A session belongs to its emulator, in whose isolation it is used.
final class BeaconSession {
    /// The schedule of a beacon, and the task that waits for its next change.
    private final class Plan {
        var schedule: BeaconSchedule
        var timer: Task<Void, Never>?

        init(_ schedule: BeaconSchedule) { self.schedule = schedule }
    }

    /// The device and its flash.
    private(set) var beacon: RunningBeacon
    /// Whether the beacon is in none of the profiles any more.
    private(set) var isRemoved = false
    /// Whether nothing that the beacon sends is received (`ctl mute`).
    private(set) var isMuted = false
    /// Whether its battery is flat (`ctl battery`).
    var hasFlatBattery = false
    /// Whether it is beyond the range of the receiver of a bench.
    var isOutOfRange = false
    /// Whether the device is switched on.
    private(set) var isEnabled = true
    /// The latest report of the radio.
    private var report = AirReport.none
    /// Whether the device requests an advertisement.
    private var isRequested = true
    /// The state that the run counts; `nil` before the first one, and of a removed beacon.
    var countedState: AirState?
    /// The advertisement on the air, or the last one.
    private var advertisement: AdvertisingStatus?
    private var connected: Set<String> = []
    private var activeSubscriptions: [Subscription: ClientCharacteristicConfiguration] = [:]
    /// The last events of pairings that have not ended, by central.
    private var pairings: [String: PairingEvent] = [:]
    private var conversations: [String: ClientConversation] = [:]
    /// `nil` for a beacon without a schedule.
    private var plan: Plan?
    /// The task that ends the muting.
    private var unmuting: Task<Void, Never>?
    /// Whether a client changes the beacon at present.
    private(set) var isBeingChanged = false
    private var waitingForChange: [CheckedContinuation<Void, Never>] = []

    /// A session of a beacon that is off the air.
    init(_ beacon: RunningBeacon) { self.beacon = beacon }

    /// Whether the radio has reported something of the beacon since it was switched on.
    var hasReport: Bool { report != .none }

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
        complete.effective = advertisement?.effective
        complete.centrals = centrals
        complete.isMuted = isMuted
        complete.hasFlatBattery = hasFlatBattery
        complete.schedule = plan?.schedule.status
        return complete
    }

    /// The state of the beacon: the only place that decides it.
    func airState(isEnabled: Bool, isRadioUp: Bool) -> AirState {
        AirConditions(
            isEnabled: isEnabled, isScheduledOff: isScheduledOff, hasFlatBattery: hasFlatBattery, isMuted: isMuted,
            isRequested: isRequested, isRadioUp: isRadioUp, isOutOfRange: isOutOfRange, report: report
        ).state
    }

    // MARK: - Reloads

    /// Replaces the beacon by the one of a reload, or restores a removed one.
    func replace(with successor: RunningBeacon) {
        beacon = successor
        isRemoved = false
    }

    /// Removes the beacon from the run. It may still be on the air.
    func remove() {
        isRemoved = true
        isEnabled = true
        isRequested = true
        hasFlatBattery = false
        advertisement = nil
        connected = []
        activeSubscriptions = [:]
        pairings = [:]
        end()
        isMuted = false
        isOutOfRange = false
        plan = nil
    }

    /// Ends what waits: conversations and timers.
    func end() {
        endConversations()
        unmuting?.cancel()
        plan?.timer?.cancel()
    }

    // MARK: - Changes by clients

    /// Begins a change; none is under way.
    func beginChange() { isBeingChanged = true }

    /// Ends a change.
    func endChange() {
        isBeingChanged = false
        let waiting = waitingForChange
        waitingForChange = []
        for each in waiting { each.resume() }
    }

    /// Returns at the end of the change that is under way.
    func untilChanged() async { await withCheckedContinuation { waitingForChange.append($0) } }

    // MARK: - Schedule and muting

    /// Whether the schedule has the beacon off.
    var isScheduledOff: Bool { plan?.schedule.isScheduledOff == true }
    /// Whether there is a schedule.
    var hasSchedule: Bool { plan != nil }
    /// Whether the beacon is on unless the user switches it.
    var isToBeOn: Bool { !hasFlatBattery && plan?.schedule.isOn ?? true }
    /// The present step of its rotation; `nil` without one.
    var rotation: (rotation: Rotation, step: Int)? { plan?.schedule.rotation }

    /// Follows a schedule; `nil` for none. The same schedule as before is continued.
    func follow(_ schedule: Schedule?, at time: ScheduleTime, _ offset: @escaping Schedule.UTCOffset) {
        plan?.timer?.cancel()
        guard let schedule else {
            plan = nil
            return
        }
        if let plan, plan.schedule.schedule == schedule {
            _ = plan.schedule.advance(to: time)
        } else {
            plan = Plan(BeaconSchedule(schedule, at: time, offset))
        }
    }

    /// Notes that the user has switched the beacon, until the next change of its schedule.
    func overrideSchedule(by isOn: Bool) { plan?.schedule.override(by: isOn) }

    /// Takes the present time.
    /// - Returns: what it has changed; `nil` without a schedule.
    func advanceSchedule(to time: ScheduleTime) -> BeaconSchedule.Change? { plan?.schedule.advance(to: time) }

    /// Whether the schedule depends on the time of day.
    var followsTimeOfDay: Bool { plan?.schedule.followsTimeOfDay == true }

    /// Whether its next change is over, which the timer has not noticed.
    func hasMissedScheduleChange(at uptime: Duration) -> Bool {
        plan?.schedule.deadline.map { $0 < uptime } ?? false
    }

    /// Cancels the timer of the next change.
    func cancelScheduleTimer() { plan?.timer?.cancel() }

    /// Calls a function when the schedule changes next.
    func awaitScheduleChange(_ clock: RunClock, _ change: @escaping @Sendable () async -> Void) {
        guard let plan, let deadline = plan.schedule.deadline else { return }
        let time = deadline - clock.uptime
        plan.timer = Task {
            guard await clock.sleep(for: time) else { return }
            await change()
        }
    }

    /// Mutes or unmutes the beacon, and cancels the timer of an earlier muting.
    /// - Parameter unmute: the timer that ends the muting.
    func setMuted(_ isMuted: Bool, until unmute: Task<Void, Never>? = nil) {
        unmuting?.cancel()
        unmuting = unmute
        self.isMuted = isMuted
    }

    // MARK: - Advertising

    /// Takes a report of the radio.
    /// - Returns: Whether the beacon was off the air before.
    func advertise(_ status: AdvertisingStatus) -> Bool {
        defer { report = .advertising }
        advertisement = status
        return !isOnAir
    }

    /// Notes that the beacon is off the air.
    /// - Parameter report: Why it is.
    /// - Returns: Whether it was on the air before.
    func stopAdvertising(_ report: AirReport = .none) -> Bool {
        defer { self.report = report }
        return isOnAir
    }

    /// Notes that the radio is usable again after it had stopped the beacon.
    func expectReport() { if report == .stopped { report = .none } }

    /// Notes whether the device is switched on.
    /// - Parameter advertises: Whether a device that is on requests an advertisement.
    func `switch`(on isOn: Bool, advertises: Bool = true) {
        isEnabled = isOn
        if isOn { isRequested = advertises }
    }

    /// Takes what the device requests: an advertisement, or none.
    func request(_ isRequested: Bool) {
        self.isRequested = isRequested
        // A refusal of an earlier advertisement says nothing about this one.
        if report == .refused { report = .none }
    }

    // MARK: - Centrals

    /// Adds a central.
    func connect(_ central: String) { connected.insert(central) }

    /// Removes a central, its subscriptions, its pairing and its conversation.
    func disconnect(_ central: String) {
        connected.remove(central)
        conversations.removeValue(forKey: central)?.end()
        activeSubscriptions = activeSubscriptions.filter { $0.key.central != central }
        pairings[central] = nil
    }

    /// Sets or, with an empty configuration, removes a subscription.
    func subscribe(_ subscription: Subscription, _ configuration: ClientCharacteristicConfiguration) {
        activeSubscriptions[subscription] = configuration.isEmpty ? nil : configuration
    }

    /// The conversation with a connected central, which `start` creates; `nil` if the central is not connected.
    func conversation(with central: Central, start: () -> ClientConversation) -> ClientConversation? {
        guard connected.contains(central.name) else { return nil }
        if let conversation = conversations[central.name] { return conversation }
        let conversation = start()
        conversations[central.name] = conversation
        return conversation
    }

    /// Ends the conversations with all centrals.
    private func endConversations() {
        for conversation in conversations.values { conversation.end() }
        conversations = [:]
    }

    // MARK: - Pairing

    /// Takes an event of a pairing.
    /// - Returns: The answer that the profile gives; `nil` if the pairing waits for the user, or for nothing.
    func take(_ event: PairingEvent, from central: String) -> PairingAnswer? {
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
        // No pairing settings of a profile require it.
        case .confirmationWanted: return .comparison(true)
        case .began, .passkeyShown: pairings[central] = event
        case .paired, .failed: pairings[central] = nil
        case .encrypted, .forgotten: break
        }
        return nil
    }

    /// Takes the user's answer.
    /// - Returns: The central whose pairing waits for such an answer, the first one by name; `nil` if there is none.
    func answer(_ answer: PairingAnswer) -> String? {
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
