// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Radio

/// A beacon and where it is carried.
///
/// It lives on the event loop of its radio.
final class SeatedBeacon {
    /// What it is.
    var plan: HostedBeacon
    /// Where it is carried.
    let seat: HCIRadio.Seat
    /// What it is to advertise; `nil` for nothing.
    var wanted: Advertisement?
    /// Where its characteristics are found; `nil` when it has none.
    var characteristics: CharacteristicHandles?

    init(_ plan: HostedBeacon, on seat: HCIRadio.Seat) {
        self.plan = plan
        self.seat = seat
    }

    var identifier: BeaconIdentifier { plan.identifier }
}
