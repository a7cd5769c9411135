// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Devices
package import HCIRadio
import Radio
import Receiving

/// `run --replay`: reads a recording for the virtual air.
package enum ReplayTool {
    /// More advertisers than this do not fit on an air.
    private static let maximumAdvertisers = 65_536
    /// The longest recording: times of an air are in microseconds, and a century does not overflow.
    private static let longest = Duration.seconds(3_155_760_000)

    /// The recording of a file of `record`, or of the advertising reports of a capture.
    /// - Throws: `Failure` that names the line of an advertisement that cannot be sent.
    package static func load(_ path: String) throws -> AirReplay {
        var sightings: [RecordedSighting] = []
        var devices: Set<RemoteAddress> = []
        // Beacons repeat their data: equal data is stored once.
        var payloads: [[UInt8]: [UInt8]] = [:]
        let receiver = try RecordingReader(path: path).readAll { recorded in
            for part in try parts(of: recorded) {
                let sighting = part.sighting
                devices.insert(sighting.device)
                guard devices.count <= maximumAdvertisers else {
                    throw ValueFault(
                        "an air has at most \(maximumAdvertisers) advertisers; leave some out of the recording")
                }
                let data = payloads[sighting.data] ?? sighting.data
                payloads[data] = data
                sightings.append(
                    RecordedSighting(
                        offset: part.offset,
                        sighting: Sighting(device: sighting.device, pdu: sighting.pdu, data: data, rssi: sighting.rssi))
                )
            }
        }
        var replay = AirReplay(sightings, hasRepetitions: receiver.reportsRepetitions)
        replay.ofFile = receiver.notices.map { Warning(code: $0.code, message: $0.message, hint: $0.hint) }
        guard !replay.isEmpty else { throw Failure.badData("\(path): no advertisement in it that can be sent again") }
        return replay
    }

    /// The packets of a sighting: one, or an advertisement and a scan response if the radio has merged both.
    private static func parts(of recorded: RecordedSighting) throws(ValueFault) -> [RecordedSighting] {
        let sighting = recorded.sighting
        guard recorded.offset <= longest else { throw ValueFault("a recording is at most 100 years long") }
        if let rssi = sighting.rssi, !(-127...20).contains(rssi.decibelMilliwatts) {
            throw ValueFault("the RSSI \(rssi) is not -127 to 20 dBm")
        }
        let isExtended = sighting.pdu == .extended || sighting.pdu == .extendedScanResponse
        let capacity = isExtended ? AirReplay.extendedCapacity : AdvertisingPDU.capacity
        guard sighting.data.count > capacity else { return [recorded] }
        let (data, scanResponse) = ProfileCloner.split(sighting.data)
        guard sighting.pdu == nil, max(data.count, scanResponse.count) <= capacity else {
            throw ValueFault("an advertisement of this type has at most \(capacity) bytes, not \(sighting.data.count)")
        }
        return [(Sighting.PDU.scannable, data), (.scanResponse, scanResponse)].map { pdu, data in
            RecordedSighting(
                offset: recorded.offset,
                sighting: Sighting(device: sighting.device, pdu: pdu, data: data, rssi: sighting.rssi))
        }
    }
}
