// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
package import Emulator
import HummingbirdCore
import NIOCore
package import RunAPI

/// The HTTP server of a run on TCP (docs/http.md).
package final class ControlAPI: Sendable {
    /// The options of the server.
    package struct Options: Sendable {
        /// Where it listens.
        package var address: ControlAddress
        /// Further names of this machine that a `Host` field may have.
        package var hosts: [String]
        /// The origins of pages that may read what receivers receive.
        package var origins: Set<String>
        /// The token that requests must have; `nil` for none.
        package var token: String?
        /// What is reported about the token, when the server listens.
        package var warning: Warning?

        package init(
            address: ControlAddress, hosts: [String] = [], origins: Set<String> = [], token: String? = nil,
            warning: Warning? = nil
        ) {
            self.address = address
            self.hosts = hosts
            self.origins = origins
            self.token = token
            self.warning = warning
        }
    }

    /// The URL of the server, `http://HOST:PORT`.
    package let url: String
    private let server: APIServer

    /// Starts the server.
    /// - Throws: `EmulatorError` `.cannotCreate` if the address cannot be used.
    package convenience init(_ run: RunContext, _ options: Options) async throws(EmulatorError) {
        try await self.init(run, options, limits: APILimits())
    }

    init(_ run: RunContext, _ options: Options, limits: APILimits) async throws(EmulatorError) {
        let address = options.address
        let names = ControlAddress.localHosts.union(ControlAddress.emulatorHosts)
            .union([address.host.lowercased()])
            .union(options.hosts.map { $0.lowercased() })
        let responder = APIResponder(
            run: run, requestGuard: RequestGuard(hosts: names, token: options.token, origins: options.origins),
            streams: Places(limits.streams))
        do throws(APIServer.Failure) {
            server = try await APIServer(at: .hostname(address.host, port: address.port), responder, limits)
        } catch {
            let hint = "stop the program that uses it, or choose another address (--http 127.0.0.1:0 takes a free port)"
            throw error.error(creating: "cannot listen on \(address.host):\(address.port) for HTTP", hint: hint)
        }
        let host = address.host.contains(":") ? "[\(address.host)]" : address.host
        url = "http://\(host):\(server.address?.port ?? address.port)"
        run.emulator.events.post(.controlServed(url: url))
        if let warning = options.warning { run.emulator.events.post(.warning(warning)) }
    }

    /// Ends the server: open connections end, after those replies that are under way.
    package func close() async { await server.close() }
}
