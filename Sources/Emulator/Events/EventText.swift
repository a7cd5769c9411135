// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import BluetoothCore
import Devices
import Profiles
import Radio

/// Events as sentences.
package enum EventText {
    /// The lines for people: one, and with several faults of a profile one for each of them.
    package static func lines(_ event: EmulatorEvent) -> [String] {
        guard case .reloadFailed(let error) = event, error.faults.count > 1 else { return [line(event)] }
        return ["reload failed: \(error.faults.count) faults; \(error.hint)"] + error.diagnostics
    }

    /// One line, without the time.
    package static func line(_ event: EmulatorEvent) -> String {
        switch event {
        case .radioReady(let capabilities): return ready(capabilities)
        case .radioLost(let error): return "radio lost: \(error.message); \(error.hint)"
        case .degraded(let summary): return "degraded: \(summary.sentence)"
        case .recovered(let summary): return "recovered: \(summary.sentence)"
        case .ready(let summary): return ready(summary)
        case .controlServed(let url): return "control over HTTP: \(url)"
        case .reloaded(let count): return "reloaded: \(count) beacon\(count == 1 ? "" : "s")"
        case .reloadFailed(let error): return "reload failed: \(error)"
        case .scenario(let scenario): return scenario.sentence
        case .replayEnded(let count):
            return "the replay has ended: \(count) packet\(count == 1 ? "" : "s") sent"
        case .stopping: return "stopping"
        case .host(let event): return line(event)
        case .warning(let warning): return line(warning)
        case .lost(let count):
            return "\(count) \(count == 1 ? "event was" : "events were") lost, because they were read too slowly"
        case .beacon(let beacon, .warning(let warning)): return line(warning, of: "\(beacon): ")
        case .beacon(let beacon, let event): return "\(beacon): " + line(event, of: beacon)
        case .phone(let phone, _, .serviceFailed(let error)):
            return line(Warning(code: error.code.rawValue, message: error.message, hint: error.hint), of: "\(phone): ")
        case .phone(let phone, let accessory, let event):
            return "\(phone): " + line(event, with: accessory?.address.description ?? "the accessory")
        }
    }

    private static func line(_ warning: Warning, of subject: String = "") -> String {
        "warning: \(subject)\(warning.message) [\(warning.code)]; \(warning.hint)"
    }

    /// How many beacons are on the air, and how many need not be.
    private static func ready(_ summary: AirSummary) -> String {
        let count = summary.beacons
        guard summary.count(.onAir) == count, !summary.usesLastGood else { return "ready: \(summary.sentence)" }
        return "ready: \(count) beacon\(count == 1 ? " is" : "s are") on the air"
    }

    // MARK: - The radio

    private static func ready(_ capabilities: RadioCapabilities) -> String {
        let way = "\(capabilities.way) (\(capabilities.wayReason))"
        // That of a virtual air.
        if let seed = capabilities.seed {
            let names = Dictionary(capabilities.receivers.map { ($0.value, $0.key) }, uniquingKeysWith: { min($0, $1) })
            let servers = capabilities.servers.map { server in names[server].map { "\(server) (\($0))" } ?? server }
            let place = servers.isEmpty ? "closed to other hosts" : "listening on \(servers.joined(separator: " and "))"
            return "radio \(capabilities.name) is ready: \(way), \(place), seed \(seed)"
        }
        let kind = capabilities.hasExtendedAdvertising ? "extended" : "legacy"
        return "radio \(capabilities.name) \(capabilities.address?.description ?? "") is ready: \(kind) advertising, "
            + "\(capabilities.freeInstances) of \(capabilities.instances) instances free, by \(way)"
    }

    private static func line(_ event: HostEvent) -> String {
        let host = "host \(event.name) (\(event.peer) on \(event.transport))"
        return switch event.action {
        case .joined: "\(host) joined as controller \(event.address)"
        case .left: "\(host) left"
        case .refused(let reason): "\(host) was refused: \(reason)"
        case .scanStarted(let isActive): "\(host) started a scan (\(isActive ? "active" : "passive"))"
        case .scanStopped: "\(host) stopped its scan"
        }
    }

    // MARK: - Beacons

    /// One line, without the beacon's name.
    private static func line(_ event: BeaconEvent, of beacon: BeaconIdentifier) -> String {
        switch event {
        case .advertising(let status, _, _): return line(status)
        case .advertisingStopped(let stop): return "off the air (\(stop.reason))"
        case .advertisingRefused(let error): return "advertising refused: \(error.message); \(error.hint)"
        case .connected(let central): return "\(central) connected"
        case .disconnected(let central): return "\(central) disconnected"
        case .subscribed(let central, let characteristic, let isOn):
            return "\(central) \(isOn ? "subscribed to" : "unsubscribed from") \(text(characteristic))"
        case .written(let central, let characteristic, let value, let settings):
            let changes = settings.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            return "\(central) wrote \(Hexadecimal.string(value)) to \(text(characteristic))"
                + (changes.isEmpty ? "" : ": " + changes.joined(separator: " "))
        case .refused(let request, let error, let name):
            let characteristic = text(NamedCharacteristic(identifier: request.characteristic, name: name))
            let access =
                switch request.operation {
                case .read: "read \(characteristic)"
                case .write(_, let value): "wrote \(Hexadecimal.string(value)) to \(characteristic)"
                }
            return "refused: \(request.central) \(access): \(error)"
        case .pairing(let central, let event): return line(event, with: central, of: beacon)
        case .settingsSaved(let file): return "settings saved in \(file)"
        case .settingsRestored(let file, let reset):
            return "settings restored from \(file); when the run has ended, \(reset) restores the profile's"
        case .settingsReset(let file): return "settings reset: \(file) removed"
        case .bondsSaved(let file): return "bonds saved in \(file)"
        case .bondsReset(let file): return "bonds reset: \(file) removed"
        case .muted(let duration):
            let time = duration.map { " for \(ValueText.text(($0 / .milliseconds(10)).rounded() / 100)) s" } ?? ""
            return "muted\(time): nothing that it sends is received"
        case .unmuted: return "unmuted"
        case .battery(.flat): return "its battery is flat"
        case .battery(.full): return "its battery is full again"
        case .report(let report): return line(report, of: beacon)
        case .warning(let warning): return line(warning)
        }
    }

    private static func line(_ status: AdvertisingStatus) -> String {
        let (requested, effective) = (status.requested, status.effective)
        var words = ["on the air:"]
        if let name = AdvertisementText(status).name { words.append("\(name),") }
        words.append(effective.pdu.value?.rawValue ?? "PDU type unknown,")
        if let range = effective.interval.value {
            let (lowest, highest) = (range.lowerBound.count, range.upperBound.count)
            words.append(lowest == highest ? "every \(lowest) ticks," : "every \(lowest) to \(highest) ticks,")
        } else {
            words.append("interval unknown (\(requested.interval.count) ticks requested),")
        }
        if let power = effective.transmitPower.value { words.append("\(power.decibelMilliwatts) dBm,") }
        if let address = effective.address.value { words.append("from \(address),") }
        if let data = effective.advertisingData.value {
            words.append("data \(Hexadecimal.string(data))")
        } else {
            let data = Hexadecimal.string(requested.advertisingData.serialized())
            words.append("data unknown (\(data) requested)")
        }
        let scanResponse = effective.scanResponse.value ?? requested.scanResponse.serialized()
        if !scanResponse.isEmpty { words.append("scan response \(Hexadecimal.string(scanResponse))") }
        return words.joined(separator: " ")
    }

    /// `level (2A19)`, or the UUID alone.
    private static func text(_ characteristic: NamedCharacteristic) -> String {
        characteristic.name.map { "\($0) (\(characteristic.identifier))" } ?? "\(characteristic.identifier)"
    }

    // MARK: - Pairing

    private static func line(_ event: PairingEvent, with central: String, of beacon: BeaconIdentifier) -> String {
        switch event {
        case .began: "pairing with \(central)"
        case .passkeyShown(let number): "passkey for \(central): \(ValueText.digits(of: number))"
        case .passkeyWanted: "enter the passkey that \(central) shows: beaconry ctl pair \(beacon) PASSKEY"
        case .comparisonWanted(let number):
            "does \(central) show \(ValueText.digits(of: number))? beaconry ctl pair \(beacon) accept, or reject"
        case .paired(let peer): line(peer, central)
        case .failed(let error): line(error, hint: error.hint, central)
        case .encrypted(let protection): line(protection, central)
        case .forgotten(let peer): "bond with \(peer.address) removed"
        }
    }

    private static func line(_ peer: PairedPeer, _ central: String) -> String {
        var words = "paired with \(central)"
        if !central.hasPrefix(peer.address.address.description) { words += ", as \(peer.address.address)" }
        if peer.isAuthenticated == false { words += ", without protection against a person in the middle" }
        return words + (peer.isBonded ? ", bonded" : ", not bonded")
    }

    private static func line(_ error: PairingError, hint: String, _ peer: String) -> String {
        "pairing with \(peer) failed: \(error.message) [\(error.code.rawValue)]; \(hint)"
    }

    private static func line(_ protection: LinkProtection, _ peer: String) -> String {
        "the link to \(peer) is encrypted" + (protection.isAuthenticated == true ? ", and authenticated" : "")
    }

    // MARK: - Notifications

    /// The name of a device's report, and its arguments: `notification shown: Robert | Hello`.
    private static func line(_ report: DeviceReport, of beacon: BeaconIdentifier) -> String {
        func text(_ key: String, in values: [String: DeviceReport.Value]) -> String? {
            if case .text(let text)? = values[key], !text.isEmpty { text } else { nil }
        }
        var parts = ["action", "message"].map { text($0, in: report.arguments) }
        if case .object(let fields)? = report.arguments["notification"] {
            let texts = ["title", "subtitle", "message", "appName"].compactMap { text($0, in: fields) }
            if !texts.isEmpty {
                parts.append(texts.joined(separator: " | "))
            } else if let display = text("display", in: fields) {
                parts.append(display)
            } else if case .integer(let number)? = fields["uid"] {
                parts.append("notification \(number)")
            }
        }
        parts.append(text("reason", in: report.arguments))
        if case .list(let settings)? = report.arguments["settings"] {
            parts.append(
                "press it with " + settings.map { "beaconry ctl set \(beacon) \($0)" }.joined(separator: ", then "))
        }
        let name = report.name.replacing("-", with: " ")
        return SafeText.line(([name] + parts.compactMap(\.self)).joined(separator: ": "))
    }

    /// The category in the words of a small display.
    private static func line(_ event: ANCSNotificationEvent) -> String {
        let display = event.category.display
        return switch event.kind {
        case .added: display
        case .modified: "\(display) changed"
        case .removed: "\(display) is gone"
        default: "notification event \(event.kind.rawValue)"
        }
    }

    // MARK: - Phones

    /// One line, without the phone's name.
    private static func line(_ event: PhoneEvent, with accessory: String) -> String {
        switch event {
        case .looking: return "scanning for an accessory"
        case .accessoryFound(let device, _): return "found an accessory, \(device.address)"
        case .connectionFailed(let device, let error):
            return "could not connect to \(device.address): \(error.message); \(error.hint)"
        case .connected: return "\(accessory) connected"
        case .disconnected: return "\(accessory) disconnected"
        case .encrypted(let protection): return line(protection, accessory)
        case .pairingFailed(let error, let hint): return line(error, hint: hint, accessory)
        case .notNotified(let characteristic, let value):
            return "could not notify \(accessory) of \(Hexadecimal.string(value)) (\(characteristic)): it is not "
                + "subscribed, or has disconnected"
        case .serviceChanged(let isPresent): return "notification service \(isPresent ? "added" : "removed")"
        case .serviceFailed(let error): return "\(error.message); \(error.hint)"
        case .service(let report): return line(report, with: accessory)
        }
    }

    private static func line(_ report: ANCSProvider.Report, with accessory: String) -> String {
        switch report {
        case .sessionBegan: return "\(accessory) subscribed to notifications"
        case .sessionEnded: return "\(accessory) unsubscribed from notifications"
        case .notified(let event, _): return line(event)
        case .asked(let command): return "\(accessory) asked \(Hexadecimal.string(command.serialized()))"
        case .acted(let action, let name): return "\(action.name) action on \(name) performed"
        case .refused(let error, let command):
            let meaning = Phone.meaning(of: error).map { ": \($0)" } ?? ""
            return "\(accessory) wrote \(Hexadecimal.string(command)) and got the error "
                + "0x\(Hexadecimal.string([error.rawValue]).uppercased())\(meaning)"
        }
    }
}
