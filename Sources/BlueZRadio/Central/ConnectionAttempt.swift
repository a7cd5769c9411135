// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import DBus
import Radio

/// One attempt to connect to a device through bluetoothd.
///
/// Until the timeout it repeats three steps: search for the device if bluetoothd has no object for it, call Connect with
/// discovery paused, and wait until bluetoothd has discovered the services.
actor ConnectionAttempt {
    private let device: RemoteAddress
    private let path: ObjectPath
    private let attachment: AdapterAttachment
    private let radio: BlueZCentral
    /// The last failure, as a clause of a sentence.
    private var trouble = "it was not seen"
    /// Whether further tries are useless.
    private var isRefused = false

    /// Has no effect before `run`.
    init(
        _ device: RemoteAddress, _ path: ObjectPath, _ attachment: AdapterAttachment, for radio: BlueZCentral
    ) {
        self.device = device
        self.path = path
        self.attachment = attachment
        self.radio = radio
    }

    /// Tries until the device is connected, the timeout, or the cancellation of the task.
    func run(timeout: Duration) async -> BlueZRemoteLink? {
        await withTaskGroup(of: BlueZRemoteLink?.self) { group in
            group.addTask { await self.connect() }
            group.addTask {
                try? await Task.sleep(for: timeout)
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            // The attempt may have succeeded at the moment of the timeout.
            let second = await group.next() ?? nil
            return first ?? second
        }
    }

    /// Cancels the attempt in bluetoothd, which would continue it.
    func abandon() async {
        // In a task of its own, since the task of the caller may be cancelled.
        await Task { [attachment, path] in
            _ = try? await attachment.daemon.call(
                path, DeviceProperties.interface, "Disconnect", timeout: .seconds(5))
        }.value
    }

    /// Why there is no connection.
    func error(timeout: Duration) async -> RadioError {
        // A problem of the radio explains more than the last failure.
        do throws(RadioError) {
            let now = try await radio.usable()
            if now.daemon.owner != attachment.daemon.owner { trouble = "bluetoothd was restarted" }
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
        while !Task.isCancelled {
            let isAttached = await radio.changes.first(of: path, within: .seconds(60)) { () async -> Bool? in
                if await properties() != nil { return true }
                return await radio.isAttached(to: attachment) ? nil : false
            }
            if let isAttached { return isAttached ? () : refuse("bluetoothd or the adapter was lost") }
        }
    }

    private func connectKnown() async -> BlueZRemoteLink? {
        do throws(DBusError) {
            try await radio.withInputAndOutput(of: attachment.daemon) { [attachment, path] () throws(DBusError) in
                // bluetoothd gives up after about 20 s; the next round tries again.
                _ = try await attachment.daemon.call(path, DeviceProperties.interface, "Connect", timeout: .seconds(60))
            }
        } catch {
            if !error.isBlueZ("AlreadyConnected") {
                note(error)
                return nil
            }
        }
        trouble = "its services were not discovered"
        // bluetoothd may reply up to 2 s before the kernel has reported the connection to it.
        let isConnected = await radio.changes.first(of: path, within: .seconds(2)) {
            await properties()?.isConnected == true ? true : nil
        }
        var isLost = isConnected == nil
        while !Task.isCancelled, !isLost {
            let isResolved = await radio.changes.first(of: path, within: .seconds(60)) { () async -> Bool? in
                let properties = await properties()
                guard properties?.isConnected == true else { return false }
                return properties?.areServicesResolved == true ? true : nil
            }
            if isResolved == true { return await radio.adopt(device, path, attachment) }
            isLost = isResolved == false
        }
        if isLost, !Task.isCancelled { trouble = "the connection was lost at once" }
        return nil
    }

    private func note(_ error: DBusError) {
        if error.kind == .cancelled { return }
        trouble = "bluetoothd replied \(error)"
        if error.isDaemonGone || error.isStandard("AccessDenied") || error.kind == .notConnected { refuse(trouble) }
    }

    /// Ends the attempt: further tries are useless.
    private func refuse(_ reason: String) {
        trouble = reason
        isRefused = true
    }

    private func properties() async -> DeviceProperties? {
        (try? await attachment.daemon.properties(DeviceProperties.interface, of: path)).map { DeviceProperties($0) }
    }
}
