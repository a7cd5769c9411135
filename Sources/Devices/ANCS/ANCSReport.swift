// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// What an accessory shows of a phone's notifications.
package enum ANCSReport: Hashable, Sendable {
    /// The phone tells its notifications from now on.
    /// - Parameter canAsk: whether more can be asked about them.
    case available(canAsk: Bool)
    /// The phone tells none; a clause for people says why.
    case unavailable(String)
    /// A notification came, changed or went.
    case event(ANCSNotificationEvent)
    /// What there is to know of a notification: what was asked for, and the name of its app where it has one.
    case content(ANCSNotificationEvent, [ANCSAttribute], appName: String?)
    /// No more is to be known of a notification; a clause for people says why.
    case contentMissing(UInt32, String)
    /// An action was performed, or failed for a reason.
    case acted(ANCSAction, UInt32, failure: String?)
}
