// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import CDBus

extension DBusConnection {
    /// Brings one received message to whom it concerns.
    func dispatch(_ handle: borrowing MessageHandle) {
        // A type that is not known is to be ignored.
        guard let header = DBusMessage(readingHeaderOf: handle) else { return }
        let result: Result<DBusMessage, DBusError>
        do throws(DBusError) {
            result = .success(try DBusMessage(reading: handle))
        } catch {
            result = .failure(error)
        }
        switch header.kind {
        case .methodCall: receiveCall(header, result)
        case .methodReturn, .error: receiveReply(header, result)
        case .signal: receiveSignal(result)
        }
    }

    private func receiveCall(_ header: DBusMessage, _ result: Result<DBusMessage, DBusError>) {
        switch result {
        case .success(let message): answer(MethodCall(message))
        case .failure(let error): reply(to: MethodCall(header), .failure(error))
        }
    }

    private func receiveReply(_ header: DBusMessage, _ result: Result<DBusMessage, DBusError>) {
        guard let replySerial = header.replySerial,
            let call = pendingCalls.removeValue(forKey: replySerial)
        else { return }
        call.finish(
            result.flatMap { message in
                message.error.map { .failure($0) } ?? .success(message.body)
            })
    }

    private func receiveSignal(_ result: Result<DBusMessage, DBusError>) {
        guard case .success(let message) = result else { return }
        noteOwner(message)
        for subscription in subscriptions.values {
            let owner = subscription.rule.wellKnownSender.flatMap { watchedNames[$0]?.owner }
            if subscription.rule.matches(message, owner: owner) {
                subscription.continuation.yield(message)
            }
        }
    }
}
