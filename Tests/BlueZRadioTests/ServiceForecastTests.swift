// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Radio
import Testing

@testable import BlueZRadio

/// What bluetoothd makes of the services of a beacon.
@Suite struct ServiceForecastTests {
    @Test(arguments: [true, false])
    func addedDescriptorsAreNamed(_ hasConfiguration: Bool) {
        let characteristics = [0x2A19, 0x2A37].map {
            GATTCharacteristic(
                uuid: .bit16($0), properties: $0 == 0x2A19 ? .notify : .read, hasClientConfiguration: hasConfiguration)
        }
        let services = [GATTService(uuid: .bit16(0x180F), characteristics: characteristics)]
        let beacon = HostedBeacon(
            identifier: BeaconIdentifier("odd"), services: services, advertisement: nil)
        let warning = BlueZForecast.configurationWarning(of: beacon)
        #expect(warning?.code == (hasConfiguration ? nil : "client-configuration-added"))
        #expect(warning?.message.contains("2A19") ?? hasConfiguration)
        #expect(warning?.message.contains("2A37") != true)
    }
}
