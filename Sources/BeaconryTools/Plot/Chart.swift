// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// RSSI over time as SVG: for each beacon points and a line, the running median; beside it the map, if there is one.
///
/// The same values give the same bytes. The colours are the palette of Okabe and Ito (Color Universal Design, 2008),
/// which colour-blind people can distinguish; dark mode has a selection of its own. From the eighth beacon on, lines
/// have dashes.
struct Chart: Hashable, Sendable {
    /// What is drawn above the chart.
    var title: String
    /// The beacons, with times from 0.
    var series: [RSSISeries]
    /// The map; empty for none.
    var plan = FloorPlan()

    /// More lines than this cannot be distinguished: of the others only the number is shown.
    static let drawnSeries = 21
    /// The number of points and of corners of lines that are drawn, of all beacons.
    static let drawnPoints = 8000

    private static let lightColours = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#555555"]
    private static let darkColours = ["#56B4E9", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#F0E442", "#FFFFFF"]
    private static let dashes = ["", "7 3", "2 3"]
    private static let legendWidth = 400.0
    private static let rowHeight = 20.0
    private static let longestName = 40

    /// The places of the parts, in pixels.
    private enum Place {
        static let left = 70.0
        static let right = 880.0
        static let top = 40.0
        static let bottom = 400.0
        static let legend = 462.0
        static let plan = 970.0
        static let margin = 20.0
    }

    /// The time axis.
    var timeAxis: ChartAxis {
        let end = series.compactMap(\.points.last?.time).max() ?? 0
        return .time(upTo: end > 0 ? end : 1, from: Place.left, to: Place.right)
    }

    /// The RSSI axis.
    var rssiAxis: ChartAxis {
        let values = series.flatMap { [$0.points.map(\.rssi).min(), $0.points.map(\.rssi).max()] }.compactMap(\.self)
        let range = (values.min() ?? -100)...(values.max() ?? -40)
        return .rssi(range, from: Place.bottom, to: Place.top)
    }

    /// The beacons that are drawn: those with the most packets, in the given order.
    private var drawn: [RSSISeries] {
        guard series.count > Self.drawnSeries else { return series }
        let most = series.enumerated().sorted { left, right in
            (right.element.points.count, left.offset) < (left.element.points.count, right.offset)
        }
        return most.prefix(Self.drawnSeries).sorted { $0.offset < $1.offset }.map(\.element)
    }

    /// The document.
    func svg() -> String {
        let drawn = drawn
        let hasPlan = !plan.isEmpty
        let width = hasPlan ? Place.plan + Place.bottom - Place.top + Place.margin : Place.right + Place.margin
        let columns = Int((width - Place.left) / Self.legendWidth)
        let entries = drawn.count + (series.count > drawn.count ? 1 : 0)
        let rows = (entries + columns - 1) / columns
        let height = Place.legend + Double(rows) * Self.rowHeight + Place.margin
        return SVGWriter.document(title, width: width, height: height, left: Place.left, style: Self.style) { svg in
            draw(drawn, &svg)
            if hasPlan {
                plan.draw(&svg, left: Place.plan, top: Place.top, side: Place.bottom - Place.top) { name in
                    drawn.firstIndex { $0.name == name }.map { Self.styleClass($0) } ?? "other"
                }
            }
            drawLegend(drawn, columns: columns, &svg)
        }
    }

    private func draw(_ drawn: [RSSISeries], _ svg: inout SVGWriter) {
        let (x, y) = (timeAxis, rssiAxis)
        ChartFrame(x: x, y: y).draw(&svg)
        if drawn.allSatisfy(\.points.isEmpty) {
            let across = SVGWriter.number((Place.left + Place.right) / 2)
            let up = SVGWriter.number((Place.top + Place.bottom) / 2)
            svg.add("text", [("class", "middle"), ("x", across), ("y", up)], text: "no packets with an RSSI")
        }
        let limit = max(200, Self.drawnPoints / max(1, 2 * drawn.count))
        for (index, each) in drawn.enumerated() {
            let points = RSSISeries.thinned(each.points, to: limit) { $0 }
            let medians = RSSISeries.thinned(each.medians, to: limit) { $0.point }
            func place(_ point: RSSISeries.Point) -> String {
                "\(SVGWriter.number(x.pixel(point.time))) \(SVGWriter.number(y.pixel(point.rssi)))"
            }
            // A line of no length with round ends is a dot: one element for all of a beacon.
            let dots = points.map { "M\(place($0))h0" }.joined()
            var line = ""
            for (number, vertex) in medians.enumerated() {
                let continues = number > 0 && medians[number - 1].part == vertex.part
                line += (continues ? "L" : "M") + place(vertex.point)
            }
            svg.add("g", [("class", Self.styleClass(index))]) { svg in
                svg.add("title", text: each.name)
                if !dots.isEmpty { svg.add("path", [("class", "dots"), ("d", dots)]) }
                if !line.isEmpty { svg.add("path", [("class", "line"), ("d", line)]) }
            }
        }
    }

    private func drawLegend(_ drawn: [RSSISeries], columns: Int, _ svg: inout SVGWriter) {
        func place(_ index: Int) -> (x: Double, y: Double) {
            let (row, column) = index.quotientAndRemainder(dividingBy: columns)
            return (Place.left + Double(column) * Self.legendWidth, Place.legend + Double(row) * Self.rowHeight)
        }
        for (index, each) in drawn.enumerated() {
            let (x, y) = place(index)
            let count = Formatting.count(each.points.count, "packet")
            svg.add("g", [("class", Self.styleClass(index) + " legend")]) { svg in
                let (left, middle) = (SVGWriter.number(x), SVGWriter.number(y - 4))
                svg.add("path", [("class", "line"), ("d", "M\(left) \(middle)h24")])
                svg.add("path", [("class", "dots"), ("d", "M\(SVGWriter.number(x + 12)) \(middle)h0")])
                svg.add(
                    "text", [("x", SVGWriter.number(x + 32)), ("y", SVGWriter.number(y))],
                    text: "\(each.name.cut(to: Self.longestName)), \(count)")
            }
        }
        guard series.count > drawn.count else { return }
        let (x, y) = place(drawn.count)
        svg.add(
            "text", [("x", SVGWriter.number(x)), ("y", SVGWriter.number(y))],
            text: "and \(Formatting.count(series.count - drawn.count, "other")) with fewer packets")
    }

    /// The class of a beacon's elements: a colour, and dashes.
    private static func styleClass(_ index: Int) -> String {
        "c\(index % lightColours.count) d\(index / lightColours.count % dashes.count)"
    }

    private static let style: String = {
        func colours(_ colours: [String]) -> String {
            colours.enumerated().map { ".c\($0){color:\($1)}" }.joined()
        }
        let dashes = Self.dashes.enumerated().map { ".d\($0) .line{stroke-dasharray:\($1.isEmpty ? "none" : $1)}" }
        return """
            <style>
            text{font:12px system-ui,sans-serif;fill:#222}
            .title{font-size:15px}.middle{text-anchor:middle}.end{text-anchor:end}
            .back{fill:#fff}.frame{fill:none;stroke:#888}.grid{stroke:#e2e2e2}
            .dots{fill:none;stroke:currentColor;stroke-width:4;stroke-linecap:round;stroke-opacity:.5}
            .line{fill:none;stroke:currentColor;stroke-width:1.8;stroke-linejoin:round}
            .mark{fill:currentColor}.receiver{fill:none;stroke:#222;stroke-width:1.5}.other{color:#555}
            .wall{stroke:#222;stroke-width:3;fill:none}.path{stroke:#888;stroke-dasharray:4 4;fill:none}
            \(colours(lightColours))
            \(dashes.joined())
            @media (prefers-color-scheme:dark){
            text{fill:#ddd}.back{fill:#16181c}.grid{stroke:#33363c}
            .receiver,.wall{stroke:#ddd}.other{color:#bbb}
            \(colours(darkColours))
            }
            </style>
            """
    }()
}

/// The frame of a chart: grid, ticks and labels.
struct ChartFrame {
    let x, y: ChartAxis

    func draw(_ svg: inout SVGWriter) {
        let (left, right) = (SVGWriter.number(x.first), SVGWriter.number(x.last))
        let (bottom, top) = (SVGWriter.number(y.first), SVGWriter.number(y.last))
        for tick in x.ticks {
            let place = SVGWriter.number(x.pixel(tick.value))
            svg.add("path", [("class", "grid"), ("d", "M\(place) \(bottom)V\(top)")])
            let below = SVGWriter.number(y.first + 18)
            svg.add("text", [("class", "middle"), ("x", place), ("y", below)], text: tick.label)
        }
        for tick in y.ticks {
            let place = y.pixel(tick.value)
            svg.add("path", [("class", "grid"), ("d", "M\(left) \(SVGWriter.number(place))H\(right)")])
            svg.add(
                "text",
                [("class", "end"), ("x", SVGWriter.number(x.first - 8)), ("y", SVGWriter.number(place + 4))],
                text: tick.label)
        }
        svg.add("path", [("class", "frame"), ("d", "M\(left) \(top)V\(bottom)H\(right)V\(top)z")])
        let (center, below) = (SVGWriter.number((x.first + x.last) / 2), SVGWriter.number(y.first + 38))
        svg.add("text", [("class", "middle"), ("x", center), ("y", below)], text: x.label)
        let (side, middle) = (SVGWriter.number(x.first - 46), SVGWriter.number((y.first + y.last) / 2))
        svg.add(
            "text",
            [("class", "middle"), ("transform", "rotate(-90 \(side) \(middle))"), ("x", side), ("y", middle)],
            text: y.label)
    }
}
