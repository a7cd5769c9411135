// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

extension Duration {
    /// How many whole periods it has; exact, unlike the quotient of two durations, which is a floating-point number.
    /// - Parameter period: more than zero.
    package func count(of period: Duration) -> Int { Int(clamping: attoseconds / period.attoseconds) }

    /// What is left of it after the whole periods.
    /// - Parameter period: more than zero.
    package func remainder(of period: Duration) -> Duration { Duration(attoseconds: attoseconds % period.attoseconds) }
}
