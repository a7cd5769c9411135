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
        // Radios without positions do not list their hosts: there, the events of hosts count.
        let hosts = (try? await run.emulator.receivers())?.map(ReceiverRecord.init)
        let present = Dictionary((hosts ?? []).map { ($0.name, $0) }, uniquingKeysWith: { $1 })
        let served = ((try? await run.emulator.servedReceivers()) ?? []).map(ServerRecord.init)
        let servers = Dictionary(served.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
        var receivers = run.watch.receivers(servers.mapValues(\.server))
        if hosts != nil {
            receivers.removeAll { $0.server == nil }
            let names = Set(receivers.map(\.name))
            receivers += present.keys.filter { !names.contains($0) }
                .map { RunWatch.Receiver(name: $0, server: nil, joined: true) }
        }
        return Listed(
            receivers.sorted { $0.name < $1.name }.map { receiver in
                let (host, server) = (present[receiver.name], servers[receiver.name])
                var receiver = receiver
                if hosts != nil { receiver.joined = host != nil }
                receiver.position = host?.position ?? server?.position
                (receiver.path, receiver.scan) = (host?.path, host?.scan)
                (receiver.hosts, receiver.port) = (server?.hosts, server?.port)
                return receiver
            })
    }
}
