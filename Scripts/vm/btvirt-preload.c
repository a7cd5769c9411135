// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

// Preloaded into btvirt, mends two things of it.

#include <linux/if_alg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

// The kernel gives a new controller 2 s to answer its first command, and btvirt hears it only after it has asked the
// kernel for two ciphers per controller. The first time they are asked for the kernel loads, makes and tests them, which
// takes longer than that on a busy host: so they are asked for before there is a controller.
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
// back as hci2 would be another one. Here the n-th is told that it is hci n, whatever it is, so that its address stays,
// as it does when a real one is pulled out and put back.
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
