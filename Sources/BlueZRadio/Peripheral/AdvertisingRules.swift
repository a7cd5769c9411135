// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import BluetoothCore
import Radio

/// Derives what BlueZ advertises for a requested advertisement: from the observed commands to the controller, or else from
/// the known rules of the kernel and bluetoothd.
struct AdvertisingRules {
    /// How advertisements reach the adapter.
    let way: AdvertisingWay
    /// Whether the controller has extended advertising.
    let isExtended: Bool
    /// The public address of the adapter.
    let adapterAddress: BluetoothAddress
    /// The number of instances on the controller, those of other programs included.
    let instancesOnAir: Int
    /// The time that the kernel gives each instance in turn on a legacy controller.
    private static let turn = "2 s"

    /// The status of a requested advertisement.
    /// - Parameters:
    ///   - observation: what the controller was observed to advertise; `nil` if that could not be read.
    ///   - reason: why there is no observation, as a clause of a sentence.
    func status(
        of requested: Advertisement, observation: AdvertisingObserver.Observation?, unknownBecause reason: String
    ) -> AdvertisingStatus {
        let effective = observation.map(effective) ?? EffectiveAdvertisement(unknown: reason)
        let composition = composition(of: requested)
        var differences = effective.differences(from: requested)
        differences.formUnion(certainDifferences(requested, effective, composition))
        let ordered = AdvertisingField.allCases.filter(differences.contains)
        var warnings = ordered.flatMap { self.warnings(for: $0, requested, effective, composition) }
        if let warning = timeSharing { warnings.append(warning) }
        return AdvertisingStatus(
            requested: requested, effective: effective, differences: differences, warnings: warnings)
    }

    /// The advertisement that bluetoothd composes; `nil` where the kernel uses the requested one.
    func composition(of requested: Advertisement) -> BlueZAdvertisement? {
        switch way {
        case .management: nil
        case .bus(let daemon): BlueZAdvertisement(requested, for: daemon)
        }
    }

    private func effective(_ observation: AdvertisingObserver.Observation) -> EffectiveAdvertisement {
        EffectiveAdvertisement(
            pdu: observation.pdu.map { .known($0) }
                ?? .unknown("the controller was given a PDU type that no beacon has"),
            advertisingData: Self.effective(observation.advertisingData),
            scanResponse: observation.pdu == .nonConnectable ? .known([]) : Self.effective(observation.scanResponse),
            interval: .known(observation.interval),
            transmitPower: observation.transmitPower.map { .known($0) }
                ?? .unknown("controllers do not report the power of legacy advertising"),
            address: address(observation))
    }

    private static func effective(_ bytes: [UInt8]?) -> Effective<[UInt8]> {
        bytes.map { .known($0) } ?? .unknown("it was set before the controller was observed")
    }

    /// The fields that differ by the rules, observed or not.
    private func certainDifferences(
        _ requested: Advertisement, _ effective: EffectiveAdvertisement, _ composition: BlueZAdvertisement?
    ) -> Set<AdvertisingField> {
        var fields: Set<AdvertisingField> = []
        if requested.address != nil, effective.address.value == nil { fields.insert(.address) }
        if requested.transmitPower != nil, !isExtended { fields.insert(.transmitPower) }
        if effective.interval.value == nil {
            if forcesInterval(of: requested) || way.honoursIntervals == false { fields.insert(.interval) }
        }
        if let composition {
            if effective.advertisingData.value == nil,
                composition.advertisingData.serialized() != requested.advertisingData.serialized()
            {
                fields.insert(.advertisingData)
            }
            if effective.scanResponse.value == nil,
                composition.scanResponse.serialized() != requested.scanResponse.serialized()
            {
                fields.insert(.scanResponse)
            }
            if effective.pdu.value == nil, composition.pdu != requested.pdu { fields.insert(.pdu) }
        }
        return fields
    }

    private func forcesInterval(of requested: Advertisement) -> Bool {
        guard case .management = way else { return false }
        return !isExtended && !requested.pdu.isConnectable
    }
}

// MARK: - Warnings

extension AdvertisingRules {
    private static let privilege = "give beaconry CAP_NET_ADMIN (see docs/adapters.md, \"Rights\")"

    /// The address in the PDU. The kernel takes a new random address at each turn of an instance.
    private func address(_ observation: AdvertisingObserver.Observation) -> Effective<BluetoothAddress> {
        guard let random = observation.randomAddress else { return .known(adapterAddress) }
        return !isExtended && instancesOnAir > 1
            ? .unknown("the kernel takes a new random address at every turn") : .known(random)
    }

    private var timeSharing: Warning? {
        guard !isExtended, instancesOnAir > 1 else { return nil }
        return Warning(
            code: "time-shared",
            message: "\(instancesOnAir) advertisements take turns of \(Self.turn) on this legacy controller, so each "
                + "is on the air 1/\(instancesOnAir) of the time",
            hint: "use an adapter with extended advertising (Bluetooth 5), or one adapter a beacon")
    }

    private func warnings(
        for field: AdvertisingField, _ requested: Advertisement, _ effective: EffectiveAdvertisement,
        _ composition: BlueZAdvertisement?
    ) -> [Warning] {
        switch field {
        case .interval: [intervalWarning(requested, effective)]
        case .transmitPower: [powerWarning(requested, effective)]
        case .advertisingData: dataWarnings(requested, effective, composition)
        case .scanResponse: scanResponseWarnings(requested, effective, composition)
        case .pdu: [pduWarning(requested, effective, composition)]
        case .address:
            [
                Warning(
                    code: "address-not-settable",
                    message: "BlueZ cannot set the address of an advertisement: this one has "
                        + (requested.pdu.isConnectable
                            ? "the adapter's, \(adapterAddress)" : "a random one, new each time it is enabled"),
                    hint: "leave the address out of the profile, or drive the controller without BlueZ")
            ]
        }
    }

    private func intervalWarning(_ requested: Advertisement, _ effective: EffectiveAdvertisement) -> Warning {
        let asked = "\(requested.interval.count) ticks (\(requested.interval)) were requested"
        let got = effective.interval.value.map(Self.words) ?? "160 to 240 ticks"
        if forcesInterval(of: requested) {
            return Warning(
                code: "interval-forced",
                message: "\(asked), but on a legacy controller the kernel advertises non-connectable PDUs every "
                    + got,
                hint: "use an adapter with extended advertising (Bluetooth 5), or a connectable device")
        }
        if case .bus(let capabilities) = way, capabilities.honoursIntervals == false {
            let daemon = capabilities.version.map { "bluetoothd \($0)" } ?? "this bluetoothd"
            let instead = effective.interval.value.map(Self.words) ?? "the kernel's default"
            return Warning(
                code: "interval-ignored",
                message: "\(asked), but \(daemon) ignores intervals: \(instead) instead",
                hint: "\(Self.privilege), start bluetoothd with -E, or use BlueZ 5.77 or newer")
        }
        if case .bus = way {
            return Warning(
                code: "interval-changed", message: "\(asked), but the controller was given \(got)",
                hint: "\(Self.privilege); over D-Bus only whole milliseconds of connectable advertisements are exact")
        }
        return Warning(
            code: "interval-changed", message: "\(asked), but the controller was given \(got)",
            hint: "request an interval that this controller supports")
    }

    private static func words(_ range: ClosedRange<AdvertisingInterval>) -> String {
        range.lowerBound == range.upperBound
            ? "\(range.lowerBound.count) ticks" : "\(range.lowerBound.count) to \(range.upperBound.count) ticks"
    }

    private func powerWarning(_ requested: Advertisement, _ effective: EffectiveAdvertisement) -> Warning {
        let asked = requested.transmitPower.map { "\($0) were requested" } ?? "a power was requested"
        guard isExtended, let power = effective.transmitPower.value else {
            return Warning(
                code: "tx-power-ignored",
                message: "\(asked), but the kernel sets no power on a legacy controller",
                hint:
                    "use an adapter with extended advertising (Bluetooth 5), or request no power in the profile or over GATT"
            )
        }
        return Warning(
            code: "tx-power-changed", message: "\(asked), but the controller radiates \(power)",
            hint: "request a power that this controller supports")
    }

    /// The warnings about advertising data: one per lost structure, one about the flags, one about all other changes.
    private func dataWarnings(
        _ requested: Advertisement, _ effective: EffectiveAdvertisement, _ composition: BlueZAdvertisement?
    ) -> [Warning] {
        let isKnown = effective.advertisingData.value != nil
        let bytes = effective.advertisingData.value ?? composition?.advertisingData.serialized() ?? []
        let changed = Warning(
            code: "data-changed",
            message: "the advertising data is not what was requested, but "
                + "\(Self.text(bytes, isKnown: isKnown))\(changes(composition, .advertisingData))",
            hint: Self.privilege)
        guard let composition, let structures = try? AdvertisingData(parsing: bytes).structures else {
            return [changed]
        }
        var warnings = losses(composition, .advertisingData)
        if let flags = flagsWarning(requested, structures) { warnings.append(flags) }
        let wanted = composition.carried(of: requested.advertisingData, .advertisingData).filter { !$0.isFlags }
        let flags = requested.advertisingData.flags
        let hasOtherFlags = structures.contains { $0.isFlags && flags.map(AdvertisingStructure.flags) != $0 }
        if warnings.isEmpty || hasOtherFlags || wanted != structures.filter({ !$0.isFlags }) {
            warnings.append(changed)
        }
        return warnings
    }

    private func flagsWarning(_ requested: Advertisement, _ structures: [AdvertisingStructure]) -> Warning? {
        guard requested.advertisingData.flags != nil else { return nil }
        guard let index = structures.firstIndex(where: \.isFlags) else {
            return Warning(
                code: "flags-missing",
                message: "bluetoothd omitted the flags, and strict receivers ignore an iBeacon without them",
                hint: Self.privilege)
        }
        guard index > 0, requested.advertisingData.structures.first?.isFlags == true else { return nil }
        let hasAppleFrame = structures.contains {
            if case .manufacturerSpecific(.apple, _) = $0 { true } else { false }
        }
        return Warning(
            code: "flags-last",
            message: hasAppleFrame
                ? "bluetoothd puts the flags after the frame, and receivers that look for the prefix "
                    + "02 01 06 1A FF 4C 00 do not recognise it then"
                : "bluetoothd puts the flags after the other structures",
            hint: Self.privilege)
    }

    private func scanResponseWarnings(
        _ requested: Advertisement, _ effective: EffectiveAdvertisement, _ composition: BlueZAdvertisement?
    ) -> [Warning] {
        guard let composition else {
            return [
                Warning(
                    code: "scan-response-changed", message: "the scan response is not what was requested",
                    hint: Self.privilege)
            ]
        }
        var warnings = losses(composition, .scanResponse)
        if composition.objects.count > 1 {
            warnings.append(
                Warning(
                    code: "second-instance",
                    message: "this bluetoothd puts only a name into a scan response, so a second advertisement takes "
                        + "turns with this one\(changes(composition, .scanResponse))",
                    hint: "\(Self.privilege), or use BlueZ 5.80 or newer"))
            return warnings
        }
        let isKnown = effective.scanResponse.value != nil
        let bytes = effective.scanResponse.value ?? composition.scanResponse.serialized()
        let wanted = composition.carried(of: requested.scanResponse, .scanResponse)
        if warnings.isEmpty || (try? AdvertisingData(parsing: bytes).structures) != wanted {
            warnings.append(
                Warning(
                    code: "scan-response-changed",
                    message: "the scan response is not what was requested, but "
                        + "\(Self.text(bytes, isKnown: isKnown))\(changes(composition, .scanResponse))",
                    hint: Self.privilege))
        }
        return warnings
    }

    private func losses(_ composition: BlueZAdvertisement, _ field: AdvertisingField) -> [Warning] {
        composition.losses.filter { $0.field == field }.map { loss in
            Warning(
                code: "not-carried",
                message: "\(loss.name) of the \(Self.name(of: field)) is not on the air: \(loss.reason)",
                hint: Self.privilege)
        }
    }

    /// The changes by bluetoothd, as the end of a sentence.
    private func changes(_ composition: BlueZAdvertisement?, _ field: AdvertisingField) -> String {
        let changes = composition?.changes.filter { $0.field == field || $0.destination == field } ?? []
        return changes.isEmpty ? "" : ": " + changes.map(\.description).joined(separator: ", ")
    }

    private static func name(of field: AdvertisingField) -> String {
        field == .scanResponse ? "scan response" : "advertising data"
    }

    private static func text(_ bytes: [UInt8], isKnown: Bool) -> String {
        let text = bytes.isEmpty ? "empty" : Hexadecimal.string(bytes)
        return isKnown ? text : "\(text) as far as is known without reading it back"
    }

    private func pduWarning(
        _ requested: Advertisement, _ effective: EffectiveAdvertisement, _ composition: BlueZAdvertisement?
    ) -> Warning {
        let pdu = effective.pdu.value ?? composition?.pdu ?? .connectableScannable
        let reason =
            switch pdu {
            case .connectableScannable: "bluetoothd gives flags to connectable advertisements only"
            case .scannable: "bluetoothd puts names into a scan response"
            case .nonConnectable: "bluetoothd makes an advertisement scannable only for a scan response"
            }
        return Warning(
            code: "pdu-changed",
            message: "\(requested.pdu.rawValue) was requested, but \(pdu.rawValue) is on the air: \(reason)",
            hint: Self.privilege)
    }
}

extension AdvertisingStructure {
    fileprivate var isFlags: Bool { if case .flags = self { true } else { false } }
}
