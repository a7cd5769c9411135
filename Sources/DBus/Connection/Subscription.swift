// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// A match rule at the bus, and the stream that its signals go to.
struct Subscription {
    let rule: MatchRule
    let continuation: AsyncStream<DBusMessage>.Continuation
}
