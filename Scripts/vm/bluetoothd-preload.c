// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

// Preloaded into bluetoothd, lets the kernel refuse its command Add Extended Advertising Data with Invalid Parameters.
// Kernels of mid-2026 do so (Linux commit d3f7d17960ed, until stable commit 58d810354de1b), because bluetoothd 5.56 to 5.86
// sends eight bytes too many; these kernels are not in Debian. Here the command names an instance that does not exist.

#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

ssize_t writev(int file, const struct iovec *parts, int count) {
    // The opcode, the index of the controller and the length, two bytes each, then the instance.
    uint8_t packet[1024];
    if (count == 1 && parts[0].iov_len > 6 && parts[0].iov_len <= sizeof packet) {
        memcpy(packet, parts[0].iov_base, parts[0].iov_len);
        if (packet[0] == 0x55 && packet[1] == 0x00 && packet[4] + 256 * packet[5] + 6u == parts[0].iov_len) {
            packet[6] = 0xFF;
            return syscall(SYS_writev, file, &(struct iovec){packet, parts[0].iov_len}, 1);
        }
    }
    return syscall(SYS_writev, file, parts, count);
}
