// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
package import Devices
package import Space

/// Reads the keys of a profile that describe the virtual air.
enum PhysicsParser {
    /// - Parameter base: the floors and the rooms of the profile of a scenario; `nil` if it could not be read.
    static func surroundings(
        from reader: inout ProfileReader, _ pictures: PictureReader, over base: Building?
    ) -> Surroundings {
        Surroundings(
            physics: physics(from: &reader), walls: walls(from: &reader),
            building: BuildingParser(base: base).building(from: &reader),
            plan: GroundPlan.read(from: &reader, pictures), powerOn: reader.value("power-on", PowerOn.init(parsing:)))
    }

    /// `physics: office`, or a mapping of the parts of the model, each of which may be `off`.
    fileprivate static func physics(from reader: inout ProfileReader) -> Propagation? {
        guard let node = reader.node("physics") else { return nil }
        guard node.text == nil else { return reader.value("physics", ValueText.physics) }
        return reader.part("physics", Self.model)
    }

    /// `walls: [ { from: [4, 0], to: [4, 6], loss: 6dB } ]`, or with `material: brick`.
    private static func walls(from reader: inout ProfileReader) -> [Propagation.Wall] {
        let walls = reader.parts("walls", of: "wall") { reader -> Propagation.Wall? in
            let rule = "an end of a wall is two numbers of metres, such as [4, 0]"
            let from = BuildingParser.corner("from", of: &reader, example: "[4, 0]", rule: rule)
            let to = BuildingParser.corner("to", of: &reader, example: "[4, 0]", rule: rule)
            let loss = BuildingParser.loss(from: &reader, example: "6dB")
            guard let from, let to, let loss else { return nil }
            return Propagation.Wall(from: from, to: to, loss: loss)
        }
        return walls?.compactMap(\.self) ?? []
    }

    private static func model(_ reader: inout ProfileReader) -> Propagation? {
        var model = reader.value("preset", ValueText.physics) ?? Propagation()
        for key in PhysicsKey.all { key.read(&reader, into: &model) }
        return model
    }
}

extension Propagation {
    /// Reads the value of `physics` of a profile, without a profile around it.
    /// - Parameters:
    ///   - text: the name of a preset, or the keys of a model, in YAML or JSON.
    ///   - file: the name of the text, for messages.
    /// - Throws: `ProfileFaults` with all faults, each with line and column.
    package init(parsing text: String, file: String) throws(ProfileFaults) {
        let root = try YAMLText(text, file: file).root(of: "a model", example: "profiles/")
        var rewriter = NodeRewriter(file: file, environment: nil)
        let key = ProfileNode(.scalar("physics"), at: root.place)
        let node = ProfileNode(.mapping(ProfileNode.Mapping([(key, rewriter.rewritten(root))])), at: root.place)
        var reader = ProfileReader(node, file: file, path: "")
        let model = PhysicsParser.physics(from: &reader)
        let faults = rewriter.faults + reader.finish()
        guard faults.isEmpty, let model else { throw ProfileFaults(faults) }
        self = model
    }

    /// The same without walls and slabs.
    package var withoutObstacles: Propagation {
        var model = self
        model.walls = []
        model.slabs = []
        return model
    }
}
