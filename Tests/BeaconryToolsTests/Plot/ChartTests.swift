// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Foundation
import FoundationXML
import Profiles
import Space
import Testing

@testable import BeaconryTools

/// An SVG document as another program parses it.
private final class Document: NSObject, XMLParserDelegate {
    struct Element {
        let name: String
        let attributes: [String: String]
        var text = ""

        /// The points of a path with absolute coordinates.
        var points: [(x: Double, y: Double)] {
            (attributes["d"] ?? "").split { "MLh".contains($0) }.compactMap { pair in
                let numbers = pair.split(separator: " ").compactMap { Double($0) }
                return numbers.count == 2 ? (numbers[0], numbers[1]) : nil
            }
        }
    }

    private(set) var elements: [Element] = []
    private var open: [Int] = []

    /// - Throws: an error if the text is not well-formed XML.
    init(_ text: String) throws {
        super.init()
        let parser = XMLParser(data: Data(text.utf8))
        parser.delegate = self
        guard parser.parse() else { throw parser.parserError ?? CocoaError(.fileReadCorruptFile) }
    }

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String] = [:]
    ) {
        open.append(elements.count)
        elements.append(Element(name: name, attributes: attributes))
    }

    func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
        open.removeLast()
    }

    func parser(_ parser: XMLParser, foundCharacters text: String) {
        if let index = open.last { elements[index].text += text }
    }

    /// The elements of a class.
    func elements(ofClass name: String) -> [Element] {
        elements.filter { ($0.attributes["class"] ?? "").split(separator: " ").contains(Substring(name)) }
    }

    var texts: [String] { elements.filter { $0.name == "text" }.map(\.text) }
}

struct ChartTests {
    private static func series(_ name: String, _ values: [(Double, Double)]) -> RSSISeries {
        RSSISeries(name: name, points: values.map { RSSISeries.Point(time: $0.0, rssi: $0.1) })
    }

    private func chart(_ series: RSSISeries...) -> Chart { Chart(title: "shop.jsonl", series: series) }

    @Test func pointsAreAtTheirTimesAndValues() throws {
        // The plot has 810 pixels for 10 s from 70, and 360 for -80 to -50 dBm from 400 upwards.
        let chart = chart(Self.series("door", [(0, -80), (5, -65), (10, -50)]))
        #expect(chart.timeAxis.values == 0...10 && chart.rssiAxis.values == -80 ... -50)
        let document = try Document(chart.svg())
        let dots = try #require(document.elements(ofClass: "dots").first).points
        #expect(dots.map(\.x) == [70, 475, 880])
        #expect(dots.map(\.y) == [400, 220, 40])
        let line = try #require(document.elements(ofClass: "line").first)
        // The median of all three, at each point.
        #expect(line.points.map(\.y) == [220, 220, 220])
        #expect(document.texts.contains("door, 3 packets") && document.texts.contains("shop.jsonl"))
        #expect(document.texts.contains("RSSI (dBm)") && document.texts.contains("time (s)"))
    }

    @Test func sameValuesGiveTheSameBytes() {
        var generator = SplitMix64(seed: 7)
        let values = (0..<5000).map { (Double($0) / 10, Double(Int8.random(in: -99 ... -40, using: &generator))) }
        let chart = chart(Self.series("a", values), Self.series("b", values.reversed()))
        #expect(chart.svg() == chart.svg())
        // Times that go back are sorted.
        #expect(Self.series("b", values.reversed()).points == Self.series("b", values).points)
    }

    @Test func namesAreEscaped() throws {
        let name = "<a href=\"x\">&amp; 'q' \u{1B}[31m \u{202E}\u{0}\u{FFFE}</a>"
        var chart = chart(Self.series(name, [(0, -60)]))
        chart.title = "]]>\n<script/>"
        chart.plan.beacons = [FloorPlan.Mark(name: name, position: Position(x: 1, y: 1))]
        let document = try Document(chart.svg())
        let safe = "<a href=\"x\">&amp; 'q' \u{FFFD}[31m \u{FFFD}\u{FFFD}\u{FFFD}</a>"
        #expect(document.elements.contains { $0.name == "title" && $0.text == safe })
        #expect(document.texts.contains(safe))
        #expect(document.texts.contains("]]>\u{FFFD}<script/>"))
        #expect(!document.elements.contains { ["a", "script"].contains($0.name) })
    }

    // MARK: - Extremes

    @Test func chartWithoutPacketsHasAxes() throws {
        for chart in [chart(), chart(Self.series("door", []))] {
            let document = try Document(chart.svg())
            #expect(document.texts.contains("no packets with an RSSI"))
            #expect(document.elements(ofClass: "grid").count > 5)
        }
    }

    @Test func onePacketIsADot() throws {
        let document = try Document(chart(Self.series("door", [(0, -60)])).svg())
        let dots = try #require(document.elements(ofClass: "dots").first).points
        #expect(dots.map(\.x) == [70] && dots.map(\.y) == [220])
        #expect(document.texts.contains("door, 1 packet"))
    }

    @Test func manyPacketsAreThinnedOut() throws {
        var generator = SplitMix64(seed: 1)
        var values = (0..<100_000).map { (Double($0) / 100, Double(Int8.random(in: -80 ... -60, using: &generator))) }
        values[54_321].1 = -95
        values[77_777].1 = -31
        let svg = chart(Self.series("door", values)).svg()
        #expect(svg.utf8.count < 300_000)
        let document = try Document(svg)
        let dots = try #require(document.elements(ofClass: "dots").first).points
        #expect(dots.count <= Chart.drawnPoints && dots.count > 1000)
        // The extremes stay: 360 pixels for -100 to -30 dBm.
        #expect(dots.map(\.y).max() == 374.29 && dots.map(\.y).min() == 45.14)
        #expect(document.texts.contains("door, 100000 packets"))
        #expect(zip(dots, dots.dropFirst()).allSatisfy { $0.x <= $1.x })
    }

    @Test func extremeValuesStayInTheFrame() throws {
        let values: [(Double, Double)] = [(0, -127), (1e9, 20), (1e9, .nan), (.infinity, -50), (5e8, 127)]
        let chart = chart(Self.series("door", values))
        let document = try Document(chart.svg())
        let dots = try #require(document.elements(ofClass: "dots").first).points
        #expect(dots.count == 3)
        #expect(dots.allSatisfy { 70...880 ~= $0.x && 40...400 ~= $0.y })
        #expect(document.texts.contains("time (days)"))
    }

    @Test func onlyTheBusiestBeaconsAreDrawn() throws {
        let series = (0..<30).map { number in
            Self.series("b\(number)", (0...number).map { (Double($0), -60) })
        }
        let document = try Document(Chart(title: "", series: series).svg())
        #expect(document.elements(ofClass: "legend").count == Chart.drawnSeries)
        #expect(document.texts.contains("and 9 others with fewer packets"))
        #expect(document.texts.contains("b9, 10 packets") && !document.texts.contains("b8, 9 packets"))
        // Of 21 beacons no two have the same colour and the same dashes.
        #expect(Set(document.elements(ofClass: "legend").map { $0.attributes["class"] }).count == Chart.drawnSeries)
    }

    // MARK: - Lines

    @Test func lineIsInterruptedWhereNothingIsReceived() throws {
        let times = [0, 0.1, 0.2, 0.3, 0.4, 0.8, 0.9, 2.0, 2.1, 2.2]
        let series = Self.series("door", times.map { ($0, -60) })
        #expect(try abs(#require(series.usualInterval) - 0.1) < 1e-9)
        #expect(series.medians.map(\.part) == [0, 0, 0, 0, 0, 0, 0, 1, 1, 1])
        let line = try #require(try Document(chart(series).svg()).elements(ofClass: "line").first)
        #expect(line.attributes["d"]?.filter { $0 == "M" }.count == 2)
    }

    @Test func medianRunsOverNinePoints() {
        let values = [-60, -60, -90, -60, -62, -61, -30, -60, -64, -66, -68, -70]
        let series = Self.series("door", values.enumerated().map { (Double($0), Double($1)) })
        let expected = series.points.indices.map { index -> Double in
            let around = values[max(0, index - 4)...min(values.count - 1, index + 4)].sorted()
            let middle = around.count / 2
            return around.count.isMultiple(of: 2)
                ? Double(around[middle - 1] + around[middle]) / 2 : Double(around[middle])
        }
        #expect(series.medians.map(\.point.rssi) == expected)
    }

    @Test func scanResponsesDoNotCountAsIntervals() {
        let requests = (0..<20).map { Double($0) * 0.5 }
        let times: [Double] = requests.flatMap { time -> [Double] in [time, time + 0.001] }
        let series = Self.series("door", times.map { ($0, -60) })
        #expect(series.medians.allSatisfy { $0.part == 0 })
    }

    // MARK: - Axes

    @Test(
        arguments: [
            (0.5, ["0", "0.05", "0.1"], "time (s)"), (10, ["0", "1", "2"], "time (s)"),
            (30, ["0", "5", "10"], "time (s)"),
            (119, ["0", "15", "30"], "time (s)"), (600, ["0", "1", "2"], "time (min)"),
            (3600, ["0", "10", "20"], "time (min)"), (86_400, ["0", "3", "6"], "time (h)"),
            (604_800, ["0", "1", "2"], "time (days)"),
        ] as [(Double, [String], String)])
    func timeHasRoundTicks(_ end: Double, _ labels: [String], _ label: String) {
        let axis = ChartAxis.time(upTo: end, from: 0, to: 100)
        #expect(axis.ticks.prefix(3).map(\.label) == labels && axis.label == label)
        #expect(axis.ticks.count <= 11)
    }

    @Test(
        arguments: [
            (-60.0 ... -60.0, -70.0 ... -50.0), (-63 ... -61, -80 ... -60), (-100 ... -31, -100 ... -30),
            (-127...20, -130...20),
        ] as [(ClosedRange<Double>, ClosedRange<Double>)])
    func rssiHasWholeTens(_ values: ClosedRange<Double>, _ expected: ClosedRange<Double>) {
        #expect(ChartAxis.rssi(values, from: 0, to: 1).values == expected)
    }

    @Test(
        arguments: [
            (0, "0"), (-0.001, "0"), (12.5, "12.5"), (-3.14159, "-3.14"), (0.05, "0.05"), (1e300, "0"),
        ] as [(Double, String)])
    func numbersAreRounded(_ value: Double, _ text: String) { #expect(SVGWriter.number(value) == text) }

    // MARK: - Map

    @Test func mapIsToScale() throws {
        var chart = chart(Self.series("door", [(0, -60), (1, -61)]))
        chart.plan = FloorPlan(
            beacons: [
                FloorPlan.Mark(name: "door", position: Position(x: 0, y: 0)),
                FloorPlan.Mark(name: "shelf", position: Position(x: 10, y: 5)),
            ],
            receivers: [FloorPlan.Mark(name: "phone", position: Position(x: 5, y: 5))],
            walls: [FloorPlan.Wall(from: Position(x: 4, y: 0), to: Position(x: 4, y: 5))],
            paths: [FloorPlan.Path(name: "phone", places: [Position(x: 5, y: 5), Position(x: 10, y: 5)])])
        let document = try Document(chart.svg())
        // 12 m are 360 pixels from 970 and 400: x from -1 m, y from -3.5 m upwards.
        let marks = document.elements(ofClass: "mark").map { [$0.attributes["cx"], $0.attributes["cy"]] }
        #expect(marks == [["1000", "295"], ["1300", "145"]])
        #expect(document.elements(ofClass: "wall").first?.points.map(\.x) == [1120, 1120])
        #expect(document.elements(ofClass: "path").first?.points.map(\.x) == [1150, 1300])
        #expect(document.elements(ofClass: "receiver").count == 1)
        for name in ["door", "shelf", "phone", "x (m)", "y (m)"] { #expect(document.texts.contains(name)) }
        // The beacon with RSSI has the colour of its line.
        let colours = document.elements.filter { $0.name == "g" }.compactMap { $0.attributes["class"] }
        #expect(colours.contains("other") && colours.filter { $0 == "c0 d0" }.count == 2)
    }

    /// A till beside a receiver: their names are in different lines. Others stay beside their marks.
    @Test func namesOnTheMapDoNotCoverEachOther() throws {
        var chart = chart(Self.series("till", [(0, -60), (1, -61)]))
        let places = [("till", 0.0), ("customer", 0.1), ("window", 0.2), ("door", 10)]
        chart.plan = FloorPlan(
            beacons: places.map { FloorPlan.Mark(name: $0.0, position: Position(x: $0.1, y: 0)) }, receivers: [],
            walls: [], paths: [])
        let texts = try Document(chart.svg()).elements.filter { $0.name == "text" }
        let heights = try places.map { place in
            let text = try #require(texts.last { $0.text == place.0 })
            return try #require(text.attributes["y"].flatMap(Double.init))
        }
        #expect(heights.map { $0 - heights[0] } == [0, 12, -12, 0])
    }

    @Test func mapHasWhatProfilesDeclare() throws {
        let profile = try Profile(
            parsing: """
                profile: shop
                walls: [ { from: [4, 0], to: [4, 6], loss: 6dB } ]
                receivers:
                  - { id: visitor, path: { through: [[0, 3], [9, 3], [9, 8]], speed: 1.2m/s } }
                  - { id: guard, orbit: { centre: [1, 1], radius: 5, period: 60s } }
                  - { id: elsewhere }
                beacons:
                  - { id: door, device: ibeacon, position: [1, 2], ibeacon: { uuid: \(PlotInputTests.uuid) } }
                  - { id: shelf, device: ibeacon, ibeacon: { uuid: \(PlotInputTests.uuid), minor: 2 } }
                """, file: "shop.yaml")
        let plan = FloorPlan([profile])
        #expect(plan.beacons.map(\.name) == ["door"] && plan.receivers.map(\.name) == ["visitor", "guard"])
        #expect(plan.walls == [FloorPlan.Wall(from: Position(x: 4, y: 0), to: Position(x: 4, y: 6))])
        #expect(plan.paths.map(\.name) == ["visitor", "guard"])
        #expect(plan.paths[0].places.first == Position(x: 0, y: 3) && plan.paths[0].places.last == Position(x: 9, y: 8))
        let centre = Position(x: 1, y: 1)
        #expect(plan.paths[1].places.allSatisfy { abs($0.distance(to: centre) - 5) < 1e-9 })
    }

    @Test func oneBeaconHasAMapOfItsSurroundings() throws {
        var chart = chart(Self.series("door", [(0, -60)]))
        chart.plan.beacons = [FloorPlan.Mark(name: "door", position: Position(x: -9999, y: 3))]
        let mark = try #require(try Document(chart.svg()).elements(ofClass: "mark").first)
        #expect(mark.attributes["cx"] == "1150" && mark.attributes["cy"] == "220")
    }
}

struct RSSIHistoryTests {
    private func line(_ values: [Int8?], width: Int = 16, isUnicode: Bool = true) -> String {
        var history = RSSILine()
        for value in values { history.append(value) }
        return history.sparkline(width: width, isUnicode: isUnicode)
    }

    @Test func valuesAreBlocksBetweenLowestAndHighest() {
        #expect(line([-100, -90, -80, -70, -60, -50, -40, -30]) == "▁▂▃▄▅▆▇█")
        #expect(line([-100, -90, -80, -70, -60, -50, -40, -30], isUnicode: false) == "_.:-=+*#")
    }

    @Test func smallDifferencesStaySmall() {
        #expect(line([-60, -60, -60]) == "▅▅▅")
        // 4 of 16 dB, in the middle.
        #expect(line([-62, -58]) == "▄▆")
    }

    @Test func missingValuesAreSpaces() {
        #expect(line([-60, nil, -60]) == "▅ ▅")
        #expect(line([nil, nil]) == "  " && line([]) == "")
    }

    @Test func onlyTheLastValuesAreShown() {
        #expect(line([-100, -100] + Array(repeating: -60, count: 16)) == String(repeating: "▅", count: 16))
        #expect(line([-100, -60, -60], width: 2) == "▅▅")
        #expect(line([-60], width: 0) == "")
    }

    @Test func widthFollowsTheTerminal() {
        var histories = RSSIHistories<Int>()
        histories.append(-60, of: 1)
        histories.append(-70, of: 2)
        #expect(histories.sparkline(of: 1, columns: 79, isUnicode: true) == nil)
        #expect(histories.sparkline(of: 1, columns: 80, isUnicode: true) == "▅       ")
        #expect(histories.sparkline(of: 2, columns: 200, isUnicode: false)?.count == 16)
        histories.forgetAll(except: [2])
        #expect(histories.sparkline(of: 1, columns: 80, isUnicode: true) == "        ")
    }
}
