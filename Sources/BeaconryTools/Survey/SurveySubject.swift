// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Devices
import Glibc
import Profiles
import Receiving
import Space

/// The runs of a survey: a scenario, or scenarios that are made for a profile.
struct SurveySubject: Sendable {
    /// The name of the scenario or the profile.
    let name: String
    /// The file.
    let file: String
    /// The scenarios, which are run with each seed; more than one for a grid: one for each room.
    let scenarios: [(scenario: Scenario, plan: SurveyPlan)]
    /// The seed of the scenario; 1 for a profile.
    let seed: UInt64
    /// What is surveyed, for reports: `visitor`, `a grid of 0.5 m`.
    let summary: String

    /// The physics of its air: the name of a preset, `off`, or `of its own`.
    var physics: String {
        (scenarios[0].scenario.profile.surroundings.physics ?? Propagation()).presetName ?? "of its own"
    }

    /// The settings of a survey.
    package struct Options: Sendable {
        /// The time from one estimate to the next.
        var period = Duration.seconds(1)
        /// The phone of the receivers; `nil` for their own, and for one that receives every packet on a grid.
        var phone: PhoneModel?
        /// The distance between the places of a grid, in metres; `nil` for half a metre.
        var grid: Double?
        /// The time at each place of a grid; `nil` for 10 s.
        var dwell: Duration?
        /// The time of a profile's walk; `nil` for that of the longest path.
        var duration: Duration?
    }

    /// The survey of a scenario: of its receivers as they move.
    init(_ scenario: Scenario, _ options: Options) throws(Failure) {
        if options.duration != nil {
            throw Failure.usage("--duration is of a profile; \(scenario.file) is a scenario, which has a duration")
        }
        try options.checkGrid("\(scenario.file) is a scenario")
        let plan = SurveyPlan(for: scenario.profile, moved: scenario.movedNames, every: options.period)
        try Self.check(plan, scenario.profile, scenario.file)
        try options.checkPeriod(scenario.duration)
        (name, file, seed) = (scenario.name, scenario.file, scenario.seed)
        summary = plan.subjects.joined(separator: ", ")
        scenarios = [(scenario.with(options.phone), plan)]
    }

    /// The survey of a profile: of what moves in it, or of a grid in its rooms.
    init(_ profile: Profile, file: String, _ options: Options) throws(Failure) {
        (name, self.file, seed) = (profile.name, file, 1)
        let plan = SurveyPlan(for: profile, every: options.period)
        let moving = (profile.receivers.map(\.movement) + profile.beacons.map(\.movement)).compactMap(\.self)
            .filter(\.motion.isMoving)
        if !moving.isEmpty {
            try Self.check(plan, profile, file)
            try options.checkGrid("something moves in \(file)")
            let end = options.duration ?? moving.map { $0.motion.round }.max() ?? .seconds(60)
            try options.checkPeriod(end)
            let needed = Set(plan.subjects + plan.anchors)
            let receivers = profile.receivers.filter { needed.contains($0.id) }
            let scenario = Scenario(
                name: profile.name, file: file, profile: profile.with(receivers: receivers), receivers: receivers,
                duration: end)
            summary = plan.subjects.joined(separator: ", ")
            scenarios = [(scenario.with(options.phone), plan)]
            return
        }
        let building = Building(for: [profile])
        guard !building.rooms.isEmpty else {
            throw Failure.badData(
                "\(file): nothing moves in it, and it has no rooms for a grid; add a receiver with a path, or rooms (docs/profiles.md)"
            )
        }
        if options.duration != nil {
            throw Failure.usage("--duration is of a walk, and nothing moves in \(file); write --dwell")
        }
        let (step, dwell) = (options.grid ?? 0.5, options.dwell ?? .seconds(10))
        try options.checkPeriod(dwell)
        scenarios = building.rooms.compactMap { room in
            let places = room.grid(step, on: building)
            guard !places.isEmpty else { return nil }
            let receivers = [0.0, 90, 180, 270].map { heading in
                Self.surveyor(
                    at: places, for: dwell, heading: heading, options.phone, besides: profile.beacons.map(\.id))
            }
            var plan = SurveyPlan(
                for: profile.with(receivers: receivers), subjects: Set(receivers.map(\.id)), every: options.period)
            plan.dwell = dwell
            let scenario = Scenario(
                name: "\(profile.name), \(room.id)", file: file, profile: profile.with(receivers: receivers),
                receivers: receivers, duration: dwell * places.count)
            return (scenario, plan)
        }
        summary = "a grid of \(Formatting.metres(step)) m with four headings"
        guard !scenarios.isEmpty else {
            throw Failure.badData(
                "\(file): no room has a place of a grid of \(Formatting.metres(step)) m; write a smaller --grid"
            )
        }
    }

    /// A receiver in the hand of a person who stays at each place, and faces one direction.
    private static func surveyor(
        at places: [Position], for time: Duration, heading: Double, _ phone: PhoneModel?, besides beacons: [String]
    ) -> ReceiverDefinition {
        let dwell = time / .seconds(1)
        let points = places.enumerated().flatMap { number, place in
            [Motion.Path.Point(Double(number) * dwell, place), Motion.Path.Point(Double(number + 1) * dwell, place)]
        }
        var name = "survey-\(Int(heading))"
        while beacons.contains(name) { name += "-" }
        var traits = ReceiverTraits()
        traits.carried = .hand
        traits.heading = heading
        return ReceiverDefinition(
            id: name, movement: Motion.Path(points).map { Movement(unwritten: .path($0)) },
            listener: phone.map { ListenerSettings(phone: $0) }, traits: traits)
    }

    private static func check(_ plan: SurveyPlan, _ profile: Profile, _ file: String) throws(Failure) {
        guard !plan.subjects.isEmpty else {
            throw Failure.badData(
                "\(file): it has no receiver to locate; add one with a path, or rooms for a grid (docs/surveys.md)")
        }
        guard !plan.anchors.isEmpty else {
            let others = plan.areBeacons ? "receivers" : "beacons"
            throw Failure.badData(
                "\(file): it has no \(others) that do not move, by which something is located; give some a position")
        }
    }
}

extension SurveySubject.Options {
    /// - Throws: `Failure` if there are options of a grid.
    /// - Parameter reason: why there is none, as a clause.
    fileprivate func checkGrid(_ reason: String) throws(Failure) {
        guard grid != nil || dwell != nil else { return }
        throw Failure.usage("--grid and --dwell are of a profile in which nothing moves, and \(reason)")
    }

    /// - Throws: `Failure` if no estimate is due in a time.
    fileprivate func checkPeriod(_ time: Duration) throws(Failure) {
        guard period > time else { return }
        throw Failure.usage(
            "--every \(DeviceWriter.text(period)) is longer than the survey of \(DeviceWriter.text(time)); write a shorter time"
        )
    }
}

extension Scenario {
    /// The same with another phone for each receiver; `nil` for their own.
    fileprivate func with(_ phone: PhoneModel?) -> Scenario {
        guard let phone else { return self }
        let receivers = receivers.map { receiver in
            ReceiverDefinition(
                id: receiver.id, label: receiver.label, movement: receiver.movement,
                listener: (receiver.listener ?? ListenerSettings()).with(phone), traits: receiver.traits)
        }
        return Scenario(
            name: name, file: file, profile: profile.with(receivers: receivers), receivers: receivers, regions: regions,
            seed: seed, duration: duration, steps: steps, expectations: expectations, cutTexts: cutTexts)
    }
}

extension Motion {
    /// The time of one round, or until the end; at most an hour.
    fileprivate var round: Duration {
        let seconds: Double
        switch self {
        case .rest: seconds = 0
        case .path(let path): seconds = path.points[path.points.count - 1].time
        case .orbit(let orbit): return min(orbit.period, .seconds(3600))
        }
        return .seconds(min(max(seconds.rounded(.up), 1), 3600))
    }
}

extension Room {
    /// The places of a grid in the room, a metre above its floor.
    fileprivate func grid(_ step: Double, on building: Building) -> [Position] {
        let height = (building.floors.first { $0.id == floor }?.height ?? 0) + 1
        let (x, y) = (outline.map(\.x), outline.map(\.y))
        guard let left = x.min(), let right = x.max(), let bottom = y.min(), let top = y.max() else { return [] }
        return stride(from: bottom + step / 2, to: top, by: step).flatMap { y in
            stride(from: left + step / 2, to: right, by: step).map { Position(x: $0, y: y, z: height) }
        }.filter(contains)
    }
}
