// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

#include "BeaconryInjection.h"

#if defined(__APPLE__)
#include <TargetConditionals.h>
#if TARGET_OS_IOS && TARGET_OS_SIMULATOR

// In the target BeaconryCoreLocation.
extern void beaconry_install_from_environment(void);

// dyld calls this before main, and after the initialisers of Core Location and of the Swift runtime, which this library depends on.
__attribute__((constructor)) static void install(void) { beaconry_install_from_environment(); }

#endif
#endif
