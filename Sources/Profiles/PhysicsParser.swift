// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Devices

/// Reads the keys of a profile that describe the virtual air.
enum PhysicsParser {
    /// `physics: office`, or a mapping of the parts of the model, each of which may be `off`.
    static func physics(from reader: inout ProfileReader) -> Propagation? {
        guard let node = reader.node("physics") else { return nil }
        guard node.text == nil else { return reader.value("physics", ValueText.physics) }
        return reader.part("physics", Self.model)
    }

    /// `walls: [ { from: [4, 0], to: [4, 6], loss: 6dB } ]`.
    static func walls(from reader: inout ProfileReader) -> [Propagation.Wall] {
        let walls = reader.parts("walls", of: "wall") { reader -> Propagation.Wall? in
            let from = corner("from", of: &reader)
            let to = corner("to", of: &reader)
            let loss = reader.required("loss", example: "6dB", ValueText.decibels)
            guard let from, let to, let loss else { return nil }
            return Propagation.Wall(from: from, to: to, loss: loss)
        }
        return walls?.compactMap(\.self) ?? []
    }

    private static func model(_ reader: inout ProfileReader) -> Propagation? {
        var model = reader.value("preset", ValueText.physics) ?? Propagation()
        model.exponent = reader.value("exponent", ValueText.exponent) ?? model.exponent
        if isOff("shadowing", in: &reader) {
            model.shadowing = nil
        } else if let shadowing = reader.part("shadowing", Self.shadowing) {
            model.shadowing = shadowing
        }
        if isOff("fading", in: &reader) {
            model.directPathRatio = nil
        } else if let ratio = reader.part("fading", { $0.required("k", ValueText.ratio) }) {
            model.directPathRatio = ratio
        }
        if isOff("fast", in: &reader) {
            model.packetDeviation = 0
        } else if let deviation = reader.value("fast", ValueText.decibels) {
            model.packetDeviation = deviation
        }
        if isOff("sensitivity", in: &reader) {
            model.sensitivity = nil
        } else if let sensitivity = reader.value("sensitivity", ValueText.sensitivity) {
            model.sensitivity = sensitivity
        }
        if isOff("capture", in: &reader) {
            model.capture = nil
        } else if let capture = reader.value("capture", ValueText.decibels) {
            model.capture = capture
        }
        if isOff("body", in: &reader) {
            model.bodyLoss = 0
        } else if let loss = reader.value("body", ValueText.decibels) {
            model.bodyLoss = loss
        }
        return model
    }

    /// `shadowing: { sigma: 2.7dB, distance: 0.75m }`.
    private static func shadowing(_ reader: inout ProfileReader) -> Propagation.Shadowing? {
        let deviation = reader.required("sigma", ValueText.decibels)
        let distance = reader.required("distance", ValueText.distance)
        guard let deviation, let distance else { return nil }
        return Propagation.Shadowing(deviation: deviation, distance: distance)
    }

    /// Whether a part is `off`; the key is known from now on.
    private static func isOff(_ key: String, in reader: inout ProfileReader) -> Bool {
        reader.node(key)?.text == "off"
    }

    /// An end of a wall: `[4, 0]`.
    private static func corner(_ key: String, of reader: inout ProfileReader) -> Position? {
        guard let node = reader.node(key) else {
            reader.addMissing(key, example: "[4, 0]")
            return nil
        }
        guard let metres = reader.values(key, example: "[4, 0]", ValueText.metres) else { return nil }
        guard metres.count == 2 else {
            // A number that is wrong has a fault already.
            if node.sequence?.count == metres.count {
                reader.add("an end of a wall is two numbers of metres, such as [4, 0]", field: key, at: node.place)
            }
            return nil
        }
        return Position(x: metres[0], y: metres[1])
    }
}
