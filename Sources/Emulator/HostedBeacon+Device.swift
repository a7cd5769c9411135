// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Devices
import Profiles
import Radio

extension HostedBeacon {
    /// A device as a radio is told of it before it runs, with what it would advertise first.
    init(
        _ device: any Device, identifier: BeaconIdentifier, key: String? = nil, site: BeaconSite = BeaconSite()
    ) {
        self.init(
            identifier: identifier, services: device.services, advertisement: device.firstAdvertisement,
            advertisesWhileConnected: device.advertisesWhileConnected, key: key, site: site)
    }
}

extension BeaconSite {
    /// Where a profile puts a beacon, calibrated: at the profile's power 1 m away it is as strong as it says.
    init(_ profile: BeaconDefinition) {
        self.init(
            position: profile.position, measuredPower: profile.device.measuredPower,
            transmitPower: profile.device.transmitPower)
    }
}
