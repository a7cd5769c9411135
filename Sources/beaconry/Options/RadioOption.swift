// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BlueZRadio
import Emulator
import HCIRadio
import Radio

/// The option `--radio`: the only place that picks a radio.
struct RadioOption: ParsableArguments {
    @Option(
        help: """
            bluez, bluez:hciN, bluez:ADDRESS, virtual, hci-socket:N, tcp-client:HOST:PORT, unix:PATH, \
            serial:DEVICE[,BAUD], or auto: bluez where there is an adapter, else virtual (default: auto).
            """)
    var radio: String?

    /// What is asked for, by the option, else by BEACONRY_RADIO, else `auto`.
    var name: String { radio ?? Environment.value("BEACONRY_RADIO") ?? "auto" }

    /// Whether one was asked for.
    var isGiven: Bool { radio != nil || Environment.value("BEACONRY_RADIO") != nil }

    /// Which radio is meant.
    /// - Parameter waits: whether to wait for an adapter; then `auto` is one, since the virtual air is always there.
    /// - Throws: `Failure` for a name that is none.
    func selection(waits: Bool = false) throws -> RadioSelection {
        guard name == "auto" else { return try RadioSelection(name) }
        guard !waits, AdapterPresence.names.isEmpty else { return .bluez(.any) }
        return .virtual(reason: "this machine has no Bluetooth adapter")
    }
}

/// A radio that can be asked for.
enum RadioSelection: Hashable {
    /// An adapter under bluetoothd.
    case bluez(AdapterSelector)
    /// A controller that this process drives alone.
    case controller(HCITransport)
    /// The virtual air; the reason says why, when nobody asked for it.
    case virtual(reason: String?)

    /// The radio of a name, other than `auto`.
    /// - Throws: `Failure`.
    init(_ name: String) throws {
        let (kind, rest) = Self.split(name, at: ":")
        switch kind {
        case "bluez":
            guard let selector = rest.map(AdapterSelector.init) ?? .any else { throw Self.unknown(name) }
            self = .bluez(selector)
        case "virtual" where rest == nil: self = .virtual(reason: nil)
        case "hci-socket":
            guard let index = rest.flatMap({ UInt16($0) }) else { throw Self.unknown(name) }
            self = .controller(.userChannel(Int(index)))
        case "tcp-client":
            guard let (host, port) = rest.flatMap(HostAndPort.parse) else { throw Self.unknown(name) }
            self = .controller(.tcp(host: host, port: port))
        case "unix":
            guard let path = rest, !path.isEmpty else { throw Self.unknown(name) }
            self = .controller(.unix(path: path))
        case "serial":
            let (device, speed) = Self.split(rest ?? "", at: ",")
            guard !device.isEmpty, let baud = Int(speed ?? "115200") else { throw Self.unknown(name) }
            self = .controller(.serial(device: device, baud: baud))
        default: throw Self.unknown(name)
        }
    }

    /// The radio as a receiver. The virtual air is the one that another process serves, such as `beaconry run`.
    /// - Parameter maximumTransmissionUnit: the longest attribute protocol PDU that it takes, where it is for us to say.
    /// - Throws: `Failure` for an environment that names no place.
    func makeCentral(maximumTransmissionUnit: UInt16 = 517) throws -> any CentralRadio {
        switch self {
        case .bluez(let selector): return BlueZCentral(selector)
        case .controller(let transport):
            return HCIRadio(transport, maximumTransmissionUnit: maximumTransmissionUnit)
        case .virtual(let reason):
            let place = try VirtualAirOption.servedPlace()
            return HCIRadio(
                .virtualAir(host: place.host, port: place.port, reason: reason),
                maximumTransmissionUnit: maximumTransmissionUnit)
        }
    }

    private static func split(_ text: String, at separator: Character) -> (String, String?) {
        let parts = text.split(separator: separator, maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        return (parts.first ?? "", parts.count > 1 ? parts[1] : nil)
    }

    private static func unknown(_ name: String) -> Failure {
        .usage(
            "\"\(name)\" is not a radio; write auto, bluez:hci0, bluez:ADDRESS, virtual, hci-socket:0, "
                + "tcp-client:127.0.0.1:6402, unix:PATH or serial:/dev/ttyUSB0,115200")
    }
}

/// `HOST:PORT`
enum HostAndPort {
    /// Both; `nil` when it is not so. An IPv6 address stands in brackets.
    static func parse(_ text: String) -> (host: String, port: Int)? {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            return nil
        }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        return host.isEmpty ? nil : (String(host), Int(port))
    }
}
