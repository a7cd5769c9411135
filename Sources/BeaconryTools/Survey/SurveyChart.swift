// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Devices
import Persistence
import Profiles
import Receiving
import Space

/// The errors of a survey as SVG: on the plan of each floor, and their distribution.
///
/// The same values give the same bytes. The colours go from light to dark with the error, so that they differ without colour, too.
struct SurveyChart {
    /// A place, with the mean of its samples.
    private struct Spot {
        let x, y: Double
        var error = 0.0
        var wrong = 0
        var count = 0
    }

    /// The classes of an error, by their upper bounds in metres.
    private static let classes: [(bound: Double, colour: String, text: String)] = [
        (1, "#fde725", "below 1 m"), (2, "#5ec962", "1 to 2 m"), (3, "#21918c", "2 to 3 m"), (5, "#3b528b", "3 to 5 m"),
        (.infinity, "#440154", "5 m or more"),
    ]
    private static let (left, top, side, gap, row) = (70.0, 60.0, 360.0, 90.0, 20.0)
    /// Places closer than this are one, in metres.
    private static let raster = 0.25

    private let title: String
    private let building: Building
    private let anchors: [(name: String, position: Position)]
    private let samples: [SurveySample]

    init(_ subject: SurveySubject, _ runs: [SurveyRun]) {
        title = "\(subject.name): \(subject.summary)"
        let (scenario, plan) = subject.scenarios[0]
        let profile = scenario.profile
        building = Building(for: [profile])
        anchors = plan.places(ofAnchorsIn: profile)
        samples = runs.flatMap(\.samples)
    }

    /// Writes the drawing.
    /// - Throws: `Failure` if the file cannot be written.
    func write(to path: String) throws(Failure) {
        do throws(SystemError) {
            try OutputFile.write(Array(svg().utf8), to: path)
        } catch {
            throw Failure(exitCode: 73, message: "\(error); choose another file")
        }
    }

    /// The floors with something on them, and one without a name for a profile without floors.
    private var floors: [Floor?] {
        let floors = building.floors.filter { floor in samples.contains { building.floor(at: $0.place) == floor } }
        return floors.isEmpty ? [nil] : floors
    }

    func svg() -> String {
        let floors = floors
        let width = Self.left + Double(floors.count + 1) * (Self.side + Self.gap)
        let height = Self.top + Self.side + 60 + Self.row + 20
        return SVGWriter.document(title, width: width, height: height, left: Self.left, style: Self.style) { svg in
            for (number, floor) in floors.enumerated() {
                draw(floor, left: Self.left + Double(number) * (Self.side + Self.gap), &svg)
            }
            drawDistribution(left: Self.left + Double(floors.count) * (Self.side + Self.gap), &svg)
            drawLegend(y: Self.top + Self.side + 70, &svg)
        }
    }

    private func draw(_ floor: Floor?, left: Double, _ svg: inout SVGWriter) {
        let rooms = building.rooms.filter { $0.floor == floor?.id }
        let spots = spots(on: floor)
        let places = rooms.flatMap(\.outline) + anchors.map(\.position) + spots.map { Position(x: $0.x, y: $0.y) }
        let (x, y) = ChartAxis.square(around: places, left: left, top: Self.top, side: Self.side)
        func place(_ position: Position) -> String {
            "\(SVGWriter.number(x.pixel(position.x))) \(SVGWriter.number(y.pixel(position.y)))"
        }
        if let floor {
            svg.add("text", [("x", SVGWriter.number(left)), ("y", SVGWriter.number(Self.top - 8))], text: floor.id)
        }
        ChartFrame(x: x, y: y).draw(&svg)
        for (index, kind) in Self.classes.enumerated() {
            let dots = spots.filter { Self.index(of: $0.error) == index }
                .map { "M\(place(Position(x: $0.x, y: $0.y)))h0" }.joined()
            if !dots.isEmpty { svg.add("path", [("class", "dots"), ("stroke", kind.colour), ("d", dots)]) }
        }
        let crosses = spots.filter { 2 * $0.wrong > $0.count }.map { spot in
            "M\(SVGWriter.number(x.pixel(spot.x) - 3)) \(SVGWriter.number(y.pixel(spot.y) - 3))l6 6m0 -6l-6 6"
        }.joined()
        if !crosses.isEmpty { svg.add("path", [("class", "wrong"), ("d", crosses)]) }
        for room in rooms {
            svg.add("path", [("class", "wall"), ("d", "M" + room.outline.map(place).joined(separator: "L") + "z")])
        }
        for anchor in anchors where floor == nil || building.floor(at: anchor.position) == floor {
            let (across, up) = (x.pixel(anchor.position.x), y.pixel(anchor.position.y))
            svg.add(
                "circle",
                [("class", "anchor"), ("cx", SVGWriter.number(across)), ("cy", SVGWriter.number(up)), ("r", "5")])
            svg.add("text", [("x", SVGWriter.number(across + 8)), ("y", SVGWriter.number(up + 4))], text: anchor.name)
        }
    }

    private func spots(on floor: Floor?) -> [Spot] {
        var spots: [Position: Spot] = [:]
        for sample in samples where floor == nil || building.floor(at: sample.place) == floor {
            let key = Position(
                x: (sample.place.x / Self.raster).rounded() * Self.raster,
                y: (sample.place.y / Self.raster).rounded() * Self.raster)
            var spot = spots[key] ?? Spot(x: key.x, y: key.y)
            spot.error += sample.error ?? .infinity
            spot.wrong += sample.room != nil && sample.estimate.room != sample.room ? 1 : 0
            spot.count += 1
            spots[key] = spot
        }
        return spots.values.map { spot in
            var mean = spot
            mean.error /= Double(spot.count)
            return mean
        }.sorted { ($0.y, $0.x) < ($1.y, $1.x) }
    }

    private static func index(of error: Double) -> Int { classes.firstIndex { error < $0.bound } ?? classes.count - 1 }

    /// The share of the samples whose error is at most a number of metres.
    private func drawDistribution(left: Double, _ svg: inout SVGWriter) {
        let errors = samples.compactMap(\.error).sorted()
        let end = max(1, SurveyFigures.quantile(0.99, of: errors) ?? 1)
        let x = ChartAxis.metres(0...end, from: left, to: left + Self.side, label: "error (m)")
        let y = ChartAxis.metres(0...100, from: Self.top + Self.side, to: Self.top, label: "share of the time (%)")
        ChartFrame(x: x, y: y).draw(&svg)
        let share = samples.isEmpty ? 0 : Double(errors.count) / Double(samples.count)
        let corners = (0...200).compactMap { step -> String? in
            guard let error = SurveyFigures.quantile(Double(step) / 200, of: errors), error <= end else { return nil }
            return "\(SVGWriter.number(x.pixel(error))) \(SVGWriter.number(y.pixel(share * Double(step) / 2)))"
        }
        if !corners.isEmpty { svg.add("path", [("class", "line"), ("d", "M" + corners.joined(separator: "L"))]) }
    }

    private func drawLegend(y: Double, _ svg: inout SVGWriter) {
        var x = Self.left
        for kind in Self.classes {
            svg.add(
                "path",
                [
                    ("class", "dots"), ("stroke", kind.colour),
                    ("d", "M\(SVGWriter.number(x)) \(SVGWriter.number(y - 4))h0"),
                ])
            svg.add("text", [("x", SVGWriter.number(x + 10)), ("y", SVGWriter.number(y))], text: kind.text)
            x += 100
        }
        svg.add(
            "path", [("class", "wrong"), ("d", "M\(SVGWriter.number(x - 3)) \(SVGWriter.number(y - 7))l6 6m0 -6l-6 6")])
        svg.add(
            "text", [("x", SVGWriter.number(x + 10)), ("y", SVGWriter.number(y))], text: "another room most of the time"
        )
    }

    private static let style = """
        <style>
        text{font:12px system-ui,sans-serif;fill:#222}
        .title{font-size:15px}.middle{text-anchor:middle}.end{text-anchor:end}
        .back{fill:#fff}.frame{fill:none;stroke:#888}.grid{stroke:#e2e2e2}
        .dots{fill:none;stroke-width:9;stroke-linecap:round}.wrong{stroke:#d55e00;stroke-width:1.6;fill:none}
        .wall{fill:none;stroke:#222;stroke-width:2}.anchor{fill:#fff;stroke:#222;stroke-width:2}
        .line{fill:none;stroke:#0072b2;stroke-width:2}
        @media (prefers-color-scheme:dark){
        text{fill:#ddd}.back{fill:#16181c}.grid{stroke:#33363c}.wall,.anchor{stroke:#ddd}.anchor{fill:#16181c}.line{stroke:#56b4e9}
        }
        </style>
        """
}
