// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import DBus
import Radio

/// One attempt to connect to a device through bluetoothd.
actor ConnectionAttempt {
    private let device: RemoteAddress
    private let path: ObjectPath
    private let attachment: BlueZCentral.Attachment
    private let radio: BlueZCentral
    /// What went wrong last, as a clause for people.
    private var trouble = "it was not heard"
    private var isRefused = false

    /// Nothing happens before `run`.
    init(
        _ device: RemoteAddress, _ path: ObjectPath, _ attachment: BlueZCentral.Attachment, for radio: BlueZCentral
    ) {
        self.device = device
        self.path = path
        self.attachment = attachment
        self.radio = radio
    }

    /// Tries until it is connected, the time is over, or the task is cancelled.
    func run(timeout: Duration) async -> BlueZRemoteLink? {
        await withTaskGroup(of: BlueZRemoteLink?.self) { group in
            group.addTask { await self.connect() }
            group.addTask {
                try? await Task.sleep(for: timeout)
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            // It may have succeeded just when the time was over.
            let second = await group.next() ?? nil
            return first ?? second
        }
    }

    /// Takes it back: bluetoothd would go on by itself.
    func abandon() async {
        // In a task of its own, since the caller's may be cancelled.
        await Task { [attachment, path] in
            _ = try? await attachment.daemon.call(
                path, DeviceProperties.interface, "Disconnect", timeout: .seconds(5))
        }.value
    }

    /// Why there is no connection.
    func error(timeout: Duration) async -> RadioError {
        // What is wrong with the radio explains it better.
        do throws(RadioError) {
            let now = try await radio.usable()
            if now.daemon.owner != attachment.daemon.owner { trouble = "bluetoothd was started anew" }
        } catch {
            return error
        }
        let time = isRefused || Task.isCancelled ? "" : " within \(timeout)"
        return RadioError(
            .refused, "no connection to \(device)\(time): \(trouble)",
            hint: "check that it advertises, is connectable and in range")
    }

    private func connect() async -> BlueZRemoteLink? {
        while !Task.isCancelled, !isRefused {
            if await properties() == nil { await radio.searching { await self.find() } }
            guard !Task.isCancelled else { return nil }
            if let link = await radio.withoutDiscovery({ await self.connectKnown() }) { return link }
            try? await Task.sleep(for: .milliseconds(500))
        }
        return nil
    }

    private func find() async {
        while !Task.isCancelled, await properties() == nil {
            guard await radio.isAttached(to: attachment) else { return refuse("bluetoothd or the adapter is gone") }
            try? await Task.sleep(for: .milliseconds(200))
        }
    }

    private func connectKnown() async -> BlueZRemoteLink? {
        do throws(DBusError) {
            try await radio.withInputAndOutput(of: attachment.daemon) { [attachment, path] () throws(DBusError) in
                // It fails by itself after some 20 s, and is tried again then.
                _ = try await attachment.daemon.call(path, DeviceProperties.interface, "Connect", timeout: .seconds(60))
            }
        } catch {
            if !error.isDaemons("AlreadyConnected") {
                note(error)
                return nil
            }
        }
        trouble = "its services did not become known"
        // bluetoothd may answer before the kernel has told it of the connection.
        var patience = 40
        while !Task.isCancelled {
            let properties = await properties()
            if properties?.isConnected == true {
                patience = 0
                if properties?.areServicesResolved == true { return await radio.adopt(device, path, attachment) }
            } else if patience == 0 {
                trouble = "the connection was lost at once"
                return nil
            } else {
                patience -= 1
            }
            try? await Task.sleep(for: .milliseconds(50))
        }
        return nil
    }

    private func note(_ error: DBusError) {
        if error.kind == .cancelled { return }
        trouble = "bluetoothd said \(error)"
        if error.isDaemonGone || error.isStandard("AccessDenied") || error.kind == .notConnected { refuse(trouble) }
    }

    /// Notes that there is no use in trying again.
    private func refuse(_ reason: String) {
        trouble = reason
        isRefused = true
    }

    private func properties() async -> DeviceProperties? {
        (try? await attachment.daemon.properties(DeviceProperties.interface, of: path)).map { DeviceProperties($0) }
    }
}

extension BlueZCentral {
    /// Whether the radio still has this daemon and adapter.
    func isAttached(to attachment: Attachment) -> Bool {
        self.attachment?.daemon.owner == attachment.daemon.owner
            && self.attachment?.adapter.path == attachment.adapter.path
    }
}
