// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

// Preloaded into btvirt, fixes three things of it.

#include <linux/if_alg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

// The kernel gives a new controller 2 s to answer its first command, and btvirt reads it only after it has requested
// two ciphers per controller from the kernel. On the first request the kernel loads, builds and tests them, which takes
// longer than that on a busy host: so they are requested before a controller exists.
__attribute__((constructor)) static void have_ciphers_made(void) {
    const struct sockaddr_alg ciphers[] = {
        {.salg_family = AF_ALG, .salg_type = "skcipher", .salg_name = "ecb(aes)"},
        {.salg_family = AF_ALG, .salg_type = "hash", .salg_name = "cmac(aes)"},
    };
    for (size_t index = 0; index < sizeof ciphers / sizeof ciphers[0]; index++) {
        int kernel = socket(AF_ALG, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
        if (kernel < 0 || bind(kernel, (const struct sockaddr *)&ciphers[index], sizeof ciphers[index]) < 0) {
            perror((const char *)ciphers[index].salg_name);
        }
        close(kernel);
    }
}

// btvirt makes up the addresses of its controllers from the numbers that the kernel gives them: a controller that comes
// back as hci2 would get another address. Here the n-th always gets the number n, so that its address stays the same,
// as with a real controller that is unplugged and plugged in again.
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

// btvirt reports an advertiser once for each start of a scan, at the moment it confirms the start. The kernel delivers
// reports only after it has processed the confirmation, and loses an earlier one: every time, on a machine that always
// schedules both in the same order. Hardware controllers need a few milliseconds until the first report.
ssize_t writev(int file, const struct iovec *parts, int count) {
    // The packet type, the header of the event (LE Meta), and its parameters; LE (Extended) Advertising Report.
    if (count >= 3 && parts[0].iov_len == 1 && *(const uint8_t *)parts[0].iov_base == 0x04 &&
        *(const uint8_t *)parts[1].iov_base == 0x3E && parts[2].iov_len > 0) {
        uint8_t subevent = *(const uint8_t *)parts[2].iov_base;
        if (subevent == 0x02 || subevent == 0x0D) {
            nanosleep(&(struct timespec){.tv_nsec = 30 * 1000 * 1000}, NULL);
        }
    }
    return syscall(SYS_writev, file, parts, count);
}
