// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
import Protobuf

/// The first message of a call: the chip that a device wants to have on the air (netsim, `startup.proto`).
package struct ChipInformation: Hashable, Sendable {
    /// What a chip is for (netsim, `common.proto`, `ChipKind`); the values that netsim does not have are kept.
    package struct Kind: RawRepresentable, Hashable, Sendable {
        package let rawValue: UInt32

        package init(rawValue: UInt32) { self.rawValue = rawValue }

        package static let bluetooth = Kind(rawValue: 1)

        /// The name for people.
        package var name: String {
            switch rawValue {
            case 1: "Bluetooth"
            case 2: "Wi-Fi"
            case 3: "UWB"
            case 4: "a Bluetooth beacon of netsim"
            case 5: "NFC"
            case 6: "the mobile network"
            default: "radio \(rawValue)"
            }
        }
    }

    /// What the chip is for.
    package var kind: Kind
    /// The public address of the chip; `nil` if the device leaves it to the server.
    package var address: BluetoothAddress?
    /// The name of the device: that of the virtual device of an emulator. Empty if it has none.
    package var deviceName: String
    /// What the device is: `EMULATOR`, `CUTTLEFISH`, `BUMBLE`. Empty if it does not say.
    package var deviceKind: String
    /// The folder of the emulator's virtual device; empty before 2026.
    package var devicePath: String

    package init(
        _ kind: Kind, address: BluetoothAddress? = nil, deviceName: String = "", deviceKind: String = "",
        devicePath: String = ""
    ) {
        self.kind = kind
        self.address = address
        self.deviceName = deviceName
        self.deviceKind = deviceKind
        self.devicePath = devicePath
    }
}

// MARK: - On the air

extension ChipInformation {
    /// The most characters of a host's name that are taken from a device.
    private static let nameLimit = 48

    /// The name of the host on the air: the letters, digits, dots, hyphens and underscores of the device's name, hyphens in the
    /// place of other characters; `emulator` for a device without a name.
    package var hostName: String {
        let plain = deviceName.unicodeScalars.prefix(Self.nameLimit).map { scalar in
            Self.isPlain(scalar) ? Character(scalar) : "-"
        }
        let name = String(plain.drop { $0 == "." || $0 == "-" })
        return name.isEmpty ? "emulator" : name
    }

    /// What the device is, in small letters, as events have it; `nil` if it does not say.
    package var hostKind: String? {
        let plain = deviceKind.unicodeScalars.prefix(Self.nameLimit).filter(Self.isPlain).map(Character.init)
        return plain.isEmpty ? nil : String(plain).lowercased()
    }

    /// The public address that the chip was given, if a device can have it.
    package var givenAddress: BluetoothAddress? {
        address.flatMap { $0.isOfDevice ? $0 : nil }
    }

    /// What the address of a chip follows from that was given none: the folder of the device, else its name.
    package var identity: String { devicePath.isEmpty ? hostName : devicePath }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", ".", "-", "_": true
        default: false
        }
    }
}

// MARK: - On the wire

extension ChipInformation {
    /// Reads `ChipInfo`: 1 name (before `device_info` was added), 2 chip, 3 device_info.
    init(parsing bytes: ArraySlice<UInt8>) throws(WireError) {
        let fields = try ProtobufFields(parsing: bytes)
        // Chip: 1 kind, 9 address. DeviceInfo: 1 name, 2 kind, 8 avd_path.
        let chip = try ProtobufFields(parsing: fields.bytes(2)[...])
        let device = try ProtobufFields(parsing: fields.bytes(3)[...])
        let name = device.string(1)
        let text = chip.string(9)
        let address = BluetoothAddress(text)
        guard text.isEmpty || address != nil else {
            throw WireError(.badValue(field: "address of the chip"), offset: bytes.startIndex)
        }
        self.init(
            Kind(rawValue: chip.uint32(1)), address: address,
            deviceName: name.isEmpty ? fields.string(1) : name, deviceKind: device.string(2),
            devicePath: device.string(8))
    }

    /// Writes `ChipInfo`.
    func write(to writer: inout ProtobufWriter) {
        writer.message(2) {
            $0.uint32(1, kind.rawValue)
            $0.string(9, address?.description ?? "")
        }
        writer.message(3) {
            $0.string(1, deviceName)
            $0.string(2, deviceKind)
            $0.string(8, devicePath)
        }
    }
}
