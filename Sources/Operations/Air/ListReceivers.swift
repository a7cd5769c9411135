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
        "The receivers: those that scan within the run, the hosts that have joined the virtual air, and the servers with a "
        + "name that hosts may join."

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> Listed<ReceiverRecord> {
        Listed(await run.receivers())
    }
}

extension RunContext {
    /// All receivers, in the order of their names.
    /// - Parameter name: the name of the only receiver that is needed; `nil` for all.
    func receivers(named name: String? = nil) async -> [ReceiverRecord] {
        var listeners: [String: ListenerRecord] = [:]
        for listener in emulator.listeners.all where name ?? listener.name == listener.name {
            listeners[listener.name] = await listener.record
        }
        guard let present = try? await emulator.air.hosts() else {
            // Radios without positions do not list their hosts: there, the events of hosts count.
            let others = watch.receivers().filter { listeners[$0.name] == nil }
            return (others + listeners.map { ReceiverRecord($0, listener: $1) }).sorted { $0.name < $1.name }
        }
        let served = (try? await emulator.air.receivers()) ?? []
        let servers = Dictionary(served.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
        let hosts = Dictionary(present.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
        return Set(servers.keys).union(hosts.keys).union(listeners.keys).sorted().map {
            ReceiverRecord($0, server: servers[$0], host: hosts[$0], listener: listeners[$0])
        }
    }

    /// The receiver of this name.
    /// - Throws: `EmulatorError` `.unknownBeacon` if there is none.
    func receiver(_ name: String) async throws(EmulatorError) -> ReceiverRecord {
        if let receiver = await receivers(named: name).first(where: { $0.name == name }) { return receiver }
        throw EmulatorError(
            .unknownBeacon, "there is no receiver \"\(name)\"", hint: "beaconry ctl receivers shows the receivers")
    }
}
