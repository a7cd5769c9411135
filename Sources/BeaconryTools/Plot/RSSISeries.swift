// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// The RSSI values of one beacon, in the order of their times.
struct RSSISeries: Hashable, Sendable {
    /// One value.
    struct Point: Hashable, Sendable {
        /// In seconds.
        let time: Double
        /// In dBm.
        let rssi: Double
    }

    /// A point of a line, with the number of the part of the line that it belongs to.
    struct Vertex: Hashable, Sendable {
        let point: Point
        let part: Int
    }

    /// Packets that follow each other faster are of one advertising event, such as a scan response, in seconds.
    private static let sameEvent = 0.005
    /// The number of usual intervals without a packet that interrupts the line.
    private static let interruption = 5.0
    /// The number of points whose median is taken.
    private static let window = 9

    /// The beacon.
    let name: String
    /// The values in the order of their times; those at the same time in the order in which they were given.
    let points: [Point]

    /// Times may go back, as with a clock that was set; values that are not numbers are left out.
    init(name: String, points: [Point]) {
        self.name = name
        let valid = points.filter { $0.time.isFinite && $0.rssi.isFinite }
        let isSorted = zip(valid, valid.dropFirst()).allSatisfy { $0.time <= $1.time }
        self.points =
            isSorted
            ? valid
            : valid.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(\.element)
    }

    /// The median time between two advertising events, in seconds; `nil` for fewer than three.
    var usualInterval: Double? {
        let intervals = zip(points, points.dropFirst()).map { $1.time - $0.time }.filter { $0 >= Self.sameEvent }
        return intervals.count < 2 ? nil : intervals.sorted()[intervals.count / 2]
    }

    /// The running median: for each point the median of the points around it. The line is interrupted where nothing was
    /// received for several usual intervals.
    var medians: [Vertex] {
        let longest = usualInterval.map { $0 * Self.interruption } ?? .infinity
        var vertices: [Vertex] = []
        vertices.reserveCapacity(points.count)
        var start = 0
        var part = 0
        while start < points.count {
            var end = start + 1
            while end < points.count, points[end].time - points[end - 1].time <= longest { end += 1 }
            vertices += Self.medians(of: points[start..<end]).map { Vertex(point: $0, part: part) }
            start = end
            part += 1
        }
        return vertices
    }

    private static func medians(of points: ArraySlice<Point>) -> [Point] {
        let reach = window / 2
        // The values around the present point, sorted.
        var values: [Double] = []
        func insert(_ value: Double) { values.insert(value, at: values.firstIndex { $0 > value } ?? values.count) }
        for point in points.prefix(reach) { insert(point.rssi) }
        return points.indices.map { index in
            if index + reach < points.endIndex { insert(points[index + reach].rssi) }
            let old = index - reach - 1
            if old >= points.startIndex, let place = values.firstIndex(of: points[old].rssi) {
                values.remove(at: place)
            }
            let middle = values.count / 2
            let median = values.count.isMultiple(of: 2) ? (values[middle - 1] + values[middle]) / 2 : values[middle]
            return Point(time: points[index].time, rssi: median)
        }
    }

    /// At most this many elements (and at least four): the first, the lowest, the highest and the last of each of equal
    /// spans of time.
    static func thinned<Element>(_ elements: [Element], to limit: Int, _ point: (Element) -> Point) -> [Element] {
        guard elements.count > limit, let first = elements.first.map(point), let last = elements.last.map(point) else {
            return elements
        }
        let count = max(1, limit / 4)
        let width = (last.time - first.time) / Double(count)
        var kept: [Element] = []
        var start = 0
        while start < elements.count {
            let span = Self.span(of: point(elements[start]), since: first, width, count)
            var end = start + 1
            while end < elements.count, Self.span(of: point(elements[end]), since: first, width, count) == span {
                end += 1
            }
            let lowest = (start..<end).min { point(elements[$0]).rssi < point(elements[$1]).rssi } ?? start
            let highest = (start..<end).max { point(elements[$0]).rssi < point(elements[$1]).rssi } ?? start
            kept += Set([start, lowest, highest, end - 1]).sorted().map { elements[$0] }
            start = end
        }
        return kept
    }

    private static func span(of point: Point, since first: Point, _ width: Double, _ count: Int) -> Int {
        width > 0 ? min(Int((point.time - first.time) / width), count - 1) : 0
    }
}
