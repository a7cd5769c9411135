/* Beaconry: beacons without the hardware
 * Copyright 2026 the Beaconry project authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <sys/socket.h>
#include <sys/xattr.h>
#include <bluetooth/bluetooth.h>
#include <bluetooth/hci.h>
