// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

extension LEHost {
    /// Whether a pairing is under way on a connection: it may be encrypted already, with keys that are still to come.
    package func isPairing(_ connection: ConnectionIdentifier) -> Bool {
        index(of: connection).map { connections[$0].securityManager.isPairing } ?? false
    }
}
