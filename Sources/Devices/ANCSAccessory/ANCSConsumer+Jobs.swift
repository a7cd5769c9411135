// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

// Notifications, and what is asked about them.

extension ANCSConsumer {
    /// What came of a job.
    enum Outcome {
        case answer([ANCSAttribute])
        case failure(String)
    }

    mutating func takeEvent(_ value: [UInt8], at now: Duration) -> [Output] {
        let event: ANCSNotificationEvent
        do throws(WireError) {
            event = try ANCSNotificationEvent(parsing: value)
        } catch {
            return [.warn(Self.malformed("notification source", error))]
        }
        var outputs = becomeReady() + [.report(.event(event))]
        switch event.kind {
        case .added, .modified: remember(event)
        case .removed: forget(event.notification)
        default: return outputs
        }
        let job = Job.content(event.notification)
        if event.kind != .removed, !configuration.attributes.isEmpty, !jobs.contains(job), jobs.count < Self.capacity {
            jobs.append(job)
        }
        outputs += next(at: now)
        return outputs
    }

    private mutating func remember(_ event: ANCSNotificationEvent) {
        if notifications.updateValue(event, forKey: event.notification) == nil { order.append(event.notification) }
        if order.count > Self.capacity { notifications[order.removeFirst()] = nil }
    }

    private mutating func forget(_ notification: UInt32) {
        guard notifications.removeValue(forKey: notification) != nil else { return }
        order.removeAll { $0 == notification }
    }

    /// Begins the next job, when none is under way.
    mutating func next(at now: Duration) -> [Output] {
        while work == nil, isReady, let controlPoint, !jobs.isEmpty {
            let job = jobs.removeFirst()
            guard let command = command(for: job) else { continue }
            work = Work(job: job, command: command, assembler: ANCSResponseAssembler(answering: command))
            return [ask(.write(controlPoint, command.serialized()), for: .commanding)]
        }
        return []
    }

    /// What is written for a job; `nil` when there is no need any more.
    private func command(for job: Job) -> ANCSCommand? {
        switch job {
        case .content(let notification):
            guard canAsk, notifications[notification] != nil else { return nil }
            return .notificationAttributes(notification, configuration.attributes)
        case .appName(let app, _, _): return .appAttributes(app, [0])
        case .action(let action, let notification): return .performAction(notification, action)
        }
    }

    mutating func commanded(_ result: ClientResult, at now: Duration) -> [Output] {
        guard let work else { return [] }
        guard result == .done else { return finish(.failure(Self.clause(result)), at: now) }
        if work.assembler == nil { return finish(.answer([]), at: now) }
        self.work?.isAcknowledged = true
        self.work?.deadline = now + configuration.patience
        // All of the answer may have come before the word that the command was taken.
        return takeData([], at: now)
    }

    mutating func takeData(_ piece: [UInt8], at now: Duration) -> [Output] {
        guard let current = work, var assembler = current.assembler else {
            return piece.isEmpty ? [] : [.warn(Self.unexpected)]
        }
        do throws(WireError) {
            let answer = try assembler.append(piece)
            work?.assembler = assembler
            guard let answer, current.isAcknowledged else { return [] }
            return finish(.answer(answer.attributes), at: now)
        } catch {
            // The rest of an answer that was given up, perhaps; ours may still come.
            work?.assembler = ANCSResponseAssembler(answering: current.command)
            return [.warn(Self.unexpected)]
        }
    }

    /// Ends the job under way.
    mutating func finish(_ outcome: Outcome, at now: Duration) -> [Output] {
        guard let job = work?.job else { return [] }
        work = nil
        return report(outcome, of: job) + next(at: now)
    }

    private mutating func report(_ outcome: Outcome, of job: Job) -> [Output] {
        switch (job, outcome) {
        case (.content(let notification), .answer(let attributes)):
            return content(of: notification, attributes)
        case (.content(let notification), .failure(let reason)):
            // Of one that has gone meanwhile nobody expects to know more.
            guard notifications[notification] != nil else { return [] }
            return [.report(.contentMissing(notification, reason))]
        case (.appName(let app, let notification, let content), .answer(let attributes)):
            if let name = attributes.first?.text, appNames.count < Self.capacity { appNames[app] = name }
            return shown(notification, content, appName: attributes.first?.text)
        case (.appName(_, let notification, let content), .failure): return shown(notification, content, appName: nil)
        case (.action(let action, let notification), .answer):
            return [.report(.acted(action, notification, failure: nil))]
        case (.action(let action, let notification), .failure(let reason)):
            return [.report(.acted(action, notification, failure: reason))]
        }
    }

    private mutating func content(of notification: UInt32, _ attributes: [ANCSAttribute]) -> [Output] {
        let identifier = ANCSAttributeIdentifier.appIdentifier.rawValue
        let app = attributes.first { $0.identifier == identifier && !$0.value.isEmpty }?.text
        guard configuration.asksAppNames, let app, !app.utf8.contains(0) else {
            return shown(notification, attributes, appName: nil)
        }
        if let name = appNames[app] { return shown(notification, attributes, appName: name) }
        jobs.insert(.appName(app, of: notification, attributes), at: 0)
        return []
    }

    private func shown(_ notification: UInt32, _ attributes: [ANCSAttribute], appName: String?) -> [Output] {
        // It may have gone while it was asked about.
        guard let event = notifications[notification] else { return [] }
        return [.report(.content(event, attributes, appName: appName.flatMap { $0.isEmpty ? nil : $0 }))]
    }

    private static func malformed(_ name: String, _ error: WireError) -> Warning {
        Warning(
            code: "ancs-malformed", message: "the phone's \(name) told what cannot be (\(error)); it is left alone",
            hint: "correct the phone's side")
    }

    private static let unexpected = Warning(
        code: "ancs-unexpected", message: "the phone's data source told what nobody asked for; it is left alone",
        hint: "correct the phone's side, unless it answered too late")
}
