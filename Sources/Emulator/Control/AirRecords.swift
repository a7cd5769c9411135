// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
package import BluetoothCore
import Devices
package import Radio

/// A receiver as JSON: a host on the air, or the server of a receiver that hosts may join.
package struct ReceiverRecord: Codable, Hashable, Sendable {
    /// The version of the format.
    package var v = 1
    /// The name on the air: that of the first host of a server.
    package let name: String
    /// Where hosts get controllers, as in `radio-ready`: `tcp:127.0.0.1:6402`; absent for a host without a server of its
    /// own.
    package let server: String?
    /// The port of a TCP server; absent for others.
    package let port: Int?
    /// The names of the hosts that are connected to the server; absent without one.
    package let hosts: [String]?
    /// Whether a host of this name is on the air.
    package let joined: Bool
    /// The present position x, y, z in metres, or that of the hosts that will join; absent for 1 m from every beacon.
    package let position: [Double]?
    /// The line on which it moves: positions in metres, straight lines between them; absent at rest.
    package let path: [[Double]]?
    /// Its scan at present; absent while it does not scan.
    package let scan: ReceiverScan?
    /// Whether its app scans; absent for a host of another process, as the following ones.
    package let listening: Bool?
    /// The phone that it receives like.
    package let phone: String?
    /// The state of its screen: `on` or `off`.
    package let screen: String?
    /// Why it cannot listen; absent if it can.
    package let problem: String?

    /// A receiver with what is known of its server and of its first host, or of its app.
    package init(
        _ name: String, server: AirReceiver? = nil, host: AirMember? = nil, listener: ListenerRecord? = nil
    ) {
        self.name = name
        self.server = server?.server
        port = server.flatMap { ServerAddress($0.server)?.port }
        hosts = server?.hosts
        joined = host != nil || server?.hosts.contains(name) == true
        position = (host?.position ?? server?.position).map { [$0.x, $0.y, $0.z] }
        let outline = host?.motion?.outline ?? []
        path = outline.isEmpty ? nil : outline.map { [$0.x, $0.y, $0.z] }
        scan = listener.map(\.scan) ?? host?.isScanActive.map { ReceiverScan(active: $0) }
        listening = listener?.isListening
        phone = listener?.phone
        screen = listener?.screen
        problem = listener?.problem
    }

    /// A receiver of a radio that reports no more than the address of a server and the events of hosts.
    package init(_ name: String, server: String?, joined: Bool) {
        self.name = name
        self.server = server
        self.joined = joined
        (port, hosts, position, path, scan) = (nil, nil, nil, nil, nil)
        (listening, phone, screen, problem) = (nil, nil, nil, nil)
    }
}

/// The scan of a receiver as JSON, with the keys of profiles.
package struct ReceiverScan: Codable, Hashable, Sendable {
    /// Whether it sends scan requests.
    package let active: Bool
    /// The receiving time in each interval, `30ms`; absent if it is not known.
    package let window: String?
    /// The time from one window to the next, `40ms`; absent if it is not known.
    package let interval: String?

    package init(active: Bool, window: String? = nil, interval: String? = nil) {
        self.active = active
        self.window = window
        self.interval = interval
    }

    init(_ parameters: ScanParameters) {
        self.init(
            active: parameters.isActive, window: DeviceWriter.text(parameters.window),
            interval: DeviceWriter.text(parameters.interval))
    }
}

/// What is known of a receiver that scans within the run.
package struct ListenerRecord: Hashable, Sendable {
    let scan: ReceiverScan?
    let isListening: Bool
    let phone: String
    let screen: String
    let problem: String?
}

/// A beacon, a host or a receiver that walks, as JSON.
package struct WalkRecord: Codable, Hashable, Sendable {
    /// The version of the format.
    package var v = 1
    /// The name on the air.
    package let name: String
    /// The positions x, y, z in metres.
    package let path: [[Double]]
    /// The duration of the walk, such as `12.000s`.
    package let over: String

    package init(name: String, path: [Position], over duration: Duration) {
        self.name = name
        self.path = path.map { [$0.x, $0.y, $0.z] }
        over = DeviceWriter.text(duration)
    }
}

/// A beacon or a host that was moved, as JSON.
package struct MoveRecord: Codable, Hashable, Sendable {
    /// The version of the format.
    package var v = 1
    /// The name on the air.
    package let name: String
    /// The position x, y, z in metres.
    package let position: [Double]

    package init(name: String, position: Position) {
        self.name = name
        self.position = [position.x, position.y, position.z]
    }
}

/// The override of a path on the virtual air as JSON, with the keys and units of a request for it.
package struct OverrideRecord: Codable, Hashable, Sendable {
    private enum CodingKeys: String, CodingKey {
        case rssi, loss
        case packetLoss = "packet-loss"
        case time = "for"
    }

    /// The RSSI of all packets in dBm; absent for that of the model.
    package let rssi: Int8?
    /// The additional loss in dB; absent for none.
    package let loss: Double?
    /// The percentage of the packets that are lost in addition; absent for none.
    package let packetLoss: Double?
    /// The time until it ends, such as `9.500s`; absent without a limit.
    package let time: String?

    package init(_ override: LinkOverride) {
        rssi = override.rssi
        loss = override.loss == 0 ? nil : override.loss
        packetLoss = override.packetLoss == 0 ? nil : (override.packetLoss * 1e8).rounded() / 1e6
        time = override.duration.map { DeviceWriter.text($0) }
    }
}

/// A path on the virtual air whose override was changed, as JSON.
package struct LinkChangeRecord: Codable, Hashable, Sendable {
    /// The version of the format.
    package var v = 1
    /// The one end.
    package let from: String
    /// The other end.
    package let to: String
    /// The override; absent if it was removed.
    package let override: OverrideRecord?

    package init(from: String, to: String, _ override: LinkOverride?) {
        self.from = from
        self.to = to
        self.override = override.map(OverrideRecord.init)
    }
}

/// A path on the virtual air as JSON.
package struct LinkRecord: Codable, Hashable, Sendable {
    /// The version of the format.
    package var v = 1
    /// The beacon, or another advertiser.
    package let from: String
    /// The host that scans.
    package let to: String
    /// In metres; absent unless both have a position.
    package let distance: Double?
    /// The RSSI in dBm without shadowing, fading and noise, with the override.
    package let meanRSSI: Double
    /// The RSSI in dBm of the last packet that was received; absent before the first, and where all have the mean.
    package let lastRSSI: Int8?
    /// The fraction of the packets that were lost, 0 to 1; absent where none is lost.
    package let lost: Double?
    /// The override of the path; absent for none.
    package let override: OverrideRecord?

    package init(_ path: AirPath) {
        from = path.transmitter
        to = path.receiver
        distance = path.distance
        meanRSSI = path.meanRSSI
        lastRSSI = path.lastRSSI?.decibelMilliwatts
        lost = path.loss
        self.override = path.override.map(OverrideRecord.init)
    }
}

/// Connections that were ended, as JSON.
package struct DisconnectionRecord: Codable, Hashable, Sendable {
    /// The version of the format.
    package var v = 1
    /// The beacon or the host that ended them, by its name on the air.
    package let name: String
    /// The addresses of the other ends.
    package let peers: [String]
    /// Their reason, as `DisconnectionReason` names it.
    package let reason: String

    package init(name: String, peers: [String], reason: String) {
        self.name = name
        self.peers = peers
        self.reason = reason
    }
}
