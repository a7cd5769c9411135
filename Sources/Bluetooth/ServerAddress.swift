// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// Where hosts of other programs find controllers of a virtual air, as `--hci-server` and profiles have it.
package enum ServerAddress: Hashable, Sendable {
    /// `tcp:HOST:PORT`: H4 over TCP; port 0 takes a free one.
    case tcp(HostAndPort)
    /// `unix:PATH`: H4 over a Unix socket.
    case unix(String)
    /// `netsim:HOST:PORT`: netsim's protocol for Android emulators, over TCP; port 0 takes a free one.
    case netsim(HostAndPort)
    /// `vhci`: a controller of this machine's kernel.
    case kernel

    /// The forms of texts, for errors.
    package static let forms = "tcp:HOST:PORT, unix:PATH, netsim:HOST:PORT or vhci"
    /// The forms of texts with what they mean, for help.
    package static let help =
        "tcp:HOST:PORT (port 0 picks a free one), unix:PATH, netsim:HOST:PORT (for Android emulators), vhci (the kernel has one "
        + "as hciN)"

    /// The port of a server that has one.
    package var port: Int? {
        switch self {
        case .tcp(let place), .netsim(let place): place.port
        case .unix, .kernel: nil
        }
    }

    /// The option of the Android emulator with which it joins; `nil` for other servers.
    package var emulatorOption: String? {
        guard case .netsim(let place) = self else { return nil }
        return "-packet-streamer-endpoint \(place)"
    }

    /// Reads a text; `nil` if it has none of the forms.
    package init?(_ text: String) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let rest = parts.count > 1 ? parts[1] : nil
        switch (parts[0], rest) {
        case ("tcp", let place?):
            guard let place = HostAndPort(place) else { return nil }
            self = .tcp(place)
        case ("netsim", let place?):
            guard let place = HostAndPort(place) else { return nil }
            self = .netsim(place)
        case ("unix", let path?) where !path.isEmpty: self = .unix(path)
        case ("vhci", nil): self = .kernel
        default: return nil
        }
    }
}

extension ServerAddress: CustomStringConvertible {
    package var description: String {
        switch self {
        case .tcp(let place): "tcp:\(place)"
        case .unix(let path): "unix:\(path)"
        case .netsim(let place): "netsim:\(place)"
        case .kernel: "vhci"
        }
    }
}
