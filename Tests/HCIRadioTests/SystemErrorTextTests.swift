// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Glibc
import NIOCore
import Sockets
import Testing

@Suite struct SystemErrorTextTests {
    @Test(arguments: [
        (ECONNREFUSED, "Connection refused (ECONNREFUSED)"), (ENOENT, "No such file or directory (ENOENT)"),
        (EDOM, "Numerical argument out of domain (errno 33)"),
    ])
    func errorsOfTheSystemHaveTheirNames(_ code: Int32, _ words: String) {
        #expect(SystemErrorText.words(code) == words)
        let error = IOError(errnoCode: code, reason: "connection reset (error set)")
        #expect(SystemErrorText.words(error) == words)
        #expect(SystemErrorText.code(of: error) == code)
    }

    @Test func longPathIsReported() throws {
        let error = #expect(throws: SocketAddressError.self) {
            try SocketAddress(unixDomainSocketPath: String(repeating: "a", count: 120))
        }
        #expect(SystemErrorText.words(try #require(error)) == "its path has more than 107 bytes")
    }

    @Test func timeoutIsReported() {
        #expect(SystemErrorText.words(ChannelError.connectTimeout(.seconds(5))) == "no answer within 5 s")
        #expect(SystemErrorText.code(of: ChannelError.eof) == nil)
    }
}
