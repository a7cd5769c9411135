// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Advertising
package import Devices
package import Profiles

/// The beacon of `advertise`.
package struct AdvertisedBeacon: Sendable {
    /// The profile that has only this beacon; the beacon has the name of its format.
    package let profile: Profile

    /// A beacon that advertises a frame.
    /// - Parameters:
    ///   - pdu: the PDU type; `nil` for one that can carry what is given.
    ///   - name: the name in the scan response; `nil` for none.
    ///   - telemetry: the telemetry between the frames; `nil` sends none.
    /// - Throws: `Failure` if the PDU has no place for the name, or the format has no telemetry.
    package init(
        _ payload: FramePayload, pdu: AdvertisingPDU?, _ advertising: AdvertisingSettings, name: String?,
        telemetry: BeaconTelemetry?
    ) throws(Failure) {
        let usual = type(of: payload.frame).pdu
        let pdu = pdu ?? (name == nil || usual.isScannable ? usual : .scannable)
        guard name == nil || pdu.isScannable else {
            throw .usage(
                "\(pdu.rawValue) has no scan response to carry the name; write ADV_SCAN_IND or ADV_IND, or leave "
                    + "--pdu out")
        }
        let format = BeaconFrame(payload.frame).format
        guard telemetry == nil || BeaconTelemetry.isPossible(with: format) else {
            let formats = BeaconTelemetry.formats.joined(separator: ", ")
            throw .usage("\(format) has no telemetry; formats with telemetry are \(formats)")
        }
        let configuration = Beacon.Configuration(
            frame: payload.frame, flags: payload.flags, pdu: pdu, advertising: advertising, name: name,
            telemetry: telemetry)
        let device: any ProfiledDevice =
            payload.frame is IBeacon ? PlainIBeacon(configuration) : Beacon(configuration)
        profile = Profile(name: "advertise", beacons: [BeaconDefinition(id: format, device: device)])
    }
}
