// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
package import Radio

/// A common adapter that need not be there: profiles are checked for it by what is known of it.
///
/// The adapter is assumed to be free, and used through the management socket (CAP_NET_ADMIN) beside bluetoothd.
package enum AssumedAdapter: String, CaseIterable, Sendable {
    /// Any controller without extended advertising. The kernel has five instances, which take turns.
    case bluetooth4 = "bluetooth-4"
    /// The controller of the Raspberry Pi 3 and Zero W (BCM43430A1), of Bluetooth 4.
    case raspberryPi3 = "raspberry-pi-3"
    /// The controller of the Raspberry Pi Zero 2 W (BCM43430B0), whose relatives have no extended advertising.
    case raspberryPiZero2W = "raspberry-pi-zero-2w"
    /// The controller of the Raspberry Pi 4 (CYW43455). It does not know the commands of extended advertising.
    case raspberryPi4 = "raspberry-pi-4"
    /// The Raspberry Pi 5 has the controller of the 4.
    case raspberryPi5 = "raspberry-pi-5"
    /// CSR8510 A10, of many dongles, of Bluetooth 4.
    case csr8510
    /// Intel 7265, 8260 and 8265, of Bluetooth 4.
    case intel8265 = "intel-8265"
    /// Intel AX200 and AX201. `bluetoothctl show` has 12 instances.
    case ax200
    /// Realtek RTL8761B and RTL8761BU, of many dongles. `bluetoothctl show` has 4 instances.
    case rtl8761

    /// Whether the controller has extended advertising.
    package var isExtended: Bool {
        switch self {
        case .bluetooth4, .raspberryPi3, .raspberryPiZero2W, .raspberryPi4, .raspberryPi5, .csr8510, .intel8265: false
        case .ax200, .rtl8761: true
        }
    }

    /// The number of advertisements at once: advertising sets of the controller, or instances of the kernel in turns.
    package var instances: Int {
        switch self {
        case .bluetooth4, .raspberryPi3, .raspberryPiZero2W, .raspberryPi4, .raspberryPi5, .csr8510, .intel8265: 5
        case .ax200: 12
        case .rtl8761: 4
        }
    }

    /// What the adapter would do with beacons.
    package func forecast(_ beacons: [HostedBeacon]) -> RadioForecast {
        let fitting = min(beacons.count, instances)
        let rules = AdvertisingRules(
            way: .management, isExtended: isExtended, adapterAddress: .zero, instancesOnAir: fitting)
        var obstacle: RadioError?
        do throws(RadioError) {
            try beacons.requireOneServer()
            if fitting < beacons.count { throw .tooFewInstances(of: self, for: beacons.count) }
        } catch {
            obstacle = error
        }
        var warnings: [BeaconIdentifier: [Warning]] = [:]
        for beacon in beacons {
            guard let advertisement = beacon.advertisement else { continue }
            let status = rules.status(of: advertisement, observation: nil, unknownBecause: "the adapter is assumed")
            warnings[beacon.identifier] = status.warnings
        }
        return RadioForecast(
            capabilities: RadioCapabilities(
                name: rawValue, way: AdvertisingWay.management.name, wayReason: "it is assumed", address: nil,
                hasExtendedAdvertising: isExtended, instances: instances, freeInstances: instances,
                sharesTime: !isExtended, canReadBack: false),
            fitting: fitting, obstacle: obstacle, warnings: warnings)
    }
}

extension RadioError {
    fileprivate static func tooFewInstances(of adapter: AssumedAdapter, for beacons: Int) -> RadioError {
        let fitting = min(beacons, adapter.instances)
        let what = adapter.isExtended ? "advertising sets" : "advertising instances, which take turns"
        return RadioError(
            .cannotCarry,
            "\(fitting) of \(beacons) beacons fit on \(adapter.rawValue): it has \(adapter.instances) \(what)",
            hint: "run the first \(fitting) beacons on it, and the others on another adapter")
    }
}
