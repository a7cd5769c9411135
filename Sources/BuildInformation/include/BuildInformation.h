// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

#ifndef BUILD_INFORMATION_H
#define BUILD_INFORMATION_H

/// The commit that the program was built from; "unknown" where BEACONRY_COMMIT did not name it.
extern const char *const beaconry_commit;

#endif
