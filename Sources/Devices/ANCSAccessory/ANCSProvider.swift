// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

/// The phone's side of ANCS for one accessory at a time, without I/O.
///
/// A script adds and removes the notifications of the phone. The script starts when an accessory first subscribes to
/// the notification source. A session lasts as long as such a subscription. When a session starts, the accessory is
/// notified of the existing notifications. The identifiers of notifications are valid in one session only.
package struct ANCSProvider: Sendable {
    /// An output; outputs are performed in order.
    package enum Output: Hashable, Sendable {
        /// Notify the accessory of a characteristic's value.
        case notify(BluetoothUUID, [UInt8])
        /// Remove the notification service or add it again; the accessory receives Service Changed.
        case setService(isPresent: Bool)
        /// Report an event to the owner of the phone.
        case report(Report)
    }

    /// An event between phone and accessory.
    package enum Report: Hashable, Sendable {
        /// The accessory subscribed to notifications.
        case sessionBegan
        /// The accessory unsubscribed or disconnected.
        case sessionEnded
        /// The accessory was notified of an event of the notification with this name in the script.
        case notified(ANCSNotificationEvent, String)
        /// The accessory requested attributes of a notification or an app.
        case asked(ANCSCommand)
        /// The accessory performed an action of a notification.
        case acted(ANCSAction, String)
        /// The accessory wrote these bytes, and got this error.
        case refused(ATTError, [UInt8])
    }

    private struct Posted {
        let name: String
        var notification: ANCSNotification
    }

    /// The identifiers of notifications in one session.
    private struct Session {
        var identifiers: [String: UInt32] = [:]
        var names: [UInt32: String] = [:]
    }

    private let apps: [String: String]
    /// The remaining steps, in order.
    private var steps: ArraySlice<(time: Duration, event: ANCSScript.Event)> = []
    /// The start of the script, in uptime; `nil` before the first subscription.
    private var startedAt: Duration?
    private var posted: [Posted] = []
    private var session: Session?
    private var isDataSourceSubscribed = false
    /// The identifier of the next notification. Sessions do not reset it, so that identifiers of earlier sessions are
    /// invalid.
    private var nextIdentifier: UInt32

    /// A phone with this script.
    /// - Parameter firstIdentifier: the identifier of the first notification.
    package init(_ script: ANCSScript, firstIdentifier: UInt32 = 0) {
        apps = script.apps
        nextIdentifier = firstIdentifier
        for step in script.steps where step.time == nil {
            if case .post(let name, let notification) = step.event {
                posted.append(Posted(name: name, notification: notification))
            }
        }
        let timed = script.steps.compactMap { step in step.time.map { (time: $0, event: step.event) } }
        // Steps at the same time stay in the order of the script.
        steps =
            timed.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
            .map(\.element)[...]
    }

    /// When `advance(to:)` is due, in uptime.
    package var nextDeadline: Duration? { startedAt.flatMap { start in steps.first.map { start + $0.time } } }

    /// Performs the steps that are due.
    package mutating func advance(to now: DeviceTime) -> [Output] {
        var outputs: [Output] = []
        while let deadline = nextDeadline, deadline <= now.uptime, let step = steps.popFirst() {
            switch step.event {
            case .post(let name, let notification): outputs += post(name, notification, at: now)
            case .remove(let name): outputs += remove(name)
            case .setService(let isPresent):
                // A change of the services ends all subscriptions.
                outputs += disconnect() + [.setService(isPresent: isPresent)]
            }
        }
        return outputs
    }

    /// The accessory subscribed to a characteristic, or unsubscribed.
    package mutating func subscribe(_ characteristic: BluetoothUUID, _ isOn: Bool, at now: DeviceTime) -> [Output] {
        if characteristic == ANCSService.dataSource { isDataSourceSubscribed = isOn }
        guard characteristic == ANCSService.notificationSource else { return [] }
        guard isOn else { return endSession() }
        // The subscription of a bonded accessory is restored before the accessory has discovered the handles. Then the
        // accessory ignores these notifications and subscribes again.
        guard session == nil else { return notifyExisting(at: now) }
        session = Session()
        if startedAt == nil { startedAt = now.uptime }
        return [.report(.sessionBegan)] + notifyExisting(at: now) + advance(to: now)
    }

    private mutating func notifyExisting(at now: DeviceTime) -> [Output] {
        posted.indices.flatMap { index in
            if posted[index].notification.date == nil { stamp(&posted[index].notification, at: now) }
            return notify(.added, posted[index], flags: .preExisting)
        }
    }

    /// The accessory disconnected.
    package mutating func disconnect() -> [Output] {
        isDataSourceSubscribed = false
        return endSession()
    }

    private mutating func endSession() -> [Output] {
        guard session != nil else { return [] }
        session = nil
        return [.report(.sessionEnded)]
    }
}

// MARK: - Notifications

extension ANCSProvider {
    private mutating func post(_ name: String, _ notification: ANCSNotification, at now: DeviceTime) -> [Output] {
        var notification = notification
        if notification.date == nil { stamp(&notification, at: now) }
        let new = Posted(name: name, notification: notification)
        if let index = posted.firstIndex(where: { $0.name == name }) {
            posted[index] = new
            return notify(.modified, new)
        }
        posted.append(new)
        return notify(.added, new)
    }

    private mutating func remove(_ name: String) -> [Output] {
        guard let index = posted.firstIndex(where: { $0.name == name }) else { return [] }
        let removed = posted.remove(at: index)
        let outputs = notify(.removed, removed)
        if let identifier = session?.identifiers.removeValue(forKey: name) { session?.names[identifier] = nil }
        return outputs
    }

    private func stamp(_ notification: inout ANCSNotification, at now: DeviceTime) {
        notification.date = ANCSNotification.date(sinceUnixEpoch: now.sinceUnixEpoch)
    }

    private mutating func notify(
        _ kind: ANCSNotificationEvent.Kind, _ posted: Posted, flags: ANCSNotificationEvent.Flags = []
    ) -> [Output] {
        guard session != nil else { return [] }
        let identifier = identifier(of: posted.name)
        let category = posted.notification.category
        let count = self.posted.count { $0.notification.category == category }
        let event = ANCSNotificationEvent(
            kind, notification: identifier, category: category, categoryCount: UInt8(clamping: count),
            flags: posted.notification.eventFlags.union(flags))
        return [
            .notify(ANCSService.notificationSource, event.serialized()), .report(.notified(event, posted.name)),
        ]
    }

    private mutating func identifier(of name: String) -> UInt32 {
        if let known = session?.identifiers[name] { return known }
        defer { nextIdentifier &+= 1 }
        session?.identifiers[name] = nextIdentifier
        session?.names[nextIdentifier] = name
        return nextIdentifier
    }

    private func notification(_ identifier: UInt32) -> Posted? {
        guard let name = session?.names[identifier] else { return nil }
        return posted.first { $0.name == name }
    }
}

// MARK: - The control point

extension ANCSProvider {
    /// The accessory wrote to the control point.
    /// - Parameter maximumLength: the maximum length of a notified value in bytes: the MTU minus 3.
    /// - Returns: The answer to the write, and the outputs to perform after it.
    package mutating func write(
        _ value: [UInt8], maximumLength: Int
    ) -> (answer: Result<Void, ATTError>, outputs: [Output]) {
        do throws(ATTError) {
            let command = try Self.command(value)
            return (.success(()), try perform(command, maximumLength: maximumLength))
        } catch {
            return (.failure(error), [.report(.refused(error, value))])
        }
    }

    private static func command(_ value: [UInt8]) throws(ATTError) -> ANCSCommand {
        do throws(WireError) {
            return try ANCSCommand(parsing: value)
        } catch {
            throw .ancsInvalidCommand
        }
    }

    private mutating func perform(_ command: ANCSCommand, maximumLength: Int) throws(ATTError) -> [Output] {
        switch command {
        case .notificationAttributes(let identifier, let requests):
            guard !requests.isEmpty else { throw .ancsInvalidCommand }
            guard let posted = notification(identifier) else { throw .ancsInvalidParameter }
            var attributes: [ANCSAttribute] = []
            for request in requests {
                guard let attribute = posted.notification.attribute(request) else { throw .ancsInvalidParameter }
                attributes.append(attribute)
            }
            let response = ANCSResponse.notificationAttributes(identifier, attributes)
            return [.report(.asked(command))] + notify(response, maximumLength)
        case .appAttributes(let app, let identifiers):
            guard !identifiers.isEmpty else { throw .ancsInvalidCommand }
            guard let name = apps[app], identifiers.allSatisfy({ $0 == 0 }) else { throw .ancsInvalidParameter }
            let attributes = identifiers.map { ANCSAttribute($0, value: Array(name.utf8)) }
            return [.report(.asked(command))] + notify(.appAttributes(app, attributes), maximumLength)
        case .performAction(let identifier, let action): return try act(action, on: identifier)
        case .unknown: throw .ancsUnknownCommand
        }
    }

    private func notify(_ response: ANCSResponse, _ maximumLength: Int) -> [Output] {
        guard isDataSourceSubscribed else { return [] }
        return response.fragments(ofAtMost: maximumLength).map { .notify(ANCSService.dataSource, $0) }
    }

    private mutating func act(_ action: ANCSAction, on identifier: UInt32) throws(ATTError) -> [Output] {
        guard let posted = notification(identifier) else { throw .ancsInvalidParameter }
        let label: String?
        switch action {
        case .positive: label = posted.notification.positiveLabel
        case .negative: label = posted.notification.negativeLabel
        default: throw .ancsInvalidParameter
        }
        guard label != nil, !posted.notification.actionsFail else { throw .ancsActionFailed }
        // Phones remove a notification after an action.
        return [.report(.acted(action, posted.name))] + remove(posted.name)
    }
}
