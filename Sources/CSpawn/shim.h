/* Beaconry: beacons without the hardware
 * Copyright 2026 the Beaconry project authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <spawn.h>

/* glibc 2.34 and newer; declared here, since spawn.h has it only with _DEFAULT_SOURCE. */
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);
