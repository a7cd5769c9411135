// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// Serves method calls: gives the values of the reply, or the error to reply with.
///
/// It runs outside of the connection's queue, so it may call the connection.
package typealias MethodHandler = @Sendable (MethodCall) async -> Result<[DBusValue], DBusError>
