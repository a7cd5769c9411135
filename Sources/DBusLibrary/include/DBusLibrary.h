// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

#ifndef BEACONRY_DBUS_LIBRARY_H
#define BEACONRY_DBUS_LIBRARY_H

#include <stdbool.h>

/// Whether libdbus-1 is installed. Without it, each of its functions has the result 0.
bool beaconry_has_dbus(void);

#endif
