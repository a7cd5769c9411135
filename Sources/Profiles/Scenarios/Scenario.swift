// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
package import Devices
package import Receiving
package import Space

/// A test in virtual time: beacons, receivers, a timeline of changes, and what the receivers are expected to see.
package struct Scenario: Sendable {
    /// The scenario's name.
    package let name: String
    /// The path of the file, for messages.
    package let file: String
    /// The beacons, the walls and the physics.
    package let profile: Profile
    /// The receivers, in the order of the file.
    package let receivers: [ReceiverDefinition]
    /// The regions that every receiver monitors.
    package let regions: [RegionList.Entry]
    /// The seed of the air.
    package let seed: UInt64
    /// The time from the start to the end.
    package let duration: Duration
    /// The changes in the order of time; of equal times, in the order of the file.
    package let steps: [ScenarioStep]
    /// What is expected, in the order of the file.
    package let expectations: [ScenarioExpectation]
    /// Texts of its file and of the file of its profile that a comment has cut, for warnings.
    package let cutTexts: [CutText]

    /// A scenario of these parts.
    package init(
        name: String, file: String, profile: Profile, receivers: [ReceiverDefinition], regions: [RegionList.Entry] = [],
        seed: UInt64 = 1, duration: Duration, steps: [ScenarioStep] = [], expectations: [ScenarioExpectation] = [],
        cutTexts: [CutText] = []
    ) {
        self.name = name
        self.file = file
        self.profile = profile
        self.receivers = receivers
        self.regions = regions
        self.seed = seed
        self.duration = duration
        self.steps = steps
        self.expectations = expectations
        self.cutTexts = cutTexts
    }
}

/// A change at a time.
package struct ScenarioStep: Hashable, Sendable {
    /// The time since the start.
    package let time: Duration
    /// The change.
    package let action: ScenarioAction
    /// The change in the words of the file.
    package let text: String
    /// The line in the file, counted from 1.
    package let line: Int
}

/// A change in the words of `beaconry ctl`.
package enum ScenarioAction: Hashable, Sendable {
    /// `move NAME X Y [Z]`: a beacon or a receiver, in metres.
    case move(String, Position)
    /// `set BEACON KEY=VALUE…`
    case set(String, [String: String])
    /// `enable BEACON` or `on BEACON`
    case enable(String)
    /// `disable BEACON` or `off BEACON`
    case disable(String)
    /// `mute BEACON [--for TIME]`
    case mute(String, for: Duration?)
    /// `unmute BEACON`
    case unmute(String)
    /// `battery BEACON flat` or `full`
    case battery(String, BatteryState)
    /// `link BEACON RECEIVER` with the options of an override; `nil` removes it.
    case link(String, receiver: String, LinkOverride?)
    /// `disconnect NAME [PEER] [--reason REASON]`
    case disconnect(String, peer: String?, reason: DisconnectionReason)
    /// `radio off` or `on`
    case radio(RadioPower)
    /// What a receiver does on its connection to a beacon.
    case onConnection(OnConnection, receiver: String, beacon: String)

    /// What a receiver does on a connection.
    package enum OnConnection: Hashable, Sendable {
        /// `connect RECEIVER BEACON`
        case connect
        /// `pair RECEIVER BEACON`
        case pair
        /// `read RECEIVER BEACON CHARACTERISTIC`
        case read(BluetoothUUID)
        /// `write RECEIVER BEACON CHARACTERISTIC HEX`, with response
        case write(BluetoothUUID, [UInt8])
        /// `subscribe RECEIVER BEACON CHARACTERISTIC`
        case subscribe(BluetoothUUID)
    }
}

/// What is expected of a receiver or of a beacon.
package struct ScenarioExpectation: Hashable, Sendable {
    /// What is expected.
    package enum Subject: Hashable, Sendable {
        /// The receiver enters a region.
        case enters(String)
        /// The receiver exits a region.
        case exits(String)
        /// The receiver gets the hello or the goodbye of a region.
        case announces(String, Announcement.Kind)
        /// The receiver receives the beacon.
        case sees(String)
        /// The beacon is the nearest of the receiver's ranging report.
        case nearest(String)
        /// The receiver's estimate of the beacon's distance, in metres.
        case distance(String, ClosedRange<Double>)
        /// The proximity of the beacon in the receiver's ranging report: one of these.
        case proximity(String, Set<Proximity>)
        /// The RSSI of the beacon at the receiver, in dBm.
        case rssi(String, ClosedRange<Double>)
        /// The number of the beacon's advertisements that the receiver receives.
        case reports(String, ClosedRange<Int>)
        /// The beacon is on the air, or off the air.
        case air(String, isOn: Bool)
        /// The receiver is connected to the beacon.
        case connected(String)
        /// This receiver receives the beacon best.
        case strongest(String)
        /// The share of the time, from 0 to 1, in which the estimated room of the receiver is not its room.
        case roomError(upTo: Double)
        /// The median distance in metres between the estimated place of the receiver and its place.
        case medianError(upTo: Double)
        /// The receiver reads this value of the beacon's characteristic, or is notified of it.
        case value(String, BluetoothUUID, [UInt8])
    }

    /// When it is expected.
    package enum Time: Hashable, Sendable {
        /// At a moment.
        case at(Duration)
        /// Once or more in a period.
        case once(ClosedRange<Duration>)
        /// In a whole period.
        case throughout(ClosedRange<Duration>)
        /// At no time in a period.
        case never(ClosedRange<Duration>)
    }

    /// The receiver; `nil` for what is expected of a beacon.
    package let receiver: String?
    /// The beacon that several receivers receive; `nil` for other expectations.
    package let beacon: String?
    /// What is expected.
    package let subject: Subject
    /// When it is expected.
    package let time: Time
    /// How often it must happen in the period; `nil` for once or more.
    package let count: ClosedRange<Int>?
    /// How long it must last without interruption, in the ranging reports; `nil` for one report.
    package let hold: Duration?
    /// The part of several runs in which it must be met, above 0 up to 1.
    package let requiredRate: Double
    /// The line in the file, counted from 1.
    package let line: Int

    package init(
        receiver: String? = nil, beacon: String? = nil, _ subject: Subject, _ time: Time,
        count: ClosedRange<Int>? = nil,
        hold: Duration? = nil, requiredRate: Double = 1, line: Int = 0
    ) {
        self.receiver = receiver
        self.beacon = beacon
        self.subject = subject
        self.time = time
        self.count = count
        self.hold = hold
        self.requiredRate = requiredRate
        self.line = line
    }
}

extension ScenarioExpectation: CustomStringConvertible {
    /// `visitor: enters lobby exactly once between 0s and 10s`
    package var description: String {
        let head = (receiver ?? beacon).map { "\($0): " } ?? ""
        let number = count.map { " \(Self.text($0))" } ?? ""
        let length = hold.map { " for \(DeviceWriter.text($0))" } ?? ""
        return "\(head)\(subject)\(number)\(length) \(time)"
    }

    private static func text(_ count: ClosedRange<Int>) -> String {
        func times(_ number: Int) -> String { number == 1 ? "once" : "\(number) times" }
        if count.upperBound == Int.max { return "at least \(times(count.lowerBound))" }
        if count.lowerBound == count.upperBound { return "exactly \(times(count.lowerBound))" }
        return "\(count.lowerBound) to \(count.upperBound) times"
    }
}

extension ScenarioExpectation.Subject: CustomStringConvertible {
    package var description: String {
        switch self {
        case .enters(let region): "enters \(region)"
        case .exits(let region): "exits \(region)"
        case .announces(let region, let kind): "gets the \(kind.rawValue) of \(region)"
        case .sees(let beacon): "sees \(beacon)"
        case .nearest(let beacon): "nearest is \(beacon)"
        case .distance(let beacon, let metres):
            "distance of \(beacon) is \(Self.text(metres.lowerBound)) to \(Self.text(metres.upperBound)) m"
        case .proximity(let beacon, let proximities):
            "proximity of \(beacon) is "
                + Proximity.allCases.filter(proximities.contains).map(\.rawValue).joined(separator: " or ")
        case .rssi(let beacon, let range):
            "RSSI of \(beacon) is \(Self.text(range.lowerBound)) to \(Self.text(range.upperBound)) dBm"
        case .reports(let beacon, let count) where count.upperBound == Int.max:
            "at least \(count.lowerBound) reports of \(beacon)"
        case .reports(let beacon, let count): "\(count.lowerBound) to \(count.upperBound) reports of \(beacon)"
        case .air(let beacon, let isOn): "\(beacon) is \(isOn ? "on" : "off") the air"
        case .connected(let beacon): "connected to \(beacon)"
        case .strongest(let receiver): "strongest at \(receiver)"
        case .roomError(let bound): "room error at most \(Self.text(bound * 100)) %"
        case .medianError(let bound): "median error at most \(Self.text(bound)) m"
        case .value(let beacon, let characteristic, let value):
            "value of \(characteristic) of \(beacon) is \(Hexadecimal.string(value))"
        }
    }

    /// With up to three decimals.
    private static func text(_ number: Double) -> String { ValueText.text((number * 1000).rounded() / 1000) }
}

extension ScenarioExpectation.Time: CustomStringConvertible {
    package var description: String {
        switch self {
        case .at(let time): "at \(DeviceWriter.text(time))"
        case .once(let period): "between \(Self.text(period))"
        case .throughout(let period): "all the time between \(Self.text(period))"
        case .never(let period): "never between \(Self.text(period))"
        }
    }

    private static func text(_ period: ClosedRange<Duration>) -> String {
        "\(DeviceWriter.text(period.lowerBound)) and \(DeviceWriter.text(period.upperBound))"
    }

    /// The period; a moment is one without length.
    package var period: ClosedRange<Duration> {
        switch self {
        case .at(let time): time...time
        case .once(let period), .throughout(let period), .never(let period): period
        }
    }

    /// The end of the moment or period.
    package var end: Duration { period.upperBound }
}
