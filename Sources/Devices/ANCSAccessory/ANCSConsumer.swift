// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

/// The accessory's side of ANCS on one connection: a GATT client without I/O.
///
/// It secures the connection, discovers the service and subscribes (`ANCSSubscriptions`). Then it requests attributes of
/// each added or modified notification at the control point, one request after the other (`ANCSRequestQueue`). When the
/// phone's services change, it discards the session and discovers the services again.
///
/// The owner sends the requests in order, and passes each result to `take(_:of:at:)`.
package struct ANCSConsumer: Sendable {
    /// The attributes that a consumer requests.
    package struct Configuration: Hashable, Sendable {
        /// The requested attributes of each notification; empty for no requests.
        package var attributes: [ANCSAttributeRequest]
        /// Whether it also requests the names of apps.
        package var asksAppNames: Bool
        /// The time from the write response to a command until its response must be complete.
        package var timeout: Duration

        /// A configuration; by default app, title (64 bytes), message (256 bytes), date and the names of apps.
        package init(
            attributes: [ANCSAttributeRequest] = [
                ANCSAttributeRequest(.appIdentifier), ANCSAttributeRequest(.title, maximumLength: 64),
                ANCSAttributeRequest(.message, maximumLength: 256), ANCSAttributeRequest(.date),
            ],
            asksAppNames: Bool = true, timeout: Duration = .seconds(30)
        ) {
            self.attributes = attributes
            self.asksAppNames = asksAppNames
            self.timeout = timeout
        }
    }

    /// An output; outputs are performed in order.
    package enum Output: Hashable, Sendable {
        /// Send a request to the phone.
        case request(ClientRequest)
        /// Display a report.
        case report(ANCSReport)
        /// Warn the owner.
        case warn(Warning)
    }

    /// The number of notifications and of waiting requests that are stored; the oldest notifications are discarded.
    package static let capacity = 1024

    /// A request without a result.
    private struct Pending: Sendable {
        enum Purpose {
            case subscription(ANCSSubscriptions.Step)
            case command
        }

        let request: ClientRequest
        /// `nil` if the result is to be ignored, because the phone's services have changed since.
        var purpose: Purpose?
    }

    private var subscriptions = ANCSSubscriptions()
    private var queue: ANCSRequestQueue
    private var notifications = Notifications()
    /// The requests without a result, in order.
    private var pending: [Pending] = []

    /// A consumer on a new connection.
    package init(_ configuration: Configuration = Configuration()) { queue = ANCSRequestQueue(configuration) }

    /// When `advance(to:)` is due, in uptime.
    package var nextDeadline: Duration? { queue.nextDeadline }

    /// Starts: the first output is a request to secure the connection.
    package mutating func begin() -> [Output] { perform(subscriptions.begin()) }

    /// Takes the result of the oldest request without one; other results are ignored.
    package mutating func take(_ result: ClientResult, of request: ClientRequest, at now: Duration) -> [Output] {
        guard let first = pending.first, first.request == request else { return [] }
        pending.removeFirst()
        switch first.purpose {
        case .subscription(let step): return perform(subscriptions.take(result, of: step)) + writeNextCommand()
        case .command: return perform(queue.takeWriteResult(result, at: now)) + writeNextCommand()
        case nil: return []
        }
    }

    /// Takes a notification or indication of the phone.
    package mutating func take(_ value: [UInt8], of handle: AttributeHandle, at now: Duration) -> [Output] {
        switch subscriptions.source(of: handle) {
        case .serviceChanged: return restart()
        case .notificationSource: return takeEvent(value)
        case .dataSource: return perform(queue.receive(value)) + writeNextCommand()
        case nil: return []
        }
    }

    /// Ends a request whose response is late.
    package mutating func advance(to now: Duration) -> [Output] {
        perform(queue.advance(to: now)) + writeNextCommand()
    }

    /// The reason why an action cannot be performed; `nil` if it can.
    package func obstacle(to action: ANCSAction, on notification: UInt32) -> String? {
        guard subscriptions.isAvailable else { return "the phone sends no notifications" }
        guard subscriptions.controlPoint != nil else { return "the phone accepts no actions" }
        guard let event = notifications[notification] else {
            return "there is no notification \(notification) in this session"
        }
        let needed: ANCSNotificationEvent.Flags = action == .positive ? .positiveAction : .negativeAction
        guard event.flags.contains(needed) else { return "notification \(notification) has no \(action.name) action" }
        return queue.isFullOfActions ? "too many actions are waiting for the phone" : nil
    }

    /// Requests an action, in front of waiting requests for attributes.
    package mutating func perform(_ action: ANCSAction, on notification: UInt32, at now: Duration) -> [Output] {
        queue.requestAction(action, on: notification)
        return writeNextCommand()
    }

    // MARK: - Session

    private mutating func restart() -> [Output] {
        for index in pending.indices { pending[index].purpose = nil }
        notifications = Notifications()
        queue.reset()
        return perform(subscriptions.restart())
    }

    private mutating func takeEvent(_ value: [UInt8]) -> [Output] {
        let event: ANCSNotificationEvent
        do throws(WireError) {
            event = try ANCSNotificationEvent(parsing: value)
        } catch {
            return [
                .warn(
                    Warning(
                        code: "ancs-malformed",
                        message: "the phone's notification source sent malformed data (\(error)); it is ignored",
                        hint: "fix the phone's side"))
            ]
        }
        let outputs = perform(subscriptions.notificationReceived()) + [.report(.event(event))]
        switch event.kind {
        case .added, .modified:
            notifications.update(event)
            queue.requestAttributes(of: event.notification)
        case .removed: notifications.remove(event.notification)
        default: return outputs
        }
        return outputs + writeNextCommand()
    }

    /// Writes the next command to the control point, if none is in progress.
    private mutating func writeNextCommand() -> [Output] {
        guard subscriptions.isAvailable, let controlPoint = subscriptions.controlPoint else { return [] }
        let hasDataSource = subscriptions.canRequestAttributes
        let command = queue.startNext { [notifications] in hasDataSource && notifications[$0] != nil }
        guard let command else { return [] }
        return [send(.write(controlPoint, command.serialized()), for: .command)]
    }

    private mutating func send(_ request: ClientRequest, for purpose: Pending.Purpose) -> Output {
        pending.append(Pending(request: request, purpose: purpose))
        return .request(request)
    }

    private mutating func perform(_ actions: [ANCSSubscriptions.Action]) -> [Output] {
        var outputs: [Output] = []
        for action in actions {
            switch action {
            case .request(let request, let step): outputs.append(send(request, for: .subscription(step)))
            case .available(let canAsk): outputs.append(.report(.available(canAsk: canAsk)))
            case .unavailable(let reason): outputs.append(.report(.unavailable(reason)))
            case .warn(let warning): outputs.append(.warn(warning))
            }
        }
        return outputs
    }

    /// Reports outcomes. A notification that was removed meanwhile is not reported any more.
    private func perform(_ outcomes: [ANCSRequestQueue.Outcome]) -> [Output] {
        outcomes.compactMap { outcome -> Output? in
            switch outcome {
            case .attributes(let notification, let attributes, let appName):
                notifications[notification].map { .report(.content($0, attributes, appName: appName)) }
            case .failed(let notification, let reason):
                notifications[notification].map { _ in .report(.contentMissing(notification, reason)) }
            case .acted(let action, let notification, let failure):
                .report(.acted(action, notification, failure: failure))
            case .warn(let warning): .warn(warning)
            }
        }
    }

    /// The notifications of a session, up to `capacity`.
    private struct Notifications: Sendable {
        private var events: [UInt32: ANCSNotificationEvent] = [:]
        /// The identifiers in the order in which the notifications were added.
        private var order: [UInt32] = []

        /// The latest event of a notification.
        subscript(_ notification: UInt32) -> ANCSNotificationEvent? { events[notification] }

        mutating func update(_ event: ANCSNotificationEvent) {
            if events.updateValue(event, forKey: event.notification) == nil { order.append(event.notification) }
            if order.count > ANCSConsumer.capacity { events[order.removeFirst()] = nil }
        }

        mutating func remove(_ notification: UInt32) {
            guard events.removeValue(forKey: notification) != nil else { return }
            order.removeAll { $0 == notification }
        }
    }
}

extension ClientResult {
    /// The reason of a failure, as a clause.
    var failure: String {
        switch self {
        case .refused(let error): "ATT error \(error)"
        case .failed(let reason): reason
        case .found, .value, .done: "the result belongs to another request"
        }
    }
}
