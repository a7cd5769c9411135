// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

extension Duration? {
    /// The earlier of two deadlines, each of which may be absent.
    func orEarlier(_ other: Duration?) -> Duration? {
        guard let self else { return other }
        guard let other else { return self }
        return Swift.min(self, other)
    }
}
