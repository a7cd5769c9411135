// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Devices
import Profiles
import Radio
import Space

/// The findings that do not depend on the radio, a function each, which has the code, the words and the hint. Findings
/// for one kind of device are in the device's `findings`.
extension ProfileFinding {
    /// The findings on a beacon alone.
    static func all(on beacon: BeaconDefinition) -> [ProfileFinding] {
        let device = beacon.device
        let advertisement = device.firstAdvertisement
        let found = [
            pairingDialog(device), classicAllowed(device), intervalOutOfRange(device.advertising.interval),
            unusualInterval(device), measuredPowerZero(device), measuredPowerPositive(device),
        ]
        let ofAdvertisement = (advertisement?.problems ?? []).map(unsendable)
        let last = [advertisement.flatMap(shortenedName), impossibleProtection(beacon)]
        return device.findings + found.compactMap(\.self) + ofAdvertisement + last.compactMap(\.self)
            + (advertisement.map(nearMisses) ?? [])
    }

    /// Data that is almost a frame, or almost well-formed.
    private static func nearMisses(_ advertisement: Advertisement) -> [ProfileFinding] {
        [("advertising data", advertisement.advertisingData), ("scan response", advertisement.scanResponse)]
            .flatMap { name, data in
                data.nearMisses.map {
                    ProfileFinding(
                        .warning, "near-miss", affects: "strict receivers", "the \(name) has \($0.text)", hint: $0.hint)
                }
            }
    }

    private static func pairingDialog(_ device: any ProfiledDevice) -> ProfileFinding? {
        device.services.isEmpty
            ? nil
            : ProfileFinding(
                .advice, "iphone-pairing-dialog", affects: "iPhone",
                "on BlueZ, bluetoothd reads the phone's own services when it connects, and iOS asks to pair",
                hint: "set ReverseServiceDiscovery=false in /etc/bluetooth/main.conf, or start bluetoothd with "
                    + "-P battery")
    }

    /// On connectable beacons with a random address, flags that do not exclude BR/EDR.
    private static func classicAllowed(_ device: any ProfiledDevice) -> ProfileFinding? {
        guard let advertisement = device.firstAdvertisement, advertisement.pdu.isConnectable,
            let flags = advertisement.advertisingData.flags, !flags.contains(.classicNotSupported)
        else { return nil }
        return ProfileFinding(
            .advice, "flags-allow-classic", affects: "programs that use BlueZ",
            "the flags \(Hexadecimal.string([flags.rawValue])) lack 0x04: bluetoothd connects to the random address over BR/EDR "
                + "then, which fails after some seconds", hint: "add 0x04 to the flags, such as 0x06")
    }

    /// Walls with places, and an exponent that contains walls as well.
    static func wallsTwice(_ model: Propagation) -> ProfileFinding? {
        guard model.countsWallsTwice else { return nil }
        return ProfileFinding(
            .warning, "walls-count-twice", affects: "all",
            "an exponent of \(model.pathExponent) contains the walls of rooms, and the profile has walls of its own: they count "
                + "twice",
            hint: "leave exponent out of physics, or write that of the open space between the walls, 1.4 to 2")
    }

    /// - Parameter distance: of the nearest room, in metres.
    static func outsideRooms(_ place: Position, nearest room: String, _ distance: Double) -> ProfileFinding {
        let coordinates = [place.x, place.y, place.z].map(ValueText.text).joined(separator: ", ")
        let metres = ValueText.text(max((distance * 100).rounded() / 100, 0.01))
        return ProfileFinding(
            .warning, "beacon-outside-rooms", affects: "programs that find rooms",
            "[\(coordinates)] is in no room; the nearest one is \(room), \(metres) m away",
            hint: "move the beacon into a room, z included, or give the room another outline")
    }

    private static func intervalOutOfRange(_ interval: AdvertisingInterval) -> ProfileFinding? {
        AdvertisingInterval.legacyRange.contains(interval)
            ? nil
            : ProfileFinding(
                .warning, "interval-out-of-range", affects: "all",
                "\(interval.count) ticks are stored, but radios send every 32 to 16384 ticks",
                hint: "write an interval of 20ms to 10240ms")
    }

    private static func unusualInterval(_ device: any ProfiledDevice) -> ProfileFinding? {
        let interval = device.advertising.interval
        guard device.frame != nil, interval != AdvertisingInterval(160),
            AdvertisingInterval.legacyRange.contains(interval)
        else { return nil }
        return ProfileFinding(
            .advice, "interval-not-100ms", affects: "iPhone",
            "Apple's beacons advertise every 100 ms; with \(interval), iOS finds and ranges it worse",
            hint: "write interval: 100ms")
    }

    private static func measuredPowerZero(_ device: any ProfiledDevice) -> ProfileFinding? {
        guard let power = device.measuredPower, power.decibelMilliwatts == 0 else { return nil }
        return ProfileFinding(
            .warning, "measured-power-zero", affects: "iPhone", "with a measured power of 0, iOS estimates no distance",
            hint: "measure it at 1 m and write it, such as -59")
    }

    private static func measuredPowerPositive(_ device: any ProfiledDevice) -> ProfileFinding? {
        guard let power = device.measuredPower, power.decibelMilliwatts > 0 else { return nil }
        return ProfileFinding(
            .warning, "measured-power-positive", affects: "all",
            "\(power) cannot be received at 1 m: every distance will be wrong",
            hint: "measure it at 1 m and write it, such as -59")
    }

    /// An advertisement that no radio can send.
    static func unsendable(_ problem: Advertisement.Problem) -> ProfileFinding {
        func error(_ code: String, _ message: String, hint: String) -> ProfileFinding {
            ProfileFinding(.error, code, affects: "all", message, hint: hint)
        }
        return switch problem {
        case .advertisingDataTooLong(let count):
            error(
                "over-budget", "the advertising data has \(count) bytes, and a PDU carries 31",
                hint: "shorten it, or leave services out")
        case .scanResponseTooLong(let count):
            error(
                "scan-response-over-budget", "the scan response has \(count) bytes, and a PDU carries 31",
                hint: "shorten the name, or leave services out")
        case .scanResponseNeedsScannablePDU:
            error(
                "scan-response-without-scans", "a scan response needs a PDU that can be scanned",
                hint: "write pdu: ADV_SCAN_IND or ADV_IND, or leave the scan response out")
        case .intervalOutOfRange(let interval):
            error(
                "interval-impossible", "radios cannot send every \(interval.count) ticks",
                hint: "write an interval of 20ms to 10240ms")
        }
    }

    private static func shortenedName(_ advertisement: Advertisement) -> ProfileFinding? {
        let structures = advertisement.advertisingData.structures + advertisement.scanResponse.structures
        for case .localName(let shortened, isComplete: false) in structures {
            return ProfileFinding(
                .advice, "name-shortened", affects: "all",
                "the name does not fit into 31 bytes beside the rest, so \"\(shortened)\" is advertised",
                hint: "write a shorter name")
        }
        return nil
    }

    /// Values that no central can read or write, because the beacon does not pair, or not with authentication.
    private static func impossibleProtection(_ beacon: BeaconDefinition) -> ProfileFinding? {
        let permissions = beacon.device.services.flatMap(\.characteristics).map(\.permissions)
        let needed = permissions.reduce(AttributeSecurity()) { $0.union($1.read).union($1.write).union($1.subscribe) }
        guard !needed.isDisjoint(with: [.encryption, .authentication]) else { return nil }
        func warning(_ message: String, hint: String) -> ProfileFinding {
            ProfileFinding(.warning, "protection-impossible", affects: "all", message, hint: hint)
        }
        guard let pairing = beacon.pairing else {
            return warning(
                "some of its values need an encrypted link, but the beacon does not pair, so no central can access them",
                hint: "give it a pairing section, such as pairing: { io: none }")
        }
        guard needed.contains(.authentication), pairing.inputOutput == .none else { return nil }
        return warning(
            "some of its values need a link that is protected against a person in the middle, which pairing with io: none "
                + "never provides", hint: "write io: display, or permissions: encrypted")
    }

    static func duplicateAddress(_ address: BluetoothAddress, of other: String) -> ProfileFinding {
        ProfileFinding(
            .warning, "duplicate-address", affects: "all",
            "\(other) has the address \(address), too: receivers take both for one device",
            hint: "give each beacon its own address, or leave address out")
    }

    /// - Parameter key: the last part of the identity.
    static func duplicateIdentity(of other: String, _ parts: String, key: String) -> ProfileFinding {
        ProfileFinding(
            .warning, "duplicate-identity", affects: "all",
            "\(other) has the same \(parts): receivers take both for one beacon",
            hint: "give each beacon its own \(key)")
    }
}
