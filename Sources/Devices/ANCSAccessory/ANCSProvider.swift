// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
package import BluetoothCore

/// The phone's side of ANCS towards one accessory at a time, without any input or output of its own.
///
/// What happens on the phone is written in a script, whose time begins when an accessory subscribes to the notification
/// source for the first time. A session lasts from such a subscription to its end; the notifications that there are
/// already are told at its start, and identifiers of one session mean nothing in the next.
package struct ANCSProvider: Sendable {
    /// What it wants done, in order.
    package enum Output: Hashable, Sendable {
        /// Tell the accessory this value of a characteristic.
        case tell(BluetoothUUID, [UInt8])
        /// Have the notification service, or have it no more: the accessory learns that the services changed.
        case setService(isThere: Bool)
        /// Something that whoever runs the phone may want to see.
        case report(Report)
    }

    /// What happens between phone and accessory.
    package enum Report: Hashable, Sendable {
        /// An accessory hears notifications from now on.
        case sessionBegan
        /// It hears none any more.
        case sessionEnded
        /// The accessory was told of a notification, by its name in the script.
        case told(ANCSNotificationEvent, String)
        /// The accessory asked for attributes, or for an app's.
        case asked(ANCSCommand)
        /// The accessory performed an action on a notification.
        case acted(ANCSAction, String)
        /// The accessory was refused, whatever it wrote.
        case refused(ATTError, [UInt8])
    }

    private struct Posted {
        let name: String
        var notification: ANCSNotification
    }

    /// Identifiers of one session.
    private struct Session {
        var identifiers: [String: UInt32] = [:]
        var names: [UInt32: String] = [:]
    }

    private let apps: [String: String]
    /// What is still to happen, in order.
    private var steps: ArraySlice<(time: Duration, event: ANCSScript.Event)> = []
    /// When the script's time began.
    private var beginning: Duration?
    private var posted: [Posted] = []
    private var session: Session?
    private var tellsData = false
    /// Goes on from session to session, so that an identifier of an old one cannot be taken for one of a new.
    private var nextIdentifier: UInt32

    /// A phone on which this script is played.
    /// - Parameter firstIdentifier: the first identifier of the first session.
    package init(_ script: ANCSScript, firstIdentifier: UInt32 = 0) {
        apps = script.apps
        nextIdentifier = firstIdentifier
        for step in script.steps where step.time == nil {
            if case .post(let name, let notification) = step.event {
                posted.append(Posted(name: name, notification: notification))
            }
        }
        let timed = script.steps.compactMap { step in step.time.map { (time: $0, event: step.event) } }
        // Of what happens at the same time, the first in the script is first.
        steps =
            timed.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
            .map(\.element)[...]
    }

    /// When `advance(to:)` has something to do, in uptime.
    package var nextDeadline: Duration? { beginning.flatMap { beginning in steps.first.map { beginning + $0.time } } }

    /// Whether an accessory hears notifications.
    package var isInSession: Bool { session != nil }

    /// Lets happen what is due.
    package mutating func advance(to now: DeviceTime) -> [Output] {
        var outputs: [Output] = []
        while let deadline = nextDeadline, deadline <= now.uptime, let step = steps.popFirst() {
            switch step.event {
            case .post(let name, let notification): outputs += post(name, notification, at: now)
            case .remove(let name): outputs += remove(name)
            case .setService(let isThere):
                // With its services, what an accessory wants to be told of them is forgotten.
                outputs += disconnect() + [.setService(isThere: isThere)]
            }
        }
        return outputs
    }

    /// The accessory wants to hear of a characteristic, or no more.
    package mutating func subscribe(_ characteristic: BluetoothUUID, _ isOn: Bool, at now: DeviceTime) -> [Output] {
        if characteristic == ANCSService.dataSource { tellsData = isOn }
        guard characteristic == ANCSService.notificationSource else { return [] }
        guard isOn else { return endSession() }
        // Of a bonded accessory, the subscription may be restored before the accessory knows where it is heard.
        guard session == nil else { return tellWhatThereIs(at: now) }
        session = Session()
        if beginning == nil { beginning = now.uptime }
        return [.report(.sessionBegan)] + tellWhatThereIs(at: now) + advance(to: now)
    }

    private mutating func tellWhatThereIs(at now: DeviceTime) -> [Output] {
        posted.indices.flatMap { index in
            if posted[index].notification.date == nil { stamp(&posted[index].notification, at: now) }
            return tell(.added, posted[index], flags: .preExisting)
        }
    }

    /// The accessory is gone.
    package mutating func disconnect() -> [Output] {
        tellsData = false
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
            return tell(.modified, new)
        }
        posted.append(new)
        return tell(.added, new)
    }

    private mutating func remove(_ name: String) -> [Output] {
        guard let index = posted.firstIndex(where: { $0.name == name }) else { return [] }
        let gone = posted.remove(at: index)
        let outputs = tell(.removed, gone)
        if let identifier = session?.identifiers.removeValue(forKey: name) { session?.names[identifier] = nil }
        return outputs
    }

    private func stamp(_ notification: inout ANCSNotification, at now: DeviceTime) {
        notification.date = ANCSNotification.date(sinceUnixEpoch: now.sinceUnixEpoch)
    }

    private mutating func tell(
        _ kind: ANCSNotificationEvent.Kind, _ posted: Posted, flags: ANCSNotificationEvent.Flags = []
    ) -> [Output] {
        guard session != nil else { return [] }
        let identifier = identifier(of: posted.name)
        let category = posted.notification.category
        let count = self.posted.count { $0.notification.category == category }
        let event = ANCSNotificationEvent(
            kind, notification: identifier, category: category, categoryCount: UInt8(clamping: count),
            flags: posted.notification.toldFlags.union(flags))
        return [
            .tell(ANCSService.notificationSource, event.serialized()), .report(.told(event, posted.name)),
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
    /// The accessory writes to the control point.
    /// - Parameter maximumLength: the octets that one notified value may have: 3 less than the MTU.
    /// - Returns: what the accessory is answered, and what is to be done when it has been.
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
            return [.report(.asked(command))] + tell(response, maximumLength)
        case .appAttributes(let app, let identifiers):
            guard !identifiers.isEmpty else { throw .ancsInvalidCommand }
            guard let name = apps[app], identifiers.allSatisfy({ $0 == 0 }) else { throw .ancsInvalidParameter }
            let attributes = identifiers.map { ANCSAttribute($0, value: Array(name.utf8)) }
            return [.report(.asked(command))] + tell(.appAttributes(app, attributes), maximumLength)
        case .performAction(let identifier, let action): return try act(action, on: identifier)
        case .unknown: throw .ancsUnknownCommand
        }
    }

    private func tell(_ response: ANCSResponse, _ maximumLength: Int) -> [Output] {
        guard tellsData else { return [] }
        return response.fragments(ofAtMost: maximumLength).map { .tell(ANCSService.dataSource, $0) }
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
        // What somebody has dealt with is no news any more.
        return [.report(.acted(action, posted.name))] + remove(posted.name)
    }
}
