// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import HostStack
import Radio

extension AdvertisingStatus {
    /// What a controller acknowledged, beside the request.
    init(_ effective: EffectiveAdvertising, for requested: Advertisement) {
        var onAir = EffectiveAdvertisement(unknown: "it is not acknowledged")
        onAir.pdu = .known(effective.pdu)
        onAir.advertisingData = .known(effective.advertisingData)
        onAir.scanResponse = .known(effective.scanResponse)
        onAir.interval = .known(effective.interval...effective.interval)
        onAir.transmitPower =
            effective.transmitPower.map { .known($0) } ?? .unknown("the controller does not report its power")
        onAir.address = .known(effective.address)
        var differences = onAir.differences(from: requested)
        // A beacon that hides its address has it as requested, behind the private address.
        if effective.identityAddress == requested.address { differences.remove(.address) }
        self.init(
            requested: requested, effective: onAir, differences: differences,
            warnings: AdvertisingField.allCases.filter(differences.contains).compactMap {
                effective.warning(of: $0, for: requested)
            })
    }
}

extension EffectiveAdvertising {
    /// The warning about a field that differs; `nil` for fields that a controller takes as they are.
    fileprivate func warning(of field: AdvertisingField, for requested: Advertisement) -> Warning? {
        switch field {
        case .interval where turns > 1:
            Warning(
                code: "time-shared",
                message: "\(turns) beacons take turns on the controller's only advertiser: this one comes every "
                    + "\(parameters.interval) on average instead of every \(requested.interval)",
                hint: "use a controller with extended advertising, or one controller a beacon")
        case .interval:
            Warning(
                code: "interval-forced",
                message: "this controller advertises such PDUs every \(parameters.interval), not every "
                    + "\(requested.interval)",
                hint: "use a controller with extended advertising, or a connectable device")
        case .transmitPower:
            Warning(
                code: "tx-power-changed",
                message: "the controller radiates \(Self.text(parameters.transmitPower)) dBm instead of "
                    + "\(Self.text(requested.transmitPower)) dBm",
                hint: "request a power that it has")
        case .address:
            Warning(
                code: "address-not-settable",
                message:
                    "\(requested.address?.description ?? "the address") is not a static random address, and a public "
                    + "one cannot be given to a controller: it advertises from \(address)",
                hint: "give an address whose first byte is C0 or more, or leave address out")
        case .pdu, .advertisingData, .scanResponse: nil
        }
    }

    private static func text(_ power: TransmitPower?) -> String { power.map { "\($0.decibelMilliwatts)" } ?? "?" }
}

extension Warning {
    /// What the controller does not do while it has a connection.
    static func connectionInTheWay(_ message: String, hint: String) -> Warning {
        Warning(code: "connection-in-the-way", message: message, hint: hint)
    }
}
