// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import HCI

extension Air {
    /// The link of a command.
    func link(
        of command: some ConnectionCommand, _ controller: Int
    ) throws(HCIStatus) -> (index: Int, side: LinkSide) {
        guard let found = findLink(command.connectionHandle, of: controller) else { throw .unknownConnectionIdentifier }
        return found
    }
}
