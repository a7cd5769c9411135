// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Devices
import Profiles
import Testing

@Suite struct RecognitionTests {
    private static let frame = "1aff4c000215e2c56db5dffb48d2b060d0f5a71096e000010002c5"
    private static let configuration = "1107566114ab537964ab6248559119e57321"

    /// The PDU type, the advertising data, the scan response, and the device that is recognized.
    static let advertisers: [(AdvertisingPDU, String, String, String)] = [
        (.nonConnectable, "020106" + frame, "", "ibeacon"), (.nonConnectable, frame, "", "ibeacon"),
        (.connectableScannable, "02011a" + frame, "", "ibeacon"),
        (.scannable, "020106" + frame, "03094142", "ibeacon"),
        (.scannable, "020106" + frame, configuration, "ibeacon"),
        (.connectableScannable, "020106" + frame, configuration, "iot-design-shop"),
        (.connectableScannable, "020106" + frame, configuration + "03094142", "iot-design-shop"),
        // Another order, a wrongly shortened name, more structures, another company: not recognized.
        (.nonConnectable, frame + "020106", "", "raw"), (.connectableScannable, frame, configuration, "ibeacon"),
        (.scannable, "020106" + frame, "03084142", "raw"), (.scannable, "020106" + frame, "03094142020a00", "raw"),
        (.scannable, "020106" + frame, "03094142" + configuration, "raw"),
        (.nonConnectable, "020106" + frame + "00", "", "raw"),
        (.nonConnectable, "0201061aff4d" + frame.dropFirst(6), "", "raw"), (.nonConnectable, "", "", "raw"),
        (.nonConnectable, "0201061aff4c", "", "raw"),
    ]

    @Test(arguments: advertisers)
    func knownFormatsStayStructuredAndAllBytesArePreserved(
        _ pdu: AdvertisingPDU, _ data: String, _ scanResponse: String, _ kind: String
    ) throws {
        let raw = RawAdvertiser.Configuration(
            pdu: pdu, advertisingData: try Hexadecimal.bytes(data), scanResponse: try Hexadecimal.bytes(scanResponse),
            advertising: AdvertisingSettings(
                interval: AdvertisingInterval(1600), address: BluetoothAddress("C0:FF:EE:00:00:01")))
        let device = DeviceRegistry.device(advertising: raw)
        #expect(device.kind == kind)
        var made = device
        #expect(made.handle(.poweredOn, at: DeviceTime()) == [.advertise(RawAdvertiser(raw).advertisement)])
        let frame = AdvertisingData(verbatim: raw.advertisingData).structures.contains { IBeacon($0) != nil }
        #expect((device.frame != nil) == frame)
    }
}
