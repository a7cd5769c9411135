// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Radio

/// Why a proxy cannot be used.
enum ProxyFault: Error, Hashable {
    /// There is no connection, for a reason of the system.
    case unreachable(String)
    /// An answer is missing.
    case silent(Duration)
    /// It does not take what is sent to it.
    case notReading
    /// It is not the protocol, or the keys differ.
    case channel(ClientChannel.Fault)
    /// It has a password.
    case password
    /// Its API has this version.
    case version(UInt32)
    /// It is a device with this name, and no Bluetooth proxy.
    case notAProxy(String)
    /// This version of ESPHome sends parsed advertisements only.
    case parsedOnly(String)
    /// It has a subscriber, and sends nothing to others.
    case subscribed
    /// Its scanner is in this state, and does not leave it.
    case notScanning(ServerMessage.ScannerState)
    /// It has ended the session.
    case left
    /// It has ended the connection; before its description if this is early.
    case ended(isEarly: Bool)
    /// The radio was closed.
    case closed

    /// Whether it may pass, as when the proxy restarts.
    var isTemporary: Bool {
        switch self {
        case .unreachable, .silent, .left, .ended: true
        case .notReading, .channel, .password, .version, .notAProxy, .parsedOnly, .subscribed, .notScanning, .closed:
            false
        }
    }

    /// The error of the radio with this name.
    func error(of radio: String) -> RadioError {
        switch self {
        case .unreachable(let reason):
            RadioError(
                .noAdapter, "\(radio) cannot be reached: \(reason)",
                hint: "check host and port (6053 by default), and that the proxy is on the network")
        case .silent(let limit):
            RadioError(
                .noAdapter, "\(radio) did not answer within \(limit.components.seconds) s",
                hint: "check that it is an ESPHome device, and restart it")
        case .notReading:
            RadioError(.refused, "\(radio) does not read what is sent to it", hint: "restart the proxy")
        case .channel(let fault): fault.error(of: radio)
        case .password:
            RadioError(
                .notPermitted, "\(radio) has a password, which newer versions of ESPHome do not have",
                hint: "give it a key instead (api: encryption: in its configuration)")
        case .version(let major):
            RadioError(
                .unsupported, "\(radio) has version \(major) of ESPHome's API, which is not known",
                hint: "use a proxy with version 1 of the API")
        case .notAProxy(let name):
            RadioError(
                .unsupported, "\(radio) is not a Bluetooth proxy, but the device \"\(name.printable)\"",
                hint: "add bluetooth_proxy: to its configuration, or name another device")
        case .parsedOnly(let version):
            RadioError(
                .unsupported, "\(radio) has ESPHome \(version.printable), which sends no raw advertisements",
                hint: "update it to ESPHome 2023.6 or newer")
        case .subscribed:
            RadioError(
                .refused, "\(radio) sends its advertisements to another client, such as Home Assistant",
                hint: "disable it there meanwhile (integration ESPHome), or update it: newer versions of ESPHome send "
                    + "them to the client that came last")
        case .notScanning(let state):
            RadioError(
                .refused, "\(radio) does not scan: its scanner is \(state.text)",
                hint: "check esp32_ble_tracker: in its configuration (continuous: true), and restart it")
        case .left:
            RadioError(
                .noAdapter, "\(radio) has ended the session", hint: "it may restart: try again")
        case .ended(true):
            RadioError(
                .noAdapter, "\(radio) has ended the connection before it answered",
                hint: "check the port (6053 by default), and whether it has a key (?key=KEY)")
        case .ended(false):
            RadioError(.noAdapter, "\(radio) has ended the connection", hint: "it may restart: try again")
        case .closed: RadioError(.refused, "the radio was closed", hint: "open another one")
        }
    }
}

extension ClientChannel.Fault {
    fileprivate func error(of radio: String) -> RadioError {
        switch self {
        case .keyRequired:
            RadioError(
                .notPermitted, "\(radio) requires a key",
                hint: "append ?key-file=FILE or ?key=KEY, with the key of its configuration (api: encryption: key:)")
        case .noKey:
            RadioError(
                .notPermitted, "\(radio) answers without encryption, although a key is given",
                hint:
                    "another device may answer in its place; leave the key out only if its configuration has none "
                    + "(api: encryption:)")
        case .otherKey:
            RadioError(
                .notPermitted, "\(radio) has another key",
                hint: "take the key of its configuration (api: encryption: key:)")
        case .refusedHandshake(let text):
            RadioError(
                .refused, "\(radio) refuses the connection (\(text.printable))",
                hint: "check the key, and the log of the proxy")
        case .malformed(let reason):
            RadioError(
                .unsupported, "\(radio) does not follow ESPHome's API: \(reason)",
                hint: "check that it is an ESPHome device, and its port (6053 by default)")
        }
    }
}

extension ServerMessage.ScannerState {
    fileprivate var text: String {
        switch self {
        case .idle: "idle"
        case .starting: "starting"
        case .running: "running"
        case .failed: "in the state \"failed\""
        case .stopping: "stopping"
        case .stopped: "stopped"
        }
    }
}

extension String {
    /// A text of a peer, for messages: at most 64 characters, without control characters.
    fileprivate var printable: String {
        String(
            prefix(64).map { character in
                let isPrintable = character.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
                return isPrintable ? character : "\u{FFFD}"
            })
    }

    /// The same for a description that is made of a name and a version.
    static func description(of identity: ProxyIdentity) -> String {
        "ESPHome proxy \(identity.name.printable), ESPHome \(identity.version.printable)"
    }
}
