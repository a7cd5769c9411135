// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Concurrency
import Radio
import Space

/// Reports when receivers enter and leave rooms.
///
/// For each receiver it has the room, and when its motion meets a wall next: it sleeps until the first of these times, and looks again when
/// something on the air moves in another way. Without rooms it does nothing.
actor RoomWatch {
    /// A receiver, with the room that it is in.
    private struct Followed {
        var motion: Motion
        var room: String?
        var next: RoomChange
    }

    private nonisolated let executor = ActorExecutor.cooperative()
    private let places: AirPlaces
    private let clock: RunClock
    private let isAnnounced: @Sendable (String) async -> Bool
    private let post: @Sendable (String, ReceiverEvent) -> Void
    private var building = Building()
    private var followed: [String: Followed] = [:]
    private var timer: (due: Double, task: Task<Void, Never>)?
    /// Whether an update is under way, and whether another one is due after it.
    private var isUpdating = false, isDue = false
    private var isOver = false

    /// Times on the air in seconds that count as the same: a clock may be a little early.
    private static let tolerance = 2e-6
    /// The minimum time between two looks, in seconds.
    private static let shortest = 1e-4

    /// - Parameters:
    ///   - isAnnounced: whether clients know a receiver.
    ///   - post: called with each change, and the name of the receiver.
    init(
        _ places: AirPlaces, _ clock: RunClock, isAnnounced: @escaping @Sendable (String) async -> Bool,
        post: @escaping @Sendable (String, ReceiverEvent) -> Void
    ) {
        self.places = places
        self.clock = clock
        self.isAnnounced = isAnnounced
        self.post = post
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.unowned }

    /// Takes the rooms of profiles, and reports the rooms that receivers are in then.
    func setBuilding(_ next: Building) async {
        guard next != building else { return }
        building = next
        if next.rooms.isEmpty {
            places.observe(nil)
        } else {
            places.observe { [weak self] in Task { await self?.update() } }
        }
        for name in followed.keys { followed[name]?.next = .notBefore(0) }
        await update()
    }

    /// Ends the reports.
    func end() {
        isOver = true
        places.observe(nil)
        timer?.task.cancel()
        timer = nil
    }

    /// Looks at what is on the air now, and how it moves.
    func update() async {
        isDue = true
        guard !isUpdating else { return }
        isUpdating = true
        defer { isUpdating = false }
        while isDue, !isOver {
            isDue = false
            let receivers = building.rooms.isEmpty && followed.isEmpty ? [:] : places.receivers
            for name in followed.keys where receivers[name] == nil { followed[name] = nil }
            for (name, motion) in receivers.sorted(by: { $0.key < $1.key }) {
                guard await isAnnounced(name) else { continue }
                look(at: name, motion)
            }
        }
        arm()
    }

    private func look(at name: String, _ motion: Motion) {
        let known = followed[name]
        if let known, known.motion == motion, known.next != .notBefore(0) { return }
        let now = places.seconds
        let room = building.room(at: motion.position(atSeconds: now))?.id
        followed[name] = Followed(
            motion: motion, room: room, next: building.nextChange(of: motion, after: now, in: room))
        report(name, from: known?.room, to: room, at: motion.position(atSeconds: now))
    }

    private func report(_ name: String, from former: String?, to next: String?, at place: Position) {
        guard former != next else { return }
        let position = [place.x, place.y, place.z].map(PlaceRecord.rounded)
        if let former { post(name, .left(room: former, position: position)) }
        if let next { post(name, .entered(room: next, position: position)) }
    }

    // MARK: - Time

    private func due(_ change: RoomChange) -> Double? {
        switch change {
        case .never: nil
        case .at(let time, _), .notBefore(let time): time
        }
    }

    private func arm() {
        timer?.task.cancel()
        timer = nil
        guard !isOver, let due = followed.values.compactMap({ due($0.next) }).min() else { return }
        let pause = max(due - places.seconds, Self.shortest)
        let task = Task { [clock] in
            // Not before the time: a duration has more digits than the clock of the air.
            guard await clock.sleep(for: .nanoseconds(Int64((pause * 1e9).rounded(.up)))) else { return }
            self.wake()
        }
        timer = (due, task)
    }

    private func wake() {
        guard !isOver else { return }
        let now = places.seconds + Self.tolerance
        let passed = followed.filter { due($0.value.next).map { $0 <= now } ?? false }
        // In the order of the times, and of the names.
        for (name, _) in passed.sorted(by: { (due($0.value.next) ?? 0, $0.key) < (due($1.value.next) ?? 0, $1.key) }) {
            pass(name, until: now)
        }
        arm()
    }

    /// Reports the changes of a receiver up to a time.
    private func pass(_ name: String, until now: Double) {
        while let known = followed[name], let time = due(known.next), time <= now {
            var room = known.room
            if case .at(_, let next) = known.next { room = next }
            followed[name]?.room = room
            followed[name]?.next = building.nextChange(of: known.motion, after: time, in: room)
            report(name, from: known.room, to: room, at: known.motion.position(atSeconds: time))
        }
    }
}
