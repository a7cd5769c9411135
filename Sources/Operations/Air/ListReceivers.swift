// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Emulator
import Radio

package struct ListReceivers: Operation {
    package static let name = "listReceivers"
    package static let method = OperationMethod.get
    package static let path = "/v1/receivers"
    package static let sentence =
        "The hosts that have joined the virtual air, and the servers with a name that hosts may join."

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> Listed<ReceiverRecord> {
        guard let present = try? await run.emulator.air.hosts() else {
            // Radios without positions do not list their hosts: there, the events of hosts count.
            return Listed(run.watch.receivers())
        }
        let served = (try? await run.emulator.air.receivers()) ?? []
        let servers = Dictionary(served.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
        let hosts = Dictionary(present.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
        return Listed(
            Set(servers.keys).union(hosts.keys).sorted().map {
                ReceiverRecord($0, server: servers[$0], host: hosts[$0])
            })
    }
}
