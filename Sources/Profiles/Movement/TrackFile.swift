// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Devices
import Glibc
package import Space

/// A file of recorded positions: CSV in metres, or GPX or GeoJSON on the globe.
struct TrackFile: Sendable {
    /// The limit of a file's size, in bytes.
    static let maximumSize = 1 << 20
    /// The limit of points, so that a file cannot take memory without bound.
    static let maximumCount = 100_000

    private enum Format {
        case csv, gpx, geoJSON
    }

    private enum Content: Sendable {
        case rows(CSVTrack)
        case fixes([MapFix])
    }

    private let name: String
    private let content: Content

    /// The path in a file. The file is parsed once for all that name it, and those with the same path share it.
    /// - Parameters:
    ///   - who: selects the rows of a CSV file; `nil` for the rows of `id`.
    ///   - anchor: the place of the origin on the globe, for GPX and GeoJSON only.
    ///   - reader: reads the profile's files.
    static func path(
        in name: String, of who: String?, id: String, anchor: MapAnchor?, from reader: ProfileReader
    ) throws(ValueFault) -> Motion.Path {
        let contents = reader.contents
        let key = "track\0\(reader.file)\0\(name)"
        let file = try contents.value(key) { () throws(ValueFault) -> TrackFile in
            try TrackFile(name, from: reader.files)
        }
        let selection = file.selection(of: who, id: id, anchor: anchor)
        return try contents.value("\(key)\0\(selection)") { () throws(ValueFault) -> Motion.Path in
            let points: [Motion.Path.Point]
            do throws(ValueFault) {
                points = try file.points(of: who, id: id, anchor: anchor)
                try contents.add(points: points.count)
            } catch {
                throw ValueFault("\(name): \(error.message)")
            }
            guard let path = Motion.Path(points) else { throw ValueFault("\(name): it has no points") }
            return path
        }
    }

    /// Parses a file; its name ends with its format.
    /// - Throws: `ValueFault` if there is no such file or format, or if the file is too large or has faults.
    private init(_ name: String, from files: ProfileFileReader) throws(ValueFault) {
        let suffixes: [(String, Format)] = [
            (".csv", .csv), (".gpx", .gpx), (".geojson", .geoJSON), (".json", .geoJSON),
        ]
        let lowercased = name.lowercased()
        guard let format = suffixes.first(where: { lowercased.hasSuffix($0.0) })?.1 else {
            throw ValueFault("\"\(name)\" is not a track; write the name of a .csv, .gpx or .geojson file")
        }
        var text = try files(name)
        if text.hasPrefix("\u{FEFF}") { text.removeFirst() }
        guard text.utf8.count <= Self.maximumSize else {
            throw ValueFault("\(name): it has more than \(Self.maximumSize) bytes")
        }
        self.name = name
        do throws(ValueFault) {
            content =
                switch format {
                case .csv: .rows(try CSVTrack(text))
                case .gpx: .fixes(try GPXTrack.fixes(in: text))
                case .geoJSON: .fixes(try GeoJSONTrack.fixes(in: text))
                }
        } catch {
            throw ValueFault("\(name): \(error.message)")
        }
    }

    /// What the path depends on, as text: those with the same have the same path.
    private func selection(of who: String?, id: String, anchor: MapAnchor?) -> String {
        switch content {
        case .rows(let rows): "\(who != nil) \(rows.hasWho ? who ?? id : "") \(anchor != nil)"
        case .fixes: "\(who != nil) " + (anchor.map { "\($0)" } ?? "")
        }
    }

    private func points(of who: String?, id: String, anchor: MapAnchor?) throws(ValueFault) -> [Motion.Path.Point] {
        switch content {
        case .rows(let rows):
            guard anchor == nil else {
                throw ValueFault("the positions of a CSV file are in metres; leave anchor out")
            }
            return try rows.points(of: who, id: id)
        case .fixes(let fixes): return try Self.points(fixes, who, anchor)
        }
    }

    /// Fixes as points in metres and seconds, from the time of the first.
    private static func points(
        _ fixes: [MapFix], _ who: String?, _ anchor: MapAnchor?
    ) throws(ValueFault) -> [Motion.Path.Point] {
        guard who == nil else { throw ValueFault("only a CSV file has rows of several; leave who out") }
        guard let anchor else {
            throw ValueFault(
                "its positions are latitudes and longitudes; write where [0, 0] is, such as "
                    + "track: { file: walk.gpx, anchor: { lat: 48.1374, lon: 11.5755, bearing: 0 } }")
        }
        guard let first = fixes.first else { throw ValueFault("it has no points with a time") }
        var points: [Motion.Path.Point] = []
        points.reserveCapacity(fixes.count)
        var last = first
        for (number, fix) in fixes.enumerated() {
            guard number == 0 || fix.time > last.time else {
                throw ValueFault("line \(fix.line): its time is not after the time of the point before")
            }
            last = fix
            let position = anchor.position(of: fix)
            guard max(abs(position.x), abs(position.y), abs(position.z)) <= 10_000 else {
                throw ValueFault("line \(fix.line): the point is more than 10000 m from the anchor")
            }
            points.append(Motion.Path.Point(Double(fix.time - first.time) / 1_000_000, position))
        }
        return points
    }
}

/// A recorded position on the globe.
struct MapFix: Hashable {
    /// In degrees, north and east positive.
    let latitude, longitude: Double
    /// In metres above the sea; `nil` if unknown.
    let elevation: Double?
    /// In microseconds since the Unix epoch.
    let time: Int64
    /// Where it is in its file, counted from 1.
    let line: Int
}

/// The place on the globe of a profile's origin, and the direction of its second axis.
///
/// The projection is equirectangular, with the radii of the WGS 84 ellipsoid at the anchor: within a kilometre of it, distances
/// are right to a few centimetres.
package struct MapAnchor: Hashable, Sendable {
    /// In degrees, -89 to 89.
    package let latitude: Double
    /// In degrees.
    package let longitude: Double
    /// The direction of the second axis, in degrees clockwise from north.
    let bearing: Double
    /// The elevation of height 0 in metres above the sea; `nil` if all points have height 0.
    let elevation: Double?

    /// - Parameters:
    ///   - latitude: in degrees, -89 to 89.
    ///   - longitude: in degrees.
    ///   - bearing: the direction of the second axis, in degrees clockwise from north.
    ///   - elevation: the elevation of height 0 in metres above the sea; `nil` if all points have height 0.
    package init(latitude: Double, longitude: Double, bearing: Double = 0, elevation: Double? = nil) {
        self.latitude = latitude
        self.longitude = longitude
        self.bearing = bearing
        self.elevation = elevation
    }

    /// The position of a fix, in metres.
    func position(of fix: MapFix) -> Position {
        let place = position(latitude: fix.latitude, longitude: fix.longitude)
        let height = elevation.flatMap { base in fix.elevation.map { $0 - base } } ?? 0
        return Position(x: place.x, y: place.y, z: height)
    }

    /// The position of a place on the globe with height 0, in metres.
    package func position(latitude: Double, longitude: Double) -> Position {
        // The radii of curvature of the meridian and of the parallel (WGS 84: a = 6378137 m, f = 1/298.257223563).
        let (semiMajor, eccentricity) = (6_378_137.0, 6.694_379_990_14e-3)
        let degree = Double.pi / 180
        let sine = sin(self.latitude * degree)
        let curve = 1 - eccentricity * sine * sine
        let perDegreeNorth = degree * semiMajor * (1 - eccentricity) / (curve * curve.squareRoot())
        let perDegreeEast = degree * semiMajor * cos(self.latitude * degree) / curve.squareRoot()
        var turn = (longitude - self.longitude).truncatingRemainder(dividingBy: 360)
        if turn > 180 { turn -= 360 }
        if turn < -180 { turn += 360 }
        let (east, north) = (turn * perDegreeEast, (latitude - self.latitude) * perDegreeNorth)
        return Position(
            x: east * cos(bearing * degree) - north * sin(bearing * degree),
            y: east * sin(bearing * degree) + north * cos(bearing * degree))
    }
}
