// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// What differs after an edit, also after one that replaces the file.
struct FileState: Hashable {
    var device: dev_t = 0
    var number: ino_t = 0
    var size: off_t = -1
    var seconds = 0
    var nanoseconds = 0

    /// The state now; all zero without such a file.
    init(of path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return }
        device = status.st_dev
        number = status.st_ino
        size = status.st_size
        seconds = status.st_mtim.tv_sec
        nanoseconds = status.st_mtim.tv_nsec
    }
}
