// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Emulator

package struct ListReceivers: Operation {
    package static let name = "listReceivers"
    package static let method = OperationMethod.get
    package static let path = "/v1/receivers"
    package static let sentence =
        "The hosts that have joined the virtual air, and the servers with a name that hosts may join."

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> Listed<RunWatch.Receiver> {
        guard let hosts = try? await run.emulator.receivers() else {
            // Radios without positions do not list their hosts: there, the events of hosts count.
            return Listed(run.watch.receivers())
        }
        let served = ((try? await run.emulator.servedReceivers()) ?? []).map(ServerRecord.init)
        let servers = Dictionary(served.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
        let present = Dictionary(
            hosts.map(ReceiverRecord.init).map { ($0.name, $0) }, uniquingKeysWith: { $1 })
        return Listed(
            Set(servers.keys).union(present.keys).sorted().map { name in
                let (host, server) = (present[name], servers[name])
                var receiver = RunWatch.Receiver(name: name, server: server?.server, joined: host != nil)
                receiver.position = host?.position ?? server?.position
                (receiver.path, receiver.scan) = (host?.path, host?.scan)
                (receiver.hosts, receiver.port) = (server?.hosts, server?.port)
                return receiver
            })
    }
}
