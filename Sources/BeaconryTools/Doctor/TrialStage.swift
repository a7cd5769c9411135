// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Radio

/// A part of a test of a radio: what is advertised for some seconds.
///
/// `TrialStage.all` is the list of the stages of a trial; `doctor` without `--trial` has the first only.
struct TrialStage: Sendable {
    /// The UUID of the iBeacons of all stages, which common apps look for (AirLocate).
    static let uuid: UUID128 = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"

    /// The name, which scripts may rely on.
    let name: String
    /// What is advertised, for people.
    let title: String
    let pdu: AdvertisingPDU
    /// In ticks of 0.625 ms.
    let interval: AdvertisingInterval
    /// The name in the scan response; `nil` for none.
    let localName: String?
    /// In dBm; `nil` leaves it to the radio.
    let transmitPower: TransmitPower?
    /// The number of beacons at once.
    let count: Int

    private init(
        _ name: String, _ title: String, pdu: AdvertisingPDU = .nonConnectable, ticks: UInt32 = 160,
        localName: String? = nil, transmitPower: TransmitPower? = nil, count: Int = 1
    ) {
        self.name = name
        self.title = title
        self.pdu = pdu
        interval = AdvertisingInterval(ticks)
        self.localName = localName
        self.transmitPower = transmitPower
        self.count = count
    }

    /// The stages, in their order.
    static let all = [
        TrialStage("plain", "an iBeacon that is not connectable, every 100 ms"),
        TrialStage("connectable", "a connectable iBeacon, every 100 ms", pdu: .connectableScannable),
        TrialStage("slow", "an iBeacon that is not connectable, every 1022.5 ms", ticks: 1636),
        TrialStage(
            "scan-response", "a scannable iBeacon with a name in its scan response, every 100 ms", pdu: .scannable,
            localName: "Beaconry"),
        TrialStage("power", "an iBeacon at -20 dBm, every 100 ms", transmitPower: TransmitPower(-20)),
        TrialStage("several", "three iBeacons at once, every 100 ms", count: 3),
    ]

    /// The beacons.
    /// - Parameter major: the number of this test, which distinguishes its beacons from the beacons of other tests. The
    ///   minor number is 100 times the place of the stage, plus the place of the beacon.
    func beacons(major: UInt16) -> [TrialBeacon] {
        let place = Self.all.firstIndex { $0.name == name } ?? 0
        return (0..<count).map { number in
            let frame = IBeacon(
                uuid: Self.uuid, major: major, minor: UInt16(place * 100 + number), measuredPower: MeasuredPower(-59))
            let scanResponse: AdvertisingData =
                localName.map { AdvertisingData([.localName($0, isComplete: true)]) } ?? []
            return TrialBeacon(
                frame: frame,
                hosted: HostedBeacon(
                    identifier: BeaconIdentifier("\(name)-\(number + 1)"), services: [],
                    advertisement: Advertisement(
                        pdu: pdu, advertisingData: frame.advertisingData(), scanResponse: scanResponse,
                        interval: interval, transmitPower: transmitPower), key: "doctor/\(name)-\(number + 1)"))
        }
    }
}

/// A beacon of a stage.
struct TrialBeacon: Sendable {
    let frame: IBeacon
    let hosted: HostedBeacon
}
