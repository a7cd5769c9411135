// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
package import BluetoothCore

/// The accessory's side of ANCS on one connection, without any input or output of its own.
///
/// It finds the service, subscribes to the data source and then to the notification source, asks for what is to be known
/// of each notification, one after the other, and begins anew when the phone's services have changed. What it asks is
/// answered by `take(_:of:at:)` in the same order.
package struct ANCSConsumer: Sendable {
    /// What it asks for.
    package struct Configuration: Hashable, Sendable {
        /// The attributes of each notification; none asks for nothing.
        package var attributes: [ANCSAttributeRequest]
        /// Whether the names of apps are asked for, too.
        package var asksAppNames: Bool
        /// How long the pieces of an answer may take.
        package var patience: Duration

        /// The title in 64 octets, the message in 256, and what has a length of its own, unless said otherwise.
        package init(
            attributes: [ANCSAttributeRequest] = [
                ANCSAttributeRequest(.appIdentifier), ANCSAttributeRequest(.title, maximumLength: 64),
                ANCSAttributeRequest(.message, maximumLength: 256), ANCSAttributeRequest(.date),
            ],
            asksAppNames: Bool = true, patience: Duration = .seconds(30)
        ) {
            self.attributes = attributes
            self.asksAppNames = asksAppNames
            self.patience = patience
        }
    }

    /// What it wants done, in order.
    package enum Output: Hashable, Sendable {
        /// Ask the phone.
        case request(ClientRequest)
        /// Show this.
        case report(ANCSReport)
        /// Its owner should know.
        case warn(Warning)
    }

    /// More notifications than any phone shows; of more, the oldest are forgotten.
    package static let capacity = 1024

    /// What a request is for.
    enum Step: Hashable, Sendable {
        case securing, findingChanges, hearingChanges, finding, hearingData, hearingNotifications, commanding
    }

    /// A request that has no answer yet.
    struct Pending: Hashable, Sendable {
        let step: Step
        let request: ClientRequest
        /// Answers to requests of before the services changed count no more.
        let generation: Int
    }

    /// Something to be asked for at the control point.
    enum Job: Hashable, Sendable {
        case content(UInt32)
        case appName(String, of: UInt32, [ANCSAttribute])
        case action(ANCSAction, UInt32)
    }

    /// The job under way.
    struct Work: Sendable {
        let job: Job
        let command: ANCSCommand
        var assembler: ANCSResponseAssembler?
        var isAcknowledged = false
        var deadline: Duration?
    }

    let configuration: Configuration
    var pending: [Pending] = []
    var generation = 0
    var isReady = false
    var source: AttributeHandle?
    var controlPoint: AttributeHandle?
    var dataSource: AttributeHandle?
    var serviceChanged: AttributeHandle?
    /// The notifications of the session, and the order of their coming.
    var notifications: [UInt32: ANCSNotificationEvent] = [:]
    var order: [UInt32] = []
    var jobs: [Job] = []
    var work: Work?
    var appNames: [String: String] = [:]

    /// A consumer on a connection on which nothing has happened yet.
    package init(_ configuration: Configuration = Configuration()) { self.configuration = configuration }

    /// When `advance(to:)` has something to do.
    package var nextDeadline: Duration? { work?.deadline }

    /// Begins: the link is to be secured, then the service is looked for.
    package mutating func begin() -> [Output] { [ask(.secure, for: .securing)] }

    /// Takes the answer to the oldest request without one.
    package mutating func take(_ result: ClientResult, of request: ClientRequest, at now: Duration) -> [Output] {
        guard let first = pending.first, first.request == request else { return [] }
        pending.removeFirst()
        guard first.generation == generation else { return [] }
        switch first.step {
        case .securing: return secured(result)
        case .findingChanges: return foundChanges(result)
        case .hearingChanges: return []
        case .finding: return found(result)
        case .hearingData: return hearsData(result)
        case .hearingNotifications: return hearsNotifications(result, at: now)
        case .commanding: return commanded(result, at: now)
        }
    }

    /// Takes a value that the phone tells.
    package mutating func take(_ value: [UInt8], of handle: AttributeHandle, at now: Duration) -> [Output] {
        switch handle {
        case serviceChanged: startAnew("its services have changed")
        case source: takeEvent(value, at: now)
        case dataSource: takeData(value, at: now)
        default: []
        }
    }

    /// Gives up what takes too long.
    package mutating func advance(to now: Duration) -> [Output] {
        guard let deadline = work?.deadline, deadline <= now else { return [] }
        return finish(.failure("the phone did not answer within \(configuration.patience)"), at: now)
    }

    /// Why an action cannot be asked for; `nil` when it can.
    package func obstacle(to action: ANCSAction, on notification: UInt32) -> String? {
        guard isReady else { return "no phone is connected that tells its notifications" }
        guard controlPoint != nil else { return "the phone takes no actions" }
        guard let event = notifications[notification] else {
            return "there is no notification \(notification) in this session"
        }
        let needed: ANCSNotificationEvent.Flags = action == .positive ? .positiveAction : .negativeAction
        guard event.flags.contains(needed) else { return "notification \(notification) has no \(action.name) action" }
        return nil
    }

    /// Asks for an action, before anything else that waits.
    package mutating func perform(_ action: ANCSAction, on notification: UInt32, at now: Duration) -> [Output] {
        guard jobs.count < Self.capacity else { return [] }
        jobs.insert(.action(action, notification), at: 0)
        return next(at: now)
    }

    mutating func ask(_ request: ClientRequest, for step: Step) -> Output {
        pending.append(Pending(step: step, request: request, generation: generation))
        return .request(request)
    }
}
