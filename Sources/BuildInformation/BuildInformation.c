// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

#include "BuildInformation.h"

#ifndef BEACONRY_COMMIT
#define BEACONRY_COMMIT unknown
#endif
#define TEXT(macro) TEXT_OF(macro)
#define TEXT_OF(tokens) #tokens

const char *const beaconry_commit = TEXT(BEACONRY_COMMIT);
