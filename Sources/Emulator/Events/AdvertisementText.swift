// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Advertising
import Bluetooth
import JSON
package import Radio

/// What people recognize an advertisement by.
package struct AdvertisementText {
    /// The advertising data; `nil` if it is malformed.
    private let data: AdvertisingData?
    /// The scan response; `nil` if it is malformed.
    private let scanResponse: AdvertisingData?

    /// The advertisement on the air; the requested one where it is unknown.
    package init(_ status: AdvertisingStatus) {
        let (requested, effective) = (status.requested, status.effective)
        data = try? AdvertisingData(
            parsing: effective.advertisingData.value ?? requested.advertisingData.serialized())
        scanResponse = try? AdvertisingData(
            parsing: effective.scanResponse.value ?? requested.scanResponse.serialized())
    }

    /// The iBeacon frame.
    package var iBeacon: IBeacon? { data?.structures.lazy.compactMap(IBeacon.init).first }

    /// `iBeacon 1/7` with the major and minor number, else the identity.
    package var name: String? { iBeacon.map { "iBeacon \($0.major)/\($0.minor)" } ?? identity }

    /// The beacon frame, else the device's name and its first service; `nil` if the data has none of these.
    package var identity: String? {
        let parts = [data, scanResponse].compactMap(\.self)
        if let frame = parts.lazy.flatMap(\.frames).first { return SafeText.line(DecodedFrame(frame).line) }
        let service = parts.lazy.flatMap(\.services).first.map { "\($0)" }
        return Self.identity(name: parts.lazy.compactMap(\.localName).first, service: service)
    }

    /// What identifies a device without a beacon frame: its name and its first service.
    package static func identity(name: String?, service: String?) -> String? {
        let service = service.map { "service \($0)" }
        guard let name, !name.isEmpty else { return service }
        return service.map { "\(name), \($0)" } ?? name
    }
}
