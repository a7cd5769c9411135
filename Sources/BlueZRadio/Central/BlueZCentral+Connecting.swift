// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import DBus
public import Radio

// Making connections, and noticing that they are gone.

extension BlueZCentral {
    /// Connects to a device, and waits until bluetoothd knows its services. One that bluetoothd has not met is looked for
    /// first. A connection that bluetoothd has to the device already is taken over.
    public func connect(to device: RemoteAddress, timeout: Duration) async throws(RadioError) -> any RemoteLink {
        let attachment = try usable()
        guard let path = BlueZDevice.path(of: device.address.description, on: attachment.adapter) else {
            throw RadioError(.refused, "\(device) cannot be connected to", hint: "check the address")
        }
        guard links[path] == nil, connecting.insert(path).inserted else {
            throw RadioError(
                .refused, "\(device) is connected, or being connected to, already", hint: "use that connection")
        }
        defer { connecting.remove(path) }
        await renewServing(on: attachment)
        let attempt = ConnectionAttempt(device, path, attachment, for: self)
        if let link = await attempt.run(timeout: timeout) { return link }
        await attempt.abandon()
        throw await attempt.error(timeout: timeout)
    }

    /// Has discovery going on while something runs that waits for a device to be found.
    func searching<Result: Sendable>(_ body: @Sendable () async -> Result) async -> Result {
        discovery.searches += 1
        discoveryWakeUp.yield()
        let result = await body()
        discovery.searches -= 1
        return result
    }

    /// Has discovery rest while something runs: the kernel connects to what it hears, and hears each advertiser once.
    func withoutDiscovery<Result: Sendable>(_ body: @Sendable () async -> Result) async -> Result {
        discovery.pauses += 1
        await settleDiscovery()
        let result = await body()
        discovery.pauses -= 1
        discoveryWakeUp.yield()
        return result
    }

    /// Takes a connection that was made.
    /// - Returns: `nil` when the radio was lost meanwhile.
    func adopt(_ device: RemoteAddress, _ path: ObjectPath, _ attachment: Attachment) async -> BlueZRemoteLink? {
        guard let objects = try? await attachment.daemon.objects(),
            self.attachment?.daemon.owner == attachment.daemon.owner
        else { return nil }
        let link = BlueZRemoteLink(
            device, path, on: attachment, database: RemoteDatabase(of: path, in: objects), owner: self)
        links[path] = link
        noteSubscriptions(of: link)
        // It may have gone before anybody listened.
        await check(path)
        return links[path]
    }

    func secure(_ link: BlueZRemoteLink) async -> Result<Void, RemoteError> {
        .failure(.impossible("only the connection of a central to a beacon is secured so"))
    }

    /// Ends a link, and no later one to the same device.
    func drop(_ link: BlueZRemoteLink) {
        if links[link.path] === link { links[link.path] = nil }
        link.end("this side ended it")
    }

    /// Ends a link whose device is not connected, whoever noticed it first.
    func check(_ path: ObjectPath) async {
        guard let attachment, links[path] != nil, let loss = await attachment.daemon.loss(of: path) else { return }
        endLink(path, loss.reason)
        if !loss.isKnown { wakeUp.yield() }
    }
}
