// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

extension DBusConnection {
    /// Listens to the signals that fit a rule.
    ///
    /// They come in the order in which the bus delivered them, from the reply to this call on. Of a rule with a
    /// well-known sender, only signals of the connection that owns this name at the time come. The stream ends when the
    /// connection closes; letting go of the stream, or cancelling the task that reads it, ends the subscription.
    ///
    /// - Parameters:
    ///   - rule: Which signals.
    ///   - capacity: How many signals may wait to be read; of more, the oldest are lost.
    /// - Throws: `DBusError`: `invalidArgument` for a rule that breaks the specification, else as `call` does.
    package func subscribe(
        _ rule: MatchRule, capacity: Int = 4096
    ) async throws(DBusError) -> AsyncStream<DBusMessage> {
        guard !Task.isCancelled else { throw .cancelled() }
        try rule.check()
        let (stream, continuation) = AsyncStream.makeStream(
            of: DBusMessage.self, bufferingPolicy: .bufferingNewest(max(1, capacity)))
        let identifier = nextIdentifier()
        // The bus works in order, so when it replies to the last of these, the owner is known too.
        if let name = rule.wellKnownSender { try watchOwner(of: name) }
        let serial: UInt32
        do throws(DBusError) {
            serial = try send(Self.busCall("AddMatch", rule.text))
        } catch {
            if let name = rule.wellKnownSender { unwatchOwner(of: name) }
            throw error
        }
        let subscription = Subscription(rule: rule, continuation: continuation)
        let result = await reply(
            to: serial, timeout: .seconds(25), orFailWith: .timeout("the bus did not reply to AddMatch")
        ) { [weak self] result in
            // At the reply itself, not when this function gets to run again: the next message may be a signal.
            self?.assumeIsolated { $0.settle(identifier, subscription, result) }
        }
        if case .failure(let error) = result { throw error }
        continuation.onTermination = { @Sendable [weak self] _ in
            guard let self else { return }
            Task { await self.unsubscribe(identifier) }
        }
        return stream
    }

    private func settle(
        _ identifier: UInt64, _ subscription: Subscription, _ result: Result<[DBusValue], DBusError>
    ) {
        switch result {
        case .success: subscriptions[identifier] = subscription
        case .failure: withdraw(subscription.rule)
        }
    }

    private func unsubscribe(_ identifier: UInt64) {
        guard let subscription = subscriptions.removeValue(forKey: identifier) else { return }
        withdraw(subscription.rule)
    }

    /// Takes a rule back. Nobody waits for the reply, and if it cannot be sent the rule is gone with the connection.
    private func withdraw(_ rule: MatchRule) {
        sendUnanswered(Self.busCall("RemoveMatch", rule.text))
        if let name = rule.wellKnownSender { unwatchOwner(of: name) }
    }

    private func watchOwner(of name: String) throws(DBusError) {
        if watchedNames[name] != nil {
            watchedNames[name]?.uses += 1
            return
        }
        var addMatch = Self.busCall("AddMatch", WatchedName.rule(for: name).text)
        addMatch.expectsReply = false
        try send(addMatch)
        let serial = try send(Self.busCall("GetNameOwner", name))
        watchedNames[name] = WatchedName(uses: 1)
        pendingCalls[serial] = PendingCall { [weak self] result in
            let owner = if case .success(let values) = result { values.first?.stringValue } else { String?.none }
            self?.assumeIsolated { $0.watchedNames[name]?.owner = owner }
        }
    }

    private func unwatchOwner(of name: String) {
        guard let uses = watchedNames[name]?.uses else { return }
        guard uses <= 1 else {
            watchedNames[name]?.uses = uses - 1
            return
        }
        watchedNames[name] = nil
        sendUnanswered(Self.busCall("RemoveMatch", WatchedName.rule(for: name).text))
    }

    /// Follows the owner of a watched name, before anybody sees the signal.
    func noteOwner(_ message: DBusMessage) {
        guard message.sender == Self.busName, message.interface == Self.busName,
            message.member == "NameOwnerChanged", message.body.count == 3,
            let name = message.body[0].stringValue, watchedNames[name] != nil,
            let owner = message.body[2].stringValue
        else { return }
        watchedNames[name]?.owner = owner.isEmpty ? nil : owner
    }

    private func sendUnanswered(_ message: DBusMessage) {
        var message = message
        message.expectsReply = false
        do throws(DBusError) { try send(message) } catch { return }
    }

    private static func busCall(_ member: String, _ argument: String) -> DBusMessage {
        .methodCall(
            destination: busName, path: busPath, interface: busName, member: member, body: [.string(argument)])
    }
}
