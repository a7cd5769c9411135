// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

extension CommandTable {
    /// A vendor's commands.
    static var vendorCommands: [CommandHandler] {
        [
            // As Zephyr's controller does it: at once, not while the address is in use, and over resets.
            .completing(VendorWriteBDADDR.self) { air, controller, command throws(HCIStatus) in
                guard command.address != .zero, command.address.octets.contains(where: { $0 != 0xFF }) else {
                    throw .invalidCommandParameters
                }
                guard air.isIdle(controller) else { throw .commandDisallowed }
                air.controllers[controller].publicAddress = PackedAddress(command.address, type: 0)
            }
        ]
    }
}
