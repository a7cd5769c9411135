// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
package import Bluetooth
import HCI
import Radio
package import Receiving
import VirtualRadio

/// A recording that a virtual air sends again, from the first scan on, with its times and RSSI.
package struct AirReplay: Hashable, Sendable {
    /// The sightings in the order of their times; each has a type that can be sent again, and at most as much data as it
    /// can carry.
    private let sightings: [RecordedSighting]
    /// The number of sightings that are left out: directed advertisements, of which recordings do not have the target.
    package let leftOut: Int
    /// Whether the receiver of the recording reported each advertisement that it received.
    private let hasRepetitions: Bool
    /// Whether it is sent again and again.
    package var loops = false
    /// Warnings about the file that it was read from.
    package var ofFile: [Warning] = []

    /// Longest data of extended advertising, in bytes (Core 5.4, Vol 4, Part E, 7.8.54).
    package static let extendedCapacity = 1650

    /// A recording of these sightings; those whose PDU type is unknown are sent as ADV_NONCONN_IND.
    /// - Parameter hasRepetitions: whether the receiver reported each advertisement that it received.
    package init(_ recorded: [RecordedSighting], hasRepetitions: Bool = true) {
        self.hasRepetitions = hasRepetitions
        let usable = recorded.filter { $0.sighting.pdu != .directed }
        leftOut = recorded.count - usable.count
        // Captures may have times that go back; those that are equal stay in the order of the file.
        sightings = usable.enumerated().sorted { ($0.element.offset, $0.offset) < ($1.element.offset, $1.offset) }
            .map(\.element)
    }

    /// Whether nothing is sent.
    package var isEmpty: Bool { sightings.isEmpty }

    /// Warnings about advertisements that are not sent as they were on the air of the recording.
    var warnings: [Warning] {
        var warnings = ofFile
        if leftOut > 0 {
            warnings.append(
                Warning(
                    code: "replay-incomplete",
                    message: "\(leftOut) directed advertisements of the recording are not sent again: it does not have "
                        + "their target",
                    hint: "none: recordings do not have the target of directed advertisements"))
        }
        if !hasRepetitions {
            warnings.append(
                Warning(
                    code: "replay-thinned",
                    message:
                        "the receiver of the recording left out repetitions of advertisements, so they are sent less "
                        + "often than they were on the air",
                    hint: "record with a radio that reports each advertisement, such as --radio hci-socket:N"))
        }
        return warnings
    }

    /// The advertisers in the order of their first packets.
    var advertisers: [RemoteAddress] {
        var known: Set<RemoteAddress> = []
        return sightings.map(\.sighting.device).filter { known.insert($0).inserted }
    }

    /// The packets for an air.
    /// - Parameter transmitter: the controller of an advertiser; packets of an advertiser without one are left out.
    func packets(_ transmitter: (RemoteAddress) -> ControllerIdentifier?) -> [ReplayedPacket] {
        /// The type of the last advertisement of each advertiser, which a scan response answers.
        var types: [RemoteAddress: AdvertisingEventProperties] = [:]
        let powers = sightings.map { Self.measuredPower(of: $0.sighting) }
        // Packets with other frames, such as telemetry, have the power of the first frame that claims one.
        var usualPowers: [RemoteAddress: MeasuredPower] = [:]
        for (recorded, power) in zip(sightings, powers) where usualPowers[recorded.sighting.device] == nil {
            usualPowers[recorded.sighting.device] = power
        }
        return zip(sightings, powers).compactMap { recorded, power in
            let sighting = recorded.sighting
            guard let identifier = transmitter(sighting.device) else { return nil }
            let type: AdvertisingEventProperties
            switch sighting.pdu {
            case .connectableScannable: type = .legacyConnectable
            case .scannable: type = .legacyScannable
            case .nonConnectable, .directed, nil: type = .legacyNonConnectable
            case .extended: type = []
            case .extendedScanResponse: type = .scannable
            case .scanResponse:
                type = types[sighting.device] == .legacyConnectable ? .legacyConnectable : .legacyScannable
            }
            let isScanResponse = sighting.pdu == .scanResponse || sighting.pdu == .extendedScanResponse
            if !isScanResponse { types[sighting.device] = type }
            let (seconds, attoseconds) = max(recorded.offset, .zero).components
            return ReplayedPacket(
                time: seconds * 1_000_000 + attoseconds / 1_000_000_000_000, transmitter: identifier,
                address: sighting.device.address, isRandom: sighting.device.isRandom, properties: type,
                isScanResponse: isScanResponse, data: sighting.data, rssi: sighting.rssi,
                rssiOffset: ControllerConfiguration.offset(
                    for: power ?? usualPowers[sighting.device]))
        }
    }

    private static func measuredPower(of sighting: Sighting) -> MeasuredPower? {
        AdvertisingData.prefix(of: sighting.data).data.measuredPower
    }
}
