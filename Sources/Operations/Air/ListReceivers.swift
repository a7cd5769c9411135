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
        // Radios without positions have no hosts.
        let present = Dictionary(
            ((try? await run.emulator.receivers()) ?? []).map(ReceiverRecord.init).map { ($0.name, $0) },
            uniquingKeysWith: { $1 })
        let served = ((try? await run.emulator.servedReceivers()) ?? []).map(ServerRecord.init)
        let servers = Dictionary(served.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
        return Listed(
            run.watch.receivers(servers.mapValues(\.server)).map { receiver in
                var receiver = receiver
                receiver.position = present[receiver.name]?.position ?? servers[receiver.name]?.position
                receiver.path = present[receiver.name]?.path
                receiver.scan = present[receiver.name]?.scan
                receiver.hosts = servers[receiver.name]?.hosts
                receiver.port = servers[receiver.name]?.port
                return receiver
            })
    }
}
