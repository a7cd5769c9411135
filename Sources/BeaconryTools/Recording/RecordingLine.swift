// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BeaconryCentral
import Bluetooth
import Emulator
import Radio
import Receiving

/// The first line of a recording: a JSON object.
struct RecordingHead: Codable {
    var v = 1
    /// When the recording began, in UTC.
    let began: String
    /// The radio that received it.
    let radio: String
    /// What that radio cannot receive.
    let limits: [String]
    /// The version of the virtual air that it is of (see `RadioCapabilities`); absent for other radios, and for version 1.
    var air: Int?
}

/// Any other line of a recording: one advertisement.
struct RecordingLine: Codable {
    var v = 1
    /// The time since the recording began.
    let microseconds: Int64
    let address: String
    let addressType: String
    /// Absent when the radio does not report it.
    let pdu: String?
    let data: String
    /// In dBm; absent when the radio does not know.
    let rssi: Int8?
    /// Where the receiver and the beacon really were; absent for radios other than a virtual air in this process.
    var truth: TruthRecord?

    init(_ recorded: RecordedSighting, truth: TruthRecord? = nil) {
        self.truth = truth
        let (seconds, attoseconds) = recorded.offset.components
        microseconds = seconds * 1_000_000 + attoseconds / 1_000_000_000_000
        address = recorded.sighting.device.address.description
        addressType = recorded.sighting.device.isRandom ? "random" : "public"
        pdu = recorded.sighting.pdu?.rawValue
        data = Hexadecimal.string(recorded.sighting.data)
        rssi = recorded.sighting.rssi?.decibelMilliwatts
    }

    /// The advertisement; `nil` when a value is invalid.
    var recorded: RecordedSighting? {
        guard v == 1, let device = BluetoothAddress(address), ["random", "public"].contains(addressType),
            let bytes = try? Hexadecimal.bytes(data), 0...(Int64.max / 2) ~= microseconds
        else { return nil }
        let kind = pdu.map(Sighting.PDU.init(rawValue:))
        if case .some(.none) = kind { return nil }
        return RecordedSighting(
            offset: .microseconds(microseconds),
            sighting: Sighting(
                device: RemoteAddress(device, isRandom: addressType == "random"), pdu: kind ?? nil, data: bytes,
                rssi: rssi.map { RSSI($0) }))
    }
}
