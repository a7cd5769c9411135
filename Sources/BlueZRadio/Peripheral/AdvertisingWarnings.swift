// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import KernelBluetooth
import Radio

// The warnings of `AdvertisingRules`: one for every difference between the requested and the effective advertisement, with
// its cause and a hint. docs/warnings.md lists the codes.

extension AdvertisingRules {
    private static let privilege = "give beaconry CAP_NET_ADMIN (see docs/adapters.md, \"Rights\")"
    private static let extended = "use an adapter with extended advertising"

    /// The warning about instances in turns; `nil` if there are none.
    var timeSharing: Warning? {
        guard takesTurns else { return nil }
        let others = foreignTurns.filter { $0 != turn }
        let turns =
            others.isEmpty
            ? "\(instancesOnAir) advertisements take turns of \(turn) s"
            : "\(instancesOnAir) advertisements take turns, of \(turn) s for this program and of "
                + Set(others).sorted().map(String.init).joined(separator: " and ") + " s for other programs,"
        return Warning(
            code: "time-shared",
            message: "\(turns) on this legacy controller, so each is on the air "
                + "\(Self.share(turn, of: roundLength)) of the time, with gaps of \(roundLength - turn) s",
            hint: "\(Self.extended), or one adapter a beacon")
    }

    /// The warning about an advertisement that is on the adapter, but that the controller was not seen to advertise.
    var notObserved: Warning {
        let seconds = patience.components.seconds
        return Warning(
            code: "not-observed",
            message: "the kernel has the advertisement, but the controller was not seen to advertise it for "
                + "\(seconds) s, and no obstacle explains that; it is placed again until it is seen",
            hint: "\(Fault.controllerRefuses.hint(at: place)) if that lasts; see dmesg")
    }

    /// The warning about an instance of another program that was replaced.
    func replacement(of instance: UInt8) -> Warning {
        Warning(
            code: "instance-replaced",
            message: "the beacon has replaced advertising instance \(instance) of \(place.adapter), which another "
                + "program had added before this run began, and which the kernel did not list",
            hint: "start that program again, or give the beacons an adapter of their own")
    }

    /// A share as a fraction: 1/5, 2/7.
    private static func share(_ part: Int, of whole: Int) -> String {
        whole.isMultiple(of: part) ? "1/\(whole / part)" : "\(part)/\(whole)"
    }

    /// The warnings about a field that differs.
    func warnings(
        for field: AdvertisingField, _ requested: Advertisement, _ effective: EffectiveAdvertisement,
        _ prediction: Prediction
    ) -> [Warning] {
        switch field {
        case .interval: [intervalWarning(requested, effective)]
        case .transmitPower: [powerWarning(requested, effective)]
        case .advertisingData: dataWarnings(requested, effective, prediction)
        case .scanResponse: scanResponseWarnings(requested, effective, prediction.composition)
        case .pdu: [pduWarning(requested, effective, prediction)]
        case .address: [addressWarning(prediction, effective)]
        }
    }

    private func addressWarning(_ prediction: Prediction, _ effective: EffectiveAdvertisement) -> Warning {
        let isConnectable = prediction.pdu.isConnectable
        let ofAdapter = adapterAddress.map { "the adapter's, \($0)" } ?? "the adapter's"
        let address =
            switch effective.address {
            case .known(let known) where known == adapterAddress: ofAdapter
            case .known(let random) where isConnectable:
                "\(random), by the adapter's privacy setting (Privacy in /etc/bluetooth/main.conf)"
            case .known(let random): "\(random), a new random one each time it is enabled"
            case .unknown where isConnectable: ofAdapter
            case .unknown: "a random one, new each time it is enabled"
            }
        return Warning(
            code: "address-not-settable",
            message: "BlueZ cannot set the address of an advertisement: this one has \(address)",
            hint: "leave the address out of the profile, or drive the controller without BlueZ")
    }

    private func intervalWarning(_ requested: Advertisement, _ effective: EffectiveAdvertisement) -> Warning {
        let asked = "\(requested.interval.count) ticks (\(requested.interval)) were requested"
        let got = effective.interval.value.map(Self.words) ?? "160 to 240 ticks"
        if forcesInterval(of: requested) {
            return Warning(
                code: "interval-forced",
                message: "\(asked), but on a legacy controller the kernel advertises non-connectable PDUs every "
                    + got,
                hint: "\(Self.extended), or a connectable device")
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
                hint: "\(Self.extended), or request no power in the profile or over GATT")
        }
        // Core 5.4, Vol 6, Part A, 3: the maximum output power is +20 dBm. Some controllers report numbers of a scale of
        // their own.
        let isPossible = power.decibelMilliwatts <= 20
        return Warning(
            code: "tx-power-changed",
            message: isPossible
                ? "\(asked), but the controller radiates \(power)"
                : "\(asked), but the controller reports \(power.decibelMilliwatts), which is no power in dBm",
            hint: "request a power that this controller supports")
    }

    /// The warnings about advertising data: one per lost structure, one about the flags, one about all other changes.
    private func dataWarnings(
        _ requested: Advertisement, _ effective: EffectiveAdvertisement, _ prediction: Prediction
    ) -> [Warning] {
        let composition = prediction.composition
        let isKnown = effective.advertisingData.value != nil
        let bytes = effective.advertisingData.value ?? prediction.advertisingData
        let added = addedFlags(to: requested.advertisingData)
        if composition == nil, !added.isEmpty, bytes == added + requested.advertisingData.serialized() {
            return [
                Warning(
                    code: "data-changed",
                    message: "on an adapter without BR/EDR the kernel puts the flags \(Hexadecimal.string(added)) in "
                        + "front of advertising data without flags",
                    hint: "give the beacon flags, or switch BR/EDR on (ControllerMode in /etc/bluetooth/main.conf)")
            ]
        }
        let changed = Warning(
            code: "data-changed",
            message: "the advertising data is not what was requested, but "
                + "\(Self.text(bytes, isKnown: isKnown))\(changes(composition, .advertisingData))",
            hint: composition != nil && settings.isDiscoverable
                ? "\(Fault.discoverable.sentence(at: place)), and bluetoothd omits 0x04 from the flags meanwhile: "
                    + "\(Fault.discoverable.hint(at: place)), or \(Self.privilege)"
                : Self.privilege)
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
        _ requested: Advertisement, _ effective: EffectiveAdvertisement, _ prediction: Prediction
    ) -> Warning {
        let pdu = effective.pdu.value ?? prediction.pdu
        let change = "\(requested.pdu.rawValue) was requested, but \(pdu.rawValue) is on the air"
        let isComposed = prediction.composition.map { $0.pdu == pdu } ?? false
        if settings.isConnectable, pdu.isConnectable, !isComposed {
            return Warning(
                code: "pdu-changed",
                message: settings.isDiscoverable
                    ? "\(change): the adapter is discoverable, which makes every advertisement connectable"
                    : "\(change): the adapter is connectable, which makes every advertisement connectable",
                hint: (settings.isDiscoverable ? Fault.discoverable : .connectable).hint(at: place))
        }
        guard prediction.composition != nil else {
            if pdu == .nonConnectable, lacksScanResponse(requested) {
                return Warning(
                    code: "pdu-changed",
                    message: "\(change): on a legacy controller the kernel makes an advertisement scannable only if it "
                        + "has a scan response",
                    hint: "give the beacon a scan response, such as a name; or \(Self.extended)")
            }
            return Warning(
                code: "pdu-changed", message: "\(change), by another program or the kernel",
                hint: "check whether the adapter is discoverable (bluetoothctl show)")
        }
        let reason =
            switch pdu {
            case .connectableScannable: "bluetoothd gives flags to connectable advertisements only"
            case .scannable: "bluetoothd puts names into a scan response"
            case .nonConnectable: "bluetoothd makes an advertisement scannable only for a scan response"
            }
        return Warning(code: "pdu-changed", message: "\(change): \(reason)", hint: Self.privilege)
    }
}
