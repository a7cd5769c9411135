/* Beaconry: beacons without the hardware
 * Copyright 2026 the Beaconry project authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <linux/capability.h>

/* capget(2): glibc has both, and declares them nowhere. */
int capget(cap_user_header_t header, cap_user_data_t data);
int capset(cap_user_header_t header, const cap_user_data_t data);
