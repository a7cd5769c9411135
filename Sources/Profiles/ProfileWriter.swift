// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import BluetoothCore
import Devices

/// Writes a profile as the YAML that is read as the same profile.
package struct ProfileWriter {
    private var lines: [String]

    /// The text of a profile.
    /// - Parameters:
    ///   - profile: what is written.
    ///   - remarks: comments by the ids of the beacons that they precede, a line each.
    package static func text(of profile: Profile, remarks: [String: [String]] = [:]) -> String {
        var writer = ProfileWriter(lines: ["profile: \(profile.name)", "beacons:"])
        for beacon in profile.beacons {
            for remark in remarks[beacon.id] ?? [] { writer.lines.append("  # \(oneLine(remark))") }
            writer.lines.append("  - id: \(beacon.id)")
            writer.write("device", beacon.device.kind)
            writer.write(beacon.device)
            writer.write(
                "position", beacon.position.map { "[\([$0.x, $0.y, $0.z].map(metres).joined(separator: ", "))]" })
            writer.write("pairing", beacon.pairing.map(Self.text))
        }
        return writer.lines.joined(separator: "\n") + "\n"
    }

    private mutating func write(_ device: DeviceProfile) {
        write("address", device.address?.description)
        switch device {
        case .plainIBeacon(let configuration):
            write("ibeacon", Self.text(configuration.frame))
            write("pdu", configuration.pdu.rawValue)
            if configuration.flags != .beacon { write("flags", Self.text(configuration.flags)) }
            if !configuration.services.isEmpty {
                write("services", "[\(configuration.services.map(\.description).joined(separator: ", "))]")
            }
            write("interval", Self.text(configuration.interval))
            write("tx-power", Self.text(configuration.transmitPower))
            write("name", configuration.name.map(Self.quoted))
        case .iotDesignShop(let configuration, let settings): write(configuration, settings)
        case .ancsAccessory(let configuration): write(configuration)
        case .raw(let configuration):
            write("pdu", configuration.pdu.rawValue)
            write("advertising-data", Self.quoted(Hexadecimal.string(configuration.advertisingData)))
            if !configuration.scanResponse.isEmpty {
                write("scan-response", Self.quoted(Hexadecimal.string(configuration.scanResponse)))
            }
            write("interval", Self.text(configuration.interval))
            write("tx-power", Self.text(configuration.transmitPower))
        case .gatt(let configuration):
            for (key, value) in AttributeWriter.entries(of: configuration) { write(key, value) }
            guard !configuration.services.isEmpty else { break }
            lines.append("    services:")
            lines += AttributeWriter.lines(of: configuration.services).map { "      " + $0 }
        case .battery(let configuration):
            write("level", AttributeWriter.text(configuration.level))
            write("book-compatible", "\(configuration.isBookCompatible)")
            write("presentation", "\(configuration.hasPresentationFormat)")
            write("name", Self.quoted(configuration.name))
            write("interval", Self.text(configuration.interval))
            write("tx-power", Self.text(configuration.transmitPower))
        case .sensorTag(let configuration): write(configuration)
        }
    }

    private mutating func write(_ configuration: SensorTag.Configuration) {
        write("firmware", configuration.firmware.rawValue)
        func text(_ quantity: SensorTagQuantity) -> String {
            let value = configuration.environment[quantity]
            if case .fixed(let number) = value { return quantity.text(of: number) }
            return AttributeWriter.text(value)
        }
        for group in SensorTagParser.groups {
            let members = group.members.map { "\($0.key): \(text($0.quantity))" }
            write(group.key, "{ \(members.joined(separator: ", ")) }")
        }
        for quantity in SensorTagParser.singles { write(quantity.rawValue, text(quantity)) }
        if configuration.advertising != .always { write("advertising", configuration.advertising.rawValue) }
        if configuration.hasImageService != configuration.firmware.usuallyHasImageService {
            write("image-service", "\(configuration.hasImageService)")
        }
    }

    private mutating func write(
        _ configuration: IoTDesignShopBeacon.Configuration, _ settings: IoTDesignShopSettings
    ) {
        let frame = IBeacon(
            uuid: settings.uuid, major: settings.major, minor: settings.minor, measuredPower: settings.measuredPower)
        write("ibeacon", Self.text(frame))
        write("interval", Self.text(AdvertisingInterval(UInt32(settings.intervalTicks))))
        let power = settings.lastValidPowerCode.flatMap(IoTDesignShopWire.transmitPower(code:))
        write("tx-power", Self.text(power))
        write("name", configuration.name.map(Self.quoted))
        if configuration.badIntervalPolicy != .clamp {
            write("on-bad-interval", configuration.badIntervalPolicy.rawValue)
        }
        if configuration.advertisesWhileConnected { write("advertise-while-connected", "true") }
        if !configuration.measuredPowers.isEmpty {
            let pairs = configuration.measuredPowers.sorted { $0.key > $1.key }.map {
                "\($0.key.decibelMilliwatts)dBm: \($0.value.decibelMilliwatts)"
            }
            write("measured-power-by-tx-power", "{ \(pairs.joined(separator: ", ")) }")
        }
    }

    private mutating func write(_ configuration: ANCSAccessory.Configuration) {
        write("name", Self.quoted(configuration.name))
        let names = configuration.consumer.attributes.map(MappingReader.text)
        write("ask", "[\(names.joined(separator: ", "))]")
        if !configuration.consumer.asksAppNames { write("app-names", "false") }
        write("interval", Self.text(configuration.interval))
        write("tx-power", Self.text(configuration.transmitPower))
    }

    private mutating func write(_ key: String, _ value: String?) {
        if let value { lines.append("    \(key): \(value)") }
    }

    private static func text(_ frame: IBeacon) -> String {
        "{ uuid: \(frame.uuid), major: \(frame.major), minor: \(frame.minor), measured-power: "
            + "\(frame.measuredPower.decibelMilliwatts) }"
    }

    private static func text(_ pairing: PairingSettings) -> String {
        var parts = ["io: \(pairing.inputOutput.rawValue)"]
        if let passkey = pairing.passkey { parts.append("passkey: \(ValueText.digits(of: passkey))") }
        if pairing.comparison != .ask { parts.append("comparison: \(pairing.comparison.rawValue)") }
        if !pairing.isBonding { parts.append("bonding: false") }
        if pairing.requiresAuthentication { parts.append("mitm: true") }
        if pairing.secureConnections != .preferred {
            parts.append("secure-connections: \(pairing.secureConnections.rawValue)")
        }
        if pairing.minimumKeySize != PairingSettings.keySizeRange.lowerBound {
            parts.append("minimum-key-size: \(pairing.minimumKeySize)")
        }
        if pairing.hidesAddress { parts.append("private-address: true") }
        if pairing.asksOnConnection { parts.append("request: true") }
        return "{ \(parts.joined(separator: ", ")) }"
    }

    static func text(_ interval: AdvertisingInterval) -> String {
        let microseconds = Int(interval.count) * 625
        return microseconds.isMultiple(of: 1000) ? "\(microseconds / 1000)ms" : "\(interval.count)ticks"
    }

    static func text(_ flags: AdvertisingFlags?) -> String {
        flags.map { "0x" + Hexadecimal.string([$0.rawValue]) } ?? "none"
    }

    static func text(_ power: TransmitPower?) -> String? {
        power.map { "\($0.decibelMilliwatts)dBm" }
    }

    /// All digits of a number, without an exponent.
    private static func metres(_ value: Double) -> String {
        let text = "\(value)"
        let parts = text.split(separator: "e")
        // Metres are at most 10,000, so that only small numbers are written with an exponent.
        guard parts.count == 2, let exponent = Int(parts[1]), exponent < 0 else { return text }
        let digits = parts[0].filter(\.isNumber)
        return (value < 0 ? "-" : "") + "0." + String(repeating: "0", count: -exponent - 1) + digits
    }

    /// A text in double quotes (YAML 1.2, 7.3.1), whatever is in it.
    static func quoted(_ text: String) -> String {
        "\""
            + text.unicodeScalars.map { scalar in
                switch scalar {
                case "\"": "\\\""
                case "\\": "\\\\"
                case " "..."~": String(scalar)
                default: "\\U" + String(String(UInt64(scalar.value) + 0x1_0000_0000, radix: 16).suffix(8))
                }
            }.joined() + "\""
    }

    /// A text that cannot end a comment.
    private static func oneLine(_ text: String) -> String {
        String(text.unicodeScalars.map { $0.properties.generalCategory == .control ? "\u{FFFD}" : Character($0) })
    }
}
