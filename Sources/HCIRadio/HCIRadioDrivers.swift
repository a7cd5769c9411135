// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
package import Radio

/// The virtual air: `virtual`.
package struct VirtualAirDriver: RadioDriver {
    package static let scheme = "virtual"
    package static let forms = ["virtual"]
    package static let examples = ["virtual"]

    /// The air of a peripheral radio.
    package var options = VirtualAirOptions()
    /// How a central joins an air that another process serves; `nil` for its default server.
    package var served: HCITransport?
    /// Why the air is virtual; `nil` if it was requested.
    package var reason: String?

    /// The virtual air, chosen for a reason.
    package init(reason: String? = nil) { self.reason = reason }

    package init?(argument: String?) {
        guard argument == nil else { return nil }
    }

    package static func survey(_ ledger: any RadioLedger) async -> RadioSurvey {
        RadioSurvey(radios: [
            RadioSurvey.Entry(
                name: "virtual", advertising: .extended,
                summary: "always there: any number of beacons, for hosts of other programs, too (--hci-server)")
        ])
    }

    package func forecast(_ beacons: [HostedBeacon]) async throws(RadioError) -> RadioForecast {
        VirtualAirRadio.forecast(beacons)
    }

    package func makePeripheral(_ resources: RadioResources) -> any PeripheralRadio {
        VirtualAirRadio(options, reason: reason, capture: resources.capture, ledger: resources.ledger)
    }

    package func makeCentral(maximumTransmissionUnit: UInt16) -> any CentralRadio {
        let place = VirtualAirOptions.defaultServer
        var transport = served ?? .virtualAir(host: place.host, port: place.port, reason: nil)
        if case .virtualAir(let host, let port, _) = transport {
            transport = .virtualAir(host: host, port: port, reason: reason)
        }
        return HCIRadio(transport, maximumTransmissionUnit: maximumTransmissionUnit)
    }
}

/// A kind of radio that is our own host stack on one controller.
package protocol ControllerDriver: RadioDriver {
    /// The transport to the controller.
    var transport: HCITransport { get }
}

extension ControllerDriver {
    /// An empty list: controllers are found by their names only.
    package static func survey(_ ledger: any RadioLedger) async -> RadioSurvey { RadioSurvey() }

    package func forecast(_ beacons: [HostedBeacon]) async throws(RadioError) -> RadioForecast {
        try await HCIRadio.forecast(beacons, on: transport)
    }

    package func makePeripheral(_ resources: RadioResources) -> any PeripheralRadio {
        HCIRadio(transport, resources)
    }

    package func makeCentral(maximumTransmissionUnit: UInt16) -> any CentralRadio {
        HCIRadio(transport, maximumTransmissionUnit: maximumTransmissionUnit)
    }
}

/// An adapter of this machine, by the kernel's user channel: `hci-socket:N`.
package struct UserChannelDriver: ControllerDriver {
    package static let scheme = "hci-socket"
    package static let forms = ["hci-socket:N"]
    package static let examples = ["hci-socket:0"]
    package let transport: HCITransport

    package init?(argument: String?) {
        guard let index = argument.flatMap({ UInt16($0) }) else { return nil }
        transport = .userChannel(Int(index))
    }
}

/// A controller behind a TCP server: `tcp-client:HOST:PORT`.
package struct TCPClientDriver: ControllerDriver {
    package static let scheme = "tcp-client"
    package static let forms = ["tcp-client:HOST:PORT"]
    package static let examples = ["tcp-client:127.0.0.1:6402"]
    package let transport: HCITransport

    package init?(argument: String?) {
        guard let place = argument.flatMap(HostAndPort.init) else { return nil }
        transport = .tcp(host: place.host, port: place.port)
    }
}

/// A controller behind a Unix socket: `unix:PATH`.
package struct UnixSocketDriver: ControllerDriver {
    package static let scheme = "unix"
    package static let forms = ["unix:PATH"]
    package static let examples = ["unix:PATH"]
    package let transport: HCITransport

    package init?(argument: String?) {
        guard let argument, !argument.isEmpty else { return nil }
        transport = .unix(path: argument)
    }
}

/// A controller on a serial line: `serial:DEVICE`, `serial:DEVICE,BAUD`.
package struct SerialDriver: ControllerDriver {
    package static let scheme = "serial"
    package static let forms = ["serial:DEVICE[,BAUD]"]
    package static let examples = ["serial:/dev/ttyUSB0,115200"]
    package let transport: HCITransport

    package init?(argument: String?) {
        let parts = (argument ?? "").split(separator: ",", maxSplits: 1, omittingEmptySubsequences: false)
        guard let device = parts.first, !device.isEmpty, let baud = Int(parts.count > 1 ? parts[1] : "115200") else {
            return nil
        }
        transport = .serial(device: String(device), baud: baud)
    }
}
