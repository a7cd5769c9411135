// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Devices
import Space

/// Reads the floors and the rooms of a profile or a scenario.
package struct BuildingParser {
    /// The limits of the numbers of floors and rooms, and of the corners and the doors of a room.
    package static let maximumFloors = 100
    package static let maximumRooms = 1000
    package static let maximumCorners = 100

    /// The floors and the rooms of the profile of a scenario; `nil` if it could not be read.
    let base: Building?

    /// The floors and the rooms of these keys, without those of the profile; `nil` for none.
    func building(from reader: inout ProfileReader) -> Building? {
        let floors = floors(from: &reader)
        let rooms = rooms(from: &reader, on: floors.compactMap(\.self))
        guard reader.has("floors") || reader.has("rooms") else { return nil }
        return Building(floors: floors.compactMap(\.self), rooms: rooms)
    }

    /// `loss: 16dB` or `material: concrete`; `nil` with a fault.
    static func loss(from reader: inout ProfileReader, example: String) -> Double? {
        let material = reader.value("material", ValueText.material)
        guard reader.has("material") else {
            return reader.required("loss", example: "\(example), or material: brick", ValueText.decibels)
        }
        if let node = reader.node("loss") {
            reader.add("loss and material exclude each other; leave one of them out", field: "loss", at: node.place)
        }
        return material?.loss
    }

    /// A place seen from above: `[4, 0]`.
    /// - Parameter rule: what such a place is, for messages.
    static func corner(_ key: String, of reader: inout ProfileReader, example: String, rule: String) -> Position? {
        guard let node = reader.node(key) else {
            reader.addMissing(key, example: example)
            return nil
        }
        guard let metres = reader.values(key, example: example, ValueText.metres) else { return nil }
        guard metres.count == 2 else {
            // A number that is wrong has a fault already.
            if node.sequence?.count == metres.count { reader.add(rule, field: key, at: node.place) }
            return nil
        }
        return Position(x: metres[0], y: metres[1])
    }

    // MARK: - Floors

    /// `floors: [{ id: ground, from: 0m, slab: { material: concrete } }]`.
    private func floors(from reader: inout ProfileReader) -> [Floor?] {
        let floors =
            reader.parts("floors", of: "floor") { reader -> Floor? in
                let id = reader.required("id", example: "ground", ValueText.name)
                let height = reader.required("from", example: "0m", ValueText.height)
                let loss = reader.has("slab") ? reader.part("slab") { Self.loss(from: &$0, example: "16dB") } : 0
                guard let id, let height, let loss else { return nil }
                return Floor(id: id, height: height, slabLoss: loss)
            } ?? []
        if floors.count > Self.maximumFloors {
            reader.add(
                "at most \(Self.maximumFloors) floors are possible", field: "floors", at: reader.place(of: "floors"))
        }
        reader.addDuplicates(in: "floors", floors, key: "id", name: \.id) { earlier, id in
            "\(earlier) has the id \"\(id)\" already; give every floor its own id"
        }
        for (number, floor) in floors.enumerated() {
            guard let floor else { continue }
            if base?.floors.contains(where: { $0.id == floor.id }) == true {
                add(
                    "the profile has a floor \"\(floor.id)\"; give every floor its own id", "floors", number, "id",
                    to: &reader)
            }
            let earlier = floors[..<number].compactMap(\.self) + (base?.floors ?? [])
            if let other = earlier.first(where: { $0.height == floor.height && $0.id != floor.id }) {
                add(
                    "\"\(other.id)\" begins at \(ValueText.text(floor.height)) m already; give every floor its own height",
                    "floors", number, "from", to: &reader)
            }
        }
        return floors
    }

    /// Adds a fault of a key of an entry.
    private func add(_ message: String, _ list: String, _ number: Int, _ key: String, to reader: inout ProfileReader) {
        let entry = reader.present(list)?.sequence?[number]
        let node = entry?.mapping?[key] ?? entry
        reader.add(message, field: "\(list)[\(number)].\(key)", at: node?.place)
    }

    // MARK: - Rooms

    /// `rooms: [{ id: kitchen, floor: ground, outline: [[0, 0], [4, 0], [4, 3]], walls: brick }]`.
    private func rooms(from reader: inout ProfileReader, on floors: [Floor]) -> [Room] {
        let example = (base?.floors ?? []) + floors
        let rooms = reader.parts("rooms", of: "room") { Self.room(&$0, on: example.first?.id ?? "ground") } ?? []
        if rooms.count > Self.maximumRooms {
            reader.add("at most \(Self.maximumRooms) rooms are possible", field: "rooms", at: reader.place(of: "rooms"))
            return []
        }
        reader.addDuplicates(in: "rooms", rooms, key: "id", name: \.id) { earlier, id in
            "\(earlier) has the id \"\(id)\" already; give every room its own id"
        }
        addUnknownFloors(of: rooms, to: &reader, floors)
        for (number, room) in rooms.enumerated() {
            guard let room else { continue }
            if base?.rooms.contains(where: { $0.id == room.id }) == true {
                add(
                    "the profile has a room \"\(room.id)\"; give every room its own id", "rooms", number, "id",
                    to: &reader)
            }
            addOverlap(of: room, number, with: (base?.rooms ?? []) + rooms[..<number].compactMap(\.self), to: &reader)
        }
        return rooms.compactMap(\.self)
    }

    private func addUnknownFloors(of rooms: [Room?], to reader: inout ProfileReader, _ floors: [Floor]) {
        // A floor with a fault, or a profile with one, may be the one that is meant.
        guard let base, floors.count == reader.present("floors")?.sequence?.count ?? 0 else { return }
        let names = base.floors.map(\.id) + floors.map(\.id)
        for (number, room) in rooms.enumerated() {
            guard let room, !names.contains(room.floor) else { continue }
            let hint =
                names.isEmpty
                ? "there is no floor \"\(room.floor)\"; write floors: [{ id: \(room.floor), from: 0m }]"
                : Spelling.unknown("there is no floor \"\(room.floor)\"", room.floor, "floors", names)
            add(hint, "rooms", number, "floor", to: &reader)
        }
    }

    private func addOverlap(of room: Room, _ number: Int, with others: [Room], to reader: inout ProfileReader) {
        for other in others where other.floor == room.floor {
            guard let place = Outline(room.outline).overlap(with: Outline(other.outline)) else { continue }
            add(
                "\"\(room.id)\" and \"\(other.id)\" overlap at \(Self.text(place)); rooms of a floor may share edges, and no area",
                "rooms", number, "outline", to: &reader)
            return
        }
    }

    /// - Parameter example: the name of a floor, for messages.
    private static func room(_ reader: inout ProfileReader, on example: String) -> Room? {
        let id = reader.required("id", example: "kitchen", ValueText.name)
        let label = reader.value("label", ValueText.label)
        let floor = reader.required("floor", example: example, ValueText.name)
        let outline = outline(from: &reader)
        let loss = reader.has("walls") ? reader.value("walls", ValueText.wallLoss) : 0
        let doors = doors(from: &reader, on: outline)
        guard let id, let floor, let outline, let loss else { return nil }
        return Room(
            id: id, label: label, floor: floor, outline: outline.corners, wallLoss: loss, doors: doors)
    }

    private static let outlineExample = "[[0, 0], [4, 0], [4, 3], [0, 3]]"

    private static func outline(from reader: inout ProfileReader) -> Outline? {
        guard let node = reader.node("outline") else {
            reader.addMissing("outline", example: outlineExample)
            return nil
        }
        guard let list = node.sequence else {
            reader.add(
                "a list of corners is expected here, such as \(outlineExample)", field: "outline", at: node.place)
            return nil
        }
        guard list.count <= maximumCorners else {
            reader.add("a room has at most \(maximumCorners) corners", field: "outline", at: node.place)
            return nil
        }
        var corners: [Position] = []
        for (number, entry) in list.enumerated() {
            guard let corner = corner(entry, "outline[\(number)]", from: &reader) else { return nil }
            corners.append(corner)
        }
        let outline = Outline(corners)
        guard let problem = outline.problem else { return outline }
        let (message, number) = text(of: problem, corners)
        let place = number.map { list[$0].place } ?? node.place
        reader.add(message, field: number.map { "outline[\($0)]" } ?? "outline", at: place)
        return nil
    }

    private static func corner(_ node: ProfileNode, _ field: String, from reader: inout ProfileReader) -> Position? {
        let rule = "a corner is two numbers of metres, such as [4, 0]"
        guard let parts = node.sequence, parts.count == 2 else {
            reader.add(rule, field: field, at: node.place)
            return nil
        }
        var metres: [Double] = []
        for part in parts {
            do throws(ValueFault) {
                guard let text = part.text else { throw ValueFault(rule) }
                metres.append(try ValueText.metres(text))
            } catch {
                reader.add(error.message, field: field, at: part.place)
                return nil
            }
        }
        return Position(x: metres[0], y: metres[1])
    }

    /// The fault of an outline, and the number of the corner that has it.
    private static func text(of problem: Outline.Problem, _ corners: [Position]) -> (String, corner: Int?) {
        switch problem {
        case .tooFewCorners: ("an outline has at least three corners, such as \(outlineExample)", nil)
        case .repeatedCorner(let corner, 0):
            ("the last corner is the first one again; leave it out: the outline closes by itself", corner)
        case .repeatedCorner(_, let corner): ("this corner is the one before it again; leave it out", corner)
        case .noArea: ("the corners are on one line, so the room has no area; move one of them", nil)
        case .crossing(let first, let second):
            (
                "the edge from \(text(corners[second])) to \(text(corners[(second + 1) % corners.count])) meets the edge from "
                    + "\(text(corners[first])) to \(text(corners[(first + 1) % corners.count])); list the corners in the order in "
                    + "which one walks along the walls", second
            )
        }
    }

    private static func text(_ place: Position) -> String {
        func number(_ value: Double) -> String { ValueText.text((value * 100).rounded() / 100) }
        return "[\(number(place.x)), \(number(place.y))]"
    }

    // MARK: - Doors

    private static func doors(from reader: inout ProfileReader, on outline: Outline?) -> [Room.Door] {
        let doors =
            reader.parts("doors", of: "door") { reader -> Room.Door? in
                let rule = "the middle of a door is two numbers of metres, such as [4, 1]"
                let position = corner("at", of: &reader, example: "[4, 1]", rule: rule)
                let width = reader.required("width", example: "0.9m", ValueText.width)
                guard let position, let width else { return nil }
                let door = Room.Door(at: position, width: width)
                if let outline { addFault(of: door, on: outline.withoutStraightCorners, to: &reader) }
                return door
            } ?? []
        if doors.count > maximumCorners {
            reader.add("a room has at most \(maximumCorners) doors", field: "doors", at: reader.place(of: "doors"))
        }
        return doors.compactMap(\.self)
    }

    private static func addFault(of door: Room.Door, on outline: Outline, to reader: inout ProfileReader) {
        guard let edge = outline.edge(of: door) else {
            reader.add(
                "the door is on no wall of the room; the nearest place on one is \(text(outline.nearest(to: door.position)))",
                field: "at", at: reader.place(of: "at"))
            return
        }
        guard edge.margin(beside: door) < -Outline.tolerance else { return }
        guard door.width <= edge.length + Outline.tolerance else {
            reader.add(
                "the door is wider than its wall, which is \(ValueText.text((edge.length * 100).rounded() / 100)) m long",
                field: "width", at: reader.place(of: "width"))
            return
        }
        reader.add(
            "the door reaches beyond the end of its wall; move its middle to \(ValueText.text(door.width / 2)) m or more from the "
                + "corner, or make it narrower", field: "at", at: reader.place(of: "at"))
    }
}
