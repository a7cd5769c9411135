// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import CCapability

/// The capabilities that the program's file carries (`setcap`).
enum FileCapabilities {
    /// Makes the permitted capabilities of the calling thread effective.
    ///
    /// The kernel refuses to execute a file with `cap_net_admin+ep` where the capability is not to be had, as in a container
    /// without `--cap-add`. A file with `+p` starts everywhere and is permitted what there is, which is not effective yet.
    ///
    /// - Precondition: There is no other thread: capabilities are a thread's, and threads inherit them.
    static func makeEffective() {
        var header = __user_cap_header_struct()
        header.version = UInt32(_LINUX_CAPABILITY_VERSION_3)
        // 32 capabilities each.
        var sets = [__user_cap_data_struct](repeating: __user_cap_data_struct(), count: 2)
        guard capget(&header, &sets) == 0, sets.contains(where: { $0.effective != $0.permitted }) else { return }
        for index in sets.indices { sets[index].effective = sets[index].permitted }
        // Refused by a filter of system calls: what needs the rights reports that they are missing.
        _ = capset(&header, &sets)
    }
}
