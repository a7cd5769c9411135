// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

// Preloaded into btvirt, which makes up the addresses of its controllers from the numbers that the kernel gives them: a
// controller that comes back as hci2 would be another one. Here the n-th is told that it is hci n, whatever it is, so
// that its address stays, as it does when a real one is pulled out and put back.

#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

ssize_t read(int file, void *buffer, size_t size) {
    static uint16_t controllers;
    uint8_t *packet = buffer;
    ssize_t count = syscall(SYS_read, file, buffer, size);
    // The answer of /dev/vhci to its opening: 0xFF, the kind of controller, its number.
    if (count == 4 && packet[0] == 0xFF) {
        packet[2] = controllers & 0xFF;
        packet[3] = controllers >> 8;
        controllers += 1;
    }
    return count;
}
