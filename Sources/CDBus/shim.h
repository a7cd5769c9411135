// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

#ifndef BEACONRY_CDBUS_SHIM_H
#define BEACONRY_CDBUS_SHIM_H

#include <dbus/dbus.h>

#endif
