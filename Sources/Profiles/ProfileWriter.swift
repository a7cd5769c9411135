// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Devices
import Receiving
import Space

/// Writes a profile as YAML from which the same profile is parsed.
package struct ProfileWriter {
    private var lines: [String]
    /// What the lines do not show.
    private var secrets: [[UInt8]] = []

    /// The text of a profile.
    /// - Parameters:
    ///   - profile: the profile.
    ///   - remarks: comment lines to write before beacons, by the beacons' ids.
    ///   - leftOut: keys of beacons to leave out, by the beacons' ids: they have their defaults.
    package static func text(
        of profile: Profile, remarks: [String: [String]] = [:], leavingOut leftOut: [String: Set<String>] = [:]
    ) -> String {
        writer(of: profile, remarks: remarks, leavingOut: leftOut).text
    }

    /// The text of a profile in UTF-8, and a hash that differs if anything of the profile differs, also what the text does not show:
    /// keys, and the picture of the floor plan.
    package static func document(of profile: Profile) -> (text: [UInt8], hash: ContentHash) {
        let writer = writer(of: profile)
        let text = Array(writer.text.utf8)
        let hidden = writer.secrets + [Array((profile.surroundings.plan?.picture.tag ?? "").utf8)]
        return (text, ContentHash(of: hidden.reduce(into: text) { $0 += $1 }))
    }

    private var text: String { lines.joined(separator: "\n") + "\n" }

    private static func writer(
        of profile: Profile, remarks: [String: [String]] = [:], leavingOut leftOut: [String: Set<String>] = [:]
    ) -> ProfileWriter {
        var writer = ProfileWriter(lines: ["profile: \(profile.name)"])
        if let physics = profile.surroundings.physics { writer.lines.append("physics: \(text(physics))") }
        if let powerOn = profile.surroundings.powerOn { writer.lines.append("power-on: \(powerOn.rawValue)") }
        if !profile.surroundings.walls.isEmpty { writer.lines.append("walls:") }
        writer.lines += profile.surroundings.walls.map { "  - \(text($0))" }
        if let building = profile.surroundings.building { writer.write(building) }
        // A profile that is sent names no files.
        if let plan = profile.surroundings.plan {
            writer.lines.append(
                "# map: \(oneLine(plan.name)), \(ValueText.text(plan.width)) m wide, of the profile's file")
        }
        writer.lines.append(profile.beacons.isEmpty ? "beacons: []" : "beacons:")
        for beacon in profile.beacons {
            for remark in remarks[beacon.id] ?? [] { writer.lines.append("  # \(oneLine(remark))") }
            writer.lines.append("  - id: \(beacon.id)")
            writer.write("label", beacon.label.map { DeviceWriter.quoted($0) })
            writer.write("device", beacon.device.kind)
            var keys = DeviceWriter()
            beacon.device.write(to: &keys)
            writer.secrets += keys.secrets
            let written = keys.lines.filter { line in
                leftOut[beacon.id]?.contains { line.hasPrefix("\($0):") } != true
            }
            writer.lines += written.map { "    " + $0 }
            writer.write(beacon.movement)
            writer.write("pairing", beacon.pairing.map(Self.text))
            writer.write("schedule", beacon.schedule?.text)
        }
        if !profile.receivers.isEmpty { writer.lines.append("receivers:") }
        for receiver in profile.receivers {
            writer.lines.append("  - id: \(receiver.id)")
            writer.write("label", receiver.label.map { DeviceWriter.quoted($0) })
            writer.write(receiver.movement)
            writer.write("hci-server", receiver.server.map { DeviceWriter.quoted("\($0)") })
            writer.write("esphome", receiver.proxy.map { DeviceWriter.quoted($0) })
            for key in ReceiverKey.all { writer.write(key.name, key.text(of: receiver.traits)) }
            if let listener = receiver.listener { writer.write(listener) }
        }
        return writer
    }

    private mutating func write(_ listener: ListenerSettings) {
        write("phone", listener.phone.text)
        write("scan", listener.scan.map(\.text))
        write("listening", listener.isListening ? nil : "false")
        write("screen", listener.screen == .on ? nil : listener.screen.rawValue)
        write("bluetooth", listener.bluetooth == .on ? nil : listener.bluetooth.rawValue)
        write("permission", listener.permission == .granted ? nil : listener.permission.rawValue)
        write("estimator", listener.estimator?.rawValue)
        if !listener.regions.isEmpty { lines.append("    regions:") }
        for region in listener.regions { lines.append("      - " + region.text) }
    }

    private mutating func write(_ key: String, _ value: String?) {
        if let value { lines.append("    \(key): \(value)") }
    }

    /// The name of a preset, or the parts of a model.
    private static func text(_ physics: Propagation) -> String {
        physics.presetName ?? "{ \(PhysicsKey.all.map { $0.text(of: physics) }.joined(separator: ", ")) }"
    }

    private static func text(_ wall: Propagation.Wall) -> String {
        return "{ from: \(corner(wall.from)), to: \(corner(wall.to)), loss: \(metres(wall.loss))dB }"
    }

    private static func corner(_ position: Position) -> String { "[\(metres(position.x)), \(metres(position.y))]" }

    private mutating func write(_ building: Building) {
        if !building.floors.isEmpty { lines.append("floors:") }
        lines += building.floors.map { floor in
            let slab = floor.slabLoss > 0 ? ", slab: { loss: \(Self.metres(floor.slabLoss))dB }" : ""
            return "  - { id: \(floor.id), from: \(Self.metres(floor.height))m\(slab) }"
        }
        if !building.rooms.isEmpty { lines.append("rooms:") }
        for room in building.rooms {
            lines.append("  - id: \(room.id)")
            write("label", room.label.map { DeviceWriter.quoted($0) })
            write("floor", room.floor)
            write("outline", "[\(room.outline.map(Self.corner).joined(separator: ", "))]")
            write("walls", room.wallLoss > 0 ? "\(Self.metres(room.wallLoss))dB" : nil)
            let doors = room.doors.map { "{ at: \(Self.corner($0.position)), width: \(Self.metres($0.width))m }" }
            write("doors", doors.isEmpty ? nil : "[\(doors.joined(separator: ", "))]")
        }
    }

    private mutating func write(_ movement: Movement?) {
        if let movement { write(movement.key, movement.value) }
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

    /// All digits of a number, without an exponent.
    static func metres(_ value: Double) -> String {
        let text = "\(value)"
        let parts = text.split(separator: "e")
        // The numbers are at most 10,000, so only small ones are printed with an exponent.
        guard parts.count == 2, let exponent = Int(parts[1]), exponent < 0 else { return text }
        let digits = parts[0].filter(\.isNumber)
        return (value < 0 ? "-" : "") + "0." + String(repeating: "0", count: -exponent - 1) + digits
    }

    /// A text without line ends, which would end a comment.
    private static func oneLine(_ text: String) -> String {
        String(text.unicodeScalars.map { $0.properties.generalCategory == .control ? "\u{FFFD}" : Character($0) })
    }
}
