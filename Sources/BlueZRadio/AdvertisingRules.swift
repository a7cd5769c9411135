// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import BluetoothCore
import Radio

/// What BlueZ makes of an advertisement: read back where that is possible, else by the kernel's known rules.
struct AdvertisingRules {
    /// How the advertisement got there.
    let way: AdvertisingWay
    /// Whether the controller has extended advertising.
    let isExtended: Bool
    /// The adapter's own address.
    let adapterAddress: BluetoothAddress
    /// How many instances the controller has to serve, anybody's.
    let instancesOnAir: Int
    /// How long the kernel lets one instance have a legacy controller before the next takes its turn.
    static let turn = "2 s"

    /// The report on an advertisement.
    /// - Parameters:
    ///   - sighting: what the controller was told; `nil` when that could not be read.
    ///   - reason: why there is no sighting, a clause for people.
    func report(
        on requested: Advertisement, sighting: AirWitness.Sighting?, unseenBecause reason: String
    ) -> AdvertisingReport {
        let effective = sighting.map(effective) ?? EffectiveAdvertisement(unknown: reason)
        var differences = effective.differences(from: requested)
        differences.formUnion(certainDifferences(requested, effective))
        let ordered = AdvertisingField.allCases.filter(differences.contains)
        var warnings = ordered.map { warning(for: $0, requested, effective) }
        if let warning = timeSharing { warnings.append(warning) }
        return AdvertisingReport(
            requested: requested, effective: effective, differences: differences, warnings: warnings)
    }

    private func effective(_ sighting: AirWitness.Sighting) -> EffectiveAdvertisement {
        EffectiveAdvertisement(
            pdu: sighting.pdu.map { .known($0) } ?? .unknown("the controller was told a PDU type that no beacon has"),
            advertisingData: Self.told(sighting.advertisingData),
            scanResponse: sighting.pdu == .nonConnectable ? .known([]) : Self.told(sighting.scanResponse),
            interval: .known(sighting.interval),
            transmitPower: sighting.transmitPower.map { .known($0) }
                ?? .unknown("controllers do not say what power they use for legacy advertising"),
            address: address(sighting))
    }

    private static func told(_ bytes: [UInt8]?) -> Effective<[UInt8]> {
        bytes.map { .known($0) } ?? .unknown("the controller had been told before it was watched")
    }

    /// What cannot be otherwise here, read back or not.
    private func certainDifferences(
        _ requested: Advertisement, _ effective: EffectiveAdvertisement
    ) -> Set<AdvertisingField> {
        var fields: Set<AdvertisingField> = []
        if requested.address != nil, effective.address.value == nil { fields.insert(.address) }
        if requested.transmitPower != nil, !isExtended { fields.insert(.transmitPower) }
        if effective.interval.value == nil {
            if forcesInterval(of: requested) || way.honoursIntervals == false { fields.insert(.interval) }
        }
        if case .bus = way, effective.advertisingData.value == nil, requested.advertisingData.flags != nil {
            fields.insert(.advertisingData)
            if requested.pdu != .connectableScannable { fields.insert(.pdu) }
        }
        if needsSecondInstance(requested), effective.scanResponse.value == nil { fields.insert(.scanResponse) }
        return fields
    }

    private func forcesInterval(of requested: Advertisement) -> Bool {
        guard case .management = way else { return false }
        return !isExtended && !requested.pdu.isConnectable
    }

    private func needsSecondInstance(_ requested: Advertisement) -> Bool {
        guard case .bus = way, !way.hasScanResponseServices else { return false }
        let hasServices = requested.scanResponse.structures.contains {
            if case .serviceUUIDs128 = $0 { true } else { false }
        }
        return hasServices
    }
}

// MARK: - Warnings

extension AdvertisingRules {
    private static let privilege = "give beaconry CAP_NET_ADMIN (see README, \"A real adapter\")"

    /// Where advertisements take turns, what has no address of its own gets a new one each time.
    private func address(_ sighting: AirWitness.Sighting) -> Effective<BluetoothAddress> {
        guard let random = sighting.randomAddress else { return .known(adapterAddress) }
        return !isExtended && instancesOnAir > 1
            ? .unknown("the kernel takes a new random address at every turn") : .known(random)
    }

    private var timeSharing: Warning? {
        guard !isExtended, instancesOnAir > 1 else { return nil }
        return Warning(
            code: "time-shared",
            message: "\(instancesOnAir) advertisements take turns of \(Self.turn) on this legacy controller, so each "
                + "is on the air 1/\(instancesOnAir) of the time",
            cure: "use an adapter with extended advertising (Bluetooth 5), or one adapter a beacon")
    }

    private func warning(
        for field: AdvertisingField, _ requested: Advertisement, _ effective: EffectiveAdvertisement
    ) -> Warning {
        switch field {
        case .interval: intervalWarning(requested, effective)
        case .transmitPower: powerWarning(requested, effective)
        case .advertisingData: dataWarning(requested, effective)
        case .scanResponse: scanResponseWarning(requested)
        case .pdu: pduWarning(requested, effective)
        case .address:
            Warning(
                code: "address-not-settable",
                message: "BlueZ gives an advertisement no address of its own: this one has "
                    + (requested.pdu.isConnectable
                        ? "the adapter's, \(adapterAddress)" : "a random one, new each time it is enabled"),
                cure: "leave the address out of the profile, or drive the controller without BlueZ")
        }
    }

    private func intervalWarning(_ requested: Advertisement, _ effective: EffectiveAdvertisement) -> Warning {
        let asked = "\(requested.interval.count) ticks (\(requested.interval)) were asked for"
        let got = effective.interval.value.map(Self.words) ?? "160 to 240 ticks"
        if forcesInterval(of: requested) {
            return Warning(
                code: "interval-forced",
                message: "\(asked), but on a legacy controller the kernel advertises non-connectable PDUs every "
                    + got,
                cure: "use an adapter with extended advertising (Bluetooth 5), or a connectable device")
        }
        if case .bus(let version, _) = way, way.honoursIntervals == false {
            let daemon = version.map { "bluetoothd \($0)" } ?? "this bluetoothd"
            let instead = effective.interval.value.map(Self.words) ?? "the kernel's default"
            return Warning(
                code: "interval-ignored",
                message: "\(asked), but \(daemon) ignores intervals: \(instead) instead",
                cure: "\(Self.privilege), start bluetoothd with -E, or use BlueZ 5.77 or newer")
        }
        if case .bus = way {
            return Warning(
                code: "interval-changed", message: "\(asked), but the controller was told \(got)",
                cure: "\(Self.privilege); over D-Bus only whole milliseconds of connectable advertisements are exact")
        }
        return Warning(
            code: "interval-changed", message: "\(asked), but the controller was told \(got)",
            cure: "ask for an interval that this controller can do")
    }

    private static func words(_ range: ClosedRange<AdvertisingInterval>) -> String {
        range.lowerBound == range.upperBound
            ? "\(range.lowerBound.count) ticks" : "\(range.lowerBound.count) to \(range.upperBound.count) ticks"
    }

    private func powerWarning(_ requested: Advertisement, _ effective: EffectiveAdvertisement) -> Warning {
        let asked = requested.transmitPower.map { "\($0) were asked for" } ?? "a power was asked for"
        guard isExtended, let power = effective.transmitPower.value else {
            return Warning(
                code: "tx-power-ignored",
                message: "\(asked), but the kernel sets no power on a legacy controller",
                cure:
                    "use an adapter with extended advertising (Bluetooth 5), or let neither profile nor central ask for a power"
            )
        }
        return Warning(
            code: "tx-power-changed", message: "\(asked), but the controller radiates \(power)",
            cure: "ask for a power that this controller has")
    }

    private func dataWarning(_ requested: Advertisement, _ effective: EffectiveAdvertisement) -> Warning {
        let structures = effective.advertisingData.value
            .flatMap { try? AdvertisingData(parsing: $0) }?.structures
        let isFlags: (AdvertisingStructure) -> Bool = { if case .flags = $0 { true } else { false } }
        if let structures, !structures.contains(where: isFlags), requested.advertisingData.flags != nil {
            return Warning(
                code: "flags-missing",
                message: "bluetoothd left the flags out, and strict receivers ignore an iBeacon without them",
                cure: Self.privilege)
        }
        if effective.advertisingData.value == nil || structures?.last.map(isFlags) == true {
            return Warning(
                code: "flags-last",
                message: "bluetoothd puts the flags behind the frame, and receivers that look for the prefix "
                    + "02 01 06 1A FF 4C 00 do not know it then",
                cure: Self.privilege)
        }
        return Warning(
            code: "data-changed",
            message: "the advertising data is not what was asked for, but "
                + Hexadecimal.string(effective.advertisingData.value ?? []),
            cure: Self.privilege)
    }

    private func scanResponseWarning(_ requested: Advertisement) -> Warning {
        if needsSecondInstance(requested) {
            return Warning(
                code: "second-instance",
                message: "this bluetoothd puts no services into a scan response, so a second advertisement carries "
                    + "them in turn with the frame",
                cure: "\(Self.privilege), or use BlueZ 5.80 or newer")
        }
        return Warning(
            code: "scan-response-changed", message: "the scan response is not what was asked for",
            cure: Self.privilege)
    }

    private func pduWarning(_ requested: Advertisement, _ effective: EffectiveAdvertisement) -> Warning {
        let got = (effective.pdu.value ?? .connectableScannable).rawValue
        return Warning(
            code: "pdu-changed",
            message: "\(requested.pdu.rawValue) was asked for, but \(got) is on the air: bluetoothd gives flags to "
                + "connectable advertisements only",
            cure: Self.privilege)
    }
}
