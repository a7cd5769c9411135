// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Advertising
import Bluetooth

/// A `Beacon` in its short form: the format is `ibeacon`, and the frame is under that key.
package struct PlainIBeacon: SelfContainedDevice {
    package static let kind = "ibeacon"
    package static let hasFlash = false
    package typealias Configuration = Beacon.Configuration

    private var beacon: Beacon

    /// A beacon with these values; the frame is an iBeacon, and there is no telemetry.
    package init(_ configuration: Configuration) { beacon = Beacon(configuration) }

    package var configuration: Configuration { beacon.configuration }
    package var advertisesWhileConnected: Bool { beacon.advertisesWhileConnected }

    package mutating func handle(_ input: DeviceInput, at now: DeviceTime) -> DeviceResponse {
        guard case .set(let changes) = input else { return beacon.handle(input, at: now) }
        var changed = configuration
        do throws(SettingRefusal) {
            try Self.settings.apply(changes, to: &changed)
        } catch {
            return .refused(error.sentence)
        }
        return beacon.change(to: changed, at: now)
    }
}

extension Beacon.Configuration {
    /// The frame of a beacon whose format is `ibeacon`.
    fileprivate var iBeacon: IBeacon {
        get { frame.content as? IBeacon ?? .template }
        set { frame = BeaconFrame(newValue) }
    }
}

// MARK: - Profile

extension PlainIBeacon {
    package var advertising: AdvertisingSettings { beacon.advertising }
    package var advertisedName: String? { beacon.advertisedName }
    package var frame: IBeacon? { beacon.frame }
    package var pdu: AdvertisingPDU? { beacon.pdu }
    package var findings: [ProfileFinding] { beacon.findings }

    package static let settings: [Setting<Configuration>] =
        [
            Setting(.uuid, \.iBeacon.uuid, in: "ibeacon", isRequired: true),
            Setting(.major, \.iBeacon.major, in: "ibeacon"),
            Setting(.minor, \.iBeacon.minor, in: "ibeacon"),
            Setting(.measuredPower, \.iBeacon.measuredPower, in: "ibeacon"),
        ] + Beacon.inScanResponse + Setting.advertising()

    package static let template = Configuration(
        frame: IBeacon(uuid: IoTDesignShop.service, major: 0, minor: 0, measuredPower: MeasuredPower(-59)))

    package static func complete(_ configuration: inout Configuration, from reader: inout ProfileReader) {
        Beacon.complete(&configuration, from: &reader)
    }

    package static func recognized(from recorded: RawAdvertiser.Configuration) -> PlainIBeacon? {
        let data = AdvertisingData(verbatim: recorded.advertisingData)
        guard let frame = data.iBeacons.first else { return nil }
        let scanResponse = AdvertisingData(verbatim: recorded.scanResponse)
        return PlainIBeacon(
            Configuration(
                frame: frame, flags: data.flags, pdu: recorded.pdu, advertising: recorded.advertising,
                services: scanResponse.completeServices128, name: scanResponse.localName))
    }
}

extension AdvertisingData {
    /// The services of complete lists of 128-bit UUIDs.
    var completeServices128: [UUID128] {
        structures.flatMap { if case .serviceUUIDs128(let uuids, true) = $0 { uuids } else { [UUID128]() } }
    }
}
