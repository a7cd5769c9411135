// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import BluetoothCore
import Emulator
import Radio
import Receiving

/// Something that was heard, and what is known of who sent it.
struct ScanRecord: Encodable {
    let v = 1
    let event = "heard"
    let time: String
    let address: String
    let addressType: String
    /// What was heard just now; absent when the radio does not tell.
    let pdu: String?
    /// In dBm; absent when the radio does not know.
    let rssi: Int8?
    /// The latest advertising data as heard.
    let advertisingData: String
    /// The latest scan response as heard; absent when none was.
    let scanResponse: String?
    /// Absent when it gives none.
    let name: String?
    /// The services that it names.
    let services: [String]
    /// The beacon frames in it.
    let frames: [DecodedFrame]

    init(_ sighting: Sighting, _ advertiser: Advertiser<RemoteAddress>) {
        time = Timestamp.now
        address = sighting.device.address.description
        addressType = sighting.device.isRandom ? "random" : "public"
        pdu = sighting.pdu?.rawValue
        rssi = sighting.rssi?.decibelMilliwatts
        advertisingData = Hexadecimal.string(advertiser.advertisingBytes)
        scanResponse = advertiser.scanResponses > 0 ? Hexadecimal.string(advertiser.scanResponseBytes) : nil
        name = advertiser.localName
        services = advertiser.services.map(\.description)
        frames = advertiser.frames.map(DecodedFrame.init)
    }

    /// In words.
    var line: String {
        let strength = rssi.map { "\($0) dBm" } ?? "strength unknown"
        let identities = frames.map { Self.printable($0.line) }
        let cells: [String?] = [
            "\(address) (\(addressType))", strength, pdu, name.map(Self.printable),
            identities.isEmpty ? nil : identities.joined(separator: ", "),
            services.isEmpty ? nil : "services \(services.joined(separator: " "))",
            frames.isEmpty && services.isEmpty ? advertisingData : nil,
        ]
        return cells.compactMap(\.self).joined(separator: "  ")
    }

    /// What a device is: its beacon frames, else its services, else its data.
    static func identity(of advertiser: Advertiser<RemoteAddress>) -> String {
        let frames = advertiser.frames.map { frame in
            if case .iBeacon(let beacon) = frame { return "ibeacon \(beacon.major)/\(beacon.minor) \(beacon.uuid)" }
            return printable(DecodedFrame(frame).line)
        }
        if !frames.isEmpty { return frames.joined(separator: ", ") }
        let services = advertiser.services.map(\.description)
        return services.isEmpty ? Hexadecimal.string(advertiser.advertisingBytes) : services.joined(separator: " ")
    }

    /// A device's name, which it is free to choose, made safe for a terminal.
    static func name(of advertiser: Advertiser<RemoteAddress>) -> String? { advertiser.localName.map(printable) }

    /// A text without what steers a terminal.
    static func printable(_ text: String) -> String { SafeText.line(text) }
}
