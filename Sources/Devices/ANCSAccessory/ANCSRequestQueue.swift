// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth

/// The queue of the requests that an accessory writes to a phone's control point, one at a time.
///
/// A request first waits. Then it is current: its command is written, the phone acknowledges the write, and the data
/// source sends the response in fragments. The response can be complete before the acknowledgement. The request ends
/// when both have been received, when the phone refuses the command, or at the timeout. Actions have no response.
///
/// An action waits in front of requests for attributes, behind earlier actions. The name of an app is requested directly after the attributes of its
/// notification, and stored for later notifications.
struct ANCSRequestQueue: Sendable {
    /// The outcome of a request.
    enum Outcome: Hashable, Sendable {
        /// The attributes of a notification, and the name of its app.
        case attributes(of: UInt32, [ANCSAttribute], appName: String?)
        /// The attributes of a notification were not received; a clause with the reason.
        case failed(UInt32, String)
        /// An action was performed; or it failed, with a clause for the reason.
        case acted(ANCSAction, UInt32, failure: String?)
        /// A warning to report.
        case warn(Warning)
    }

    private enum Request: Hashable {
        case attributes(of: UInt32)
        /// The name of an app. The attributes of its notification were received before, and are reported with it.
        case appName(String, of: UInt32, [ANCSAttribute])
        case action(ANCSAction, UInt32)
    }

    private struct Current {
        let request: Request
        let command: ANCSCommand
        /// `nil` for an action.
        var assembler: ANCSResponseAssembler?
        var isAcknowledged = false
        var deadline: Duration?
    }

    private enum Result {
        case response([ANCSAttribute])
        case failure(String)
    }

    private let configuration: ANCSConsumer.Configuration
    private var waiting: [Request] = []
    private var current: Current?
    /// The names of apps by their identifiers.
    private var appNames: [String: String] = [:]

    /// An empty queue.
    init(_ configuration: ANCSConsumer.Configuration) { self.configuration = configuration }

    /// When the current request times out, as uptime; `nil` until the write of its command is acknowledged.
    var nextDeadline: Duration? { current?.deadline }

    /// Discards all requests.
    mutating func reset() {
        waiting = []
        current = nil
    }

    // MARK: - Requests

    /// Adds a request for the attributes of a notification, unless one is waiting, the queue is full, or no attributes are
    /// configured.
    mutating func requestAttributes(of notification: UInt32) {
        let request = Request.attributes(of: notification)
        guard !configuration.attributes.isEmpty, !waiting.contains(request), waiting.count < ANCSConsumer.capacity
        else { return }
        waiting.append(request)
    }

    /// The number of waiting actions, which are the first requests.
    private var actionCount: Int {
        waiting.firstIndex { if case .action = $0 { false } else { true } } ?? waiting.count
    }

    /// Whether no further action can wait.
    var isFullOfActions: Bool { actionCount >= ANCSConsumer.capacity }

    /// Adds a request for an action, in front of requests for attributes, unless too many actions are waiting.
    mutating func requestAction(_ action: ANCSAction, on notification: UInt32) {
        guard !isFullOfActions else { return }
        waiting.insert(.action(action, notification), at: actionCount)
    }

    /// Starts the next request, unless one is current.
    /// - Parameter isReadable: Whether the attributes of a notification can be requested; if not, the request is dropped.
    /// - Returns: The command to write; `nil` if there is none.
    mutating func startNext(where isReadable: (UInt32) -> Bool) -> ANCSCommand? {
        while current == nil, !waiting.isEmpty {
            let request = waiting.removeFirst()
            let command: ANCSCommand
            switch request {
            case .attributes(let notification):
                guard isReadable(notification) else { continue }
                command = .notificationAttributes(notification, configuration.attributes)
            case .appName(let app, _, _): command = .appAttributes(app, [0])
            case .action(let action, let notification): command = .performAction(notification, action)
            }
            current = Current(
                request: request, command: command, assembler: ANCSResponseAssembler(answering: command))
            return command
        }
        return nil
    }

    // MARK: - Responses

    /// Takes the result of writing the command.
    mutating func takeWriteResult(_ result: ClientResult, at now: Duration) -> [Outcome] {
        guard let request = current else { return [] }
        guard result == .done else { return finish(.failure(result.failure)) }
        guard request.assembler != nil else { return finish(.response([])) }
        current?.isAcknowledged = true
        current?.deadline = now + configuration.timeout
        return receive([])
    }

    /// Takes a fragment of the data source.
    mutating func receive(_ fragment: [UInt8]) -> [Outcome] {
        guard let request = current, var assembler = request.assembler else {
            return fragment.isEmpty ? [] : [.warn(Self.unexpected)]
        }
        do throws(WireError) {
            let response = try assembler.append(fragment)
            current?.assembler = assembler
            guard let response, request.isAcknowledged else { return [] }
            return finish(.response(response.attributes))
        } catch {
            // This may be the rest of a response that timed out. The expected response may still follow.
            current?.assembler = ANCSResponseAssembler(answering: request.command)
            return [.warn(Self.unexpected)]
        }
    }

    /// Ends the current request if its response is late.
    mutating func advance(to now: Duration) -> [Outcome] {
        guard let deadline = current?.deadline, deadline <= now else { return [] }
        return finish(.failure("the phone did not answer within \(configuration.timeout)"))
    }

    private mutating func finish(_ result: Result) -> [Outcome] {
        guard let request = current?.request else { return [] }
        current = nil
        switch (request, result) {
        case (.attributes(let notification), .response(let attributes)):
            return reportOrRequestAppName(notification, attributes)
        case (.attributes(let notification), .failure(let reason)): return [.failed(notification, reason)]
        case (.appName(let app, let notification, let attributes), .response(let names)):
            let name = names.first?.text
            if let name, appNames.count < ANCSConsumer.capacity { appNames[app] = name }
            return [Self.outcome(notification, attributes, appName: name)]
        case (.appName(_, let notification, let attributes), .failure):
            return [Self.outcome(notification, attributes, appName: nil)]
        case (.action(let action, let notification), .response):
            return [.acted(action, notification, failure: nil)]
        case (.action(let action, let notification), .failure(let reason)):
            return [.acted(action, notification, failure: reason)]
        }
    }

    /// Reports the attributes, or first requests the name of their app if it is not known yet.
    private mutating func reportOrRequestAppName(_ notification: UInt32, _ attributes: [ANCSAttribute]) -> [Outcome] {
        let identifier = ANCSAttributeIdentifier.appIdentifier.rawValue
        let app = attributes.first { $0.identifier == identifier && !$0.value.isEmpty }?.text
        // A command cannot contain an identifier with a zero byte.
        guard configuration.asksAppNames, let app, !app.utf8.contains(0) else {
            return [Self.outcome(notification, attributes, appName: nil)]
        }
        if let name = appNames[app] { return [Self.outcome(notification, attributes, appName: name)] }
        waiting.insert(.appName(app, of: notification, attributes), at: 0)
        return []
    }

    private static func outcome(
        _ notification: UInt32, _ attributes: [ANCSAttribute], appName: String?
    ) -> Outcome {
        .attributes(of: notification, attributes, appName: appName.flatMap { $0.isEmpty ? nil : $0 })
    }

    private static let unexpected = Warning(
        code: "ancs-unexpected", message: "the phone sent a response that matches no request; it is ignored",
        hint: "none needed after a timeout; otherwise fix the phone's ANCS service")
}
