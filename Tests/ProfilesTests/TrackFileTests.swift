// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Devices
import Profiles
import Space
import TestSupport
import Testing

/// Tracks of files: recorded positions as CSV, GPX and GeoJSON.
@Suite struct TrackFileTests {
    private static func motion(_ text: String, in file: String, _ keys: String = "") throws -> Motion {
        let track = keys.isEmpty ? file : "{ file: \(file), \(keys) }"
        return try MovementProfileTests.motion("track: \(track)", files: [file: text])
    }

    /// The fault of a file, without the name of the file in front of it.
    private static func fault(
        _ text: String, in file: String, _ keys: String = "", sourceLocation: SourceLocation = #_sourceLocation
    ) -> String? {
        let error = #expect(throws: ProfileFaults.self, sourceLocation: sourceLocation) {
            _ = try motion(text, in: file, keys)
        }
        #expect(error?.faults.count == 1, sourceLocation: sourceLocation)
        let message = error?.faults.first?.message ?? ""
        #expect(message.hasPrefix("\(file): "), "\(message)", sourceLocation: sourceLocation)
        return String(message.dropFirst(file.count + 2))
    }

    private static func expect(
        _ motion: Motion, at seconds: Double, _ x: Double, _ y: Double, _ z: Double = 0, within limit: Double = 1e-9,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let position = motion.position(at: .seconds(seconds))
        let distance = position.distance(to: Position(x: x, y: y, z: z))
        #expect(distance < limit, "\(position) at \(seconds) s", sourceLocation: sourceLocation)
    }

    // MARK: - CSV

    @Test func rowsOfTheIDAreTheTrack() throws {
        let text = """
            \u{FEFF}# recorded on Monday

            t,who,x,y,z
            0,a,0,0,1
            0,guard,100,100,1
            10, a , 10,20,1
            12.5,guard,0,0,0
            20,a,10,20,3

            """
        let motion = try Self.motion(text, in: "a.csv")
        Self.expect(motion, at: 0, 0, 0, 1)
        Self.expect(motion, at: 5, 5, 10, 1)
        Self.expect(motion, at: 15, 10, 20, 2)
        Self.expect(motion, at: 99, 10, 20, 3)
        let other = try Self.motion(text.replacing("\n", with: "\r\n"), in: "a.csv", "who: guard")
        Self.expect(other, at: 6.25, 50, 50, 0.5)
    }

    private static let columns = "columns are t, who, x, y, z; begin with the heading t,who,x,y"

    @Test func columnsHaveAnyOrderAndWhoMayBeMissing() throws {
        let motion = try Self.motion("y,x,t\n2,1,3\n4,3,5", in: "A.CSV")
        Self.expect(motion, at: 0, 1, 2)
        Self.expect(motion, at: 4, 2, 3)
    }

    @Test(
        arguments: [
            ("", "it has no rows; write the heading t,who,x,y and rows such as 0,a,2.5,4"),
            ("t,who,x,y\n", "it has no rows; write the heading t,who,x,y and rows such as 0,a,2.5,4"),
            ("0,a,1,2\n", "line 1: there is no column \"0\"; \(columns)"),
            ("t;who;x;y\n", "line 1: there is no column \"t;who;x;y\"; \(columns)"),
            ("t,x\n0,1\n", "line 1: the columns t, x and y are required"),
            ("t,x,y,x\n", "line 1: the column x appears twice"),
            ("t,x,y\n0,1\n", "line 2: the row has 2 values, and the heading has 3"),
            ("t,x,y\n0,1,2,3\n", "line 2: the row has 4 values, and the heading has 3"),
            ("t,x,y\n\nsoon,1,2\n", "line 3: \"soon\" is not a time from 0 to 3600000 seconds"),
            ("t,x,y\n-1,1,2\n", "line 2: \"-1\" is not a time from 0 to 3600000 seconds"),
            ("t,x,y\n3600001,1,2\n", "line 2: \"3600001\" is not a time from 0 to 3600000 seconds"),
            ("t,x,y\n1.2.3,1,2\n", "line 2: \"1.2.3\" is not a time from 0 to 3600000 seconds"),
            ("t,x,y\n0,nan,2\n", "line 2: \"nan\" is not a number of metres from -10000 to 10000"),
            ("t,x,y\n0,1,10001\n", "line 2: \"10001\" is not a number of metres from -10000 to 10000"),
            ("t,x,y\n0,1,2\n#\n0,1,3\n", "line 4: its time is not after the time of line 2"),
            ("t,who,x,y\n0,b,1,2\n1,c,1,2\n", "no row is of \"a\"; those in the column who are b, c"),
        ])
    func faultsOfCSVHaveTheirLines(_ text: String, _ message: String) {
        #expect(Self.fault(text, in: "a.csv") == message)
    }

    @Test func otherFaultsOfCSVAreReported() {
        #expect(Self.fault("t,x,y\n0,1,2", in: "a.csv", "who: b") == "line 1: there is no column who, to select \"b\"")
        #expect(
            Self.fault("t,x,y\n0,1,2", in: "a.csv", "anchor: { lat: 0, lon: 0 }")
                == "the positions of a CSV file are in metres; leave anchor out")
        let long = String(repeating: "9", count: 500)
        #expect(Self.fault("t,x,y\n0,1,\(long)", in: "a.csv") == "line 2: a value has more than 400 bytes")
        let many = "t,x,y\n" + (0...100_000).map { "\($0),0,0\n" }.joined()
        #expect(Self.fault(many, in: "a.csv") == "line 100002: there are more than 100000 points")
        let large = String(repeating: "#", count: (1 << 20) + 1)
        #expect(Self.fault(large, in: "a.csv") == "it has more than 1048576 bytes")
    }

    // MARK: - GPX

    private static let equator = "anchor: { lat: 0, lon: 0 }"

    private static func gpx(_ points: String) -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <gpx version="1.1" creator="a > b" xmlns="http://www.topografix.com/GPX/1/1">
          <!-- <trkpt lat="9" lon="9"/> -->
          <metadata><time>2001-01-01T00:00:00Z</time></metadata>
          <trk><name>Walk &amp; talk</name><trkseg>
        \(points)
          </trkseg></trk>
        </gpx>
        """
    }

    /// One degree of WGS 84 is 110.574 km of latitude and 111.320 km of longitude at the equator, 111.412 km and 55.800 km at 60
    /// degrees north.
    @Test(
        arguments: [
            ("0", 0.0, 0.01, 0.0, 1105.74), ("0", 0, 0, 0.01, 1113.20), ("60", 60, 60.01, 0, 1114.12),
            ("60", 60, 60, 0.01, 558.00), ("-60", -60, -60.01, 0, -1114.12),
        ] as [(String, Double, Double, Double, Double)])
    func degreesAreMetres(_ anchor: String, _ start: Double, _ latitude: Double, _ longitude: Double, _ metres: Double)
        throws
    {
        let text = Self.gpx(
            """
            <trkpt lat="\(start)" lon="0"><ele>100</ele><time>2026-01-31T12:00:00Z</time></trkpt>
            <trkpt lon='\(longitude)'  lat = '\(latitude)' ><time> 2026-01-31T13:00:10.5+01:00 </time></trkpt>
            """)
        let motion = try Self.motion(text, in: "a.gpx", "anchor: { lat: \(anchor), lon: 0 }")
        Self.expect(motion, at: 0, 0, 0)
        let (x, y) = longitude > 0 ? (metres, 0.0) : (0.0, metres)
        Self.expect(motion, at: 10.5, x, y, within: 0.01)
        Self.expect(motion, at: 5.25, x / 2, y / 2, within: 0.01)
    }

    /// A bearing of 90 degrees: the second axis points east, and the first one south.
    @Test func bearingTurnsTheAxesAndElevationIsTheHeight() throws {
        let text = Self.gpx(
            """
            <g:trkpt lat="0" lon="0.001" xmlns:g="x"><g:time>2026-01-31T12:00:00Z</g:time>
              <g:ele>519.5</g:ele><g:extensions><g:time>1</g:time><g:ele/></g:extensions></g:trkpt>
            <trkpt lat="0.001" lon="0"><time>2026-01-31T12:00:01Z</time></trkpt>
            """)
        let east = 111.320
        let motion = try Self.motion(text, in: "a.gpx", "anchor: { lat: 0, lon: 0, bearing: 90, ele: 518 }")
        Self.expect(motion, at: 0, 0, east, 1.5, within: 0.001)
        Self.expect(motion, at: 1, -110.574, 0, within: 0.001)
        let diagonal = try Self.motion(text, in: "a.gpx", "anchor: { lat: 0, lon: 0, bearing: 45 }")
        Self.expect(diagonal, at: 0, east / 2.0.squareRoot(), east / 2.0.squareRoot(), within: 0.001)
    }

    @Test func waypointsAreUsedWithoutATrackAndTheDateLineIsCrossed() throws {
        let text = """
            <gpx><wpt lat="0" lon="179.9999"><time>2024-02-29T23:59:59Z</time></wpt>
            <wpt lat="0" lon="-179.9999"><time>2024-03-01T00:00:01Z</time></wpt></gpx>
            """
        let motion = try Self.motion(text, in: "a.gpx", "anchor: { lat: 0, lon: 180 }")
        Self.expect(motion, at: 0, -11.132, 0, within: 0.001)
        Self.expect(motion, at: 2, 11.132, 0, within: 0.001)
    }

    private static let time = "<time>2026-01-31T12:00:00Z</time>"

    @Test(
        arguments: [
            ("", "it has no points with a time"),
            ("words", "it has no points with a time"),
            ("<html></html>", "line 1: the file begins with <html>, and a GPX file with <gpx>"),
            ("<gpx>\n<trk>\n</gpx>", "line 3: </gpx> is here, and <trk> of line 2 is open"),
            ("<gpx>\n<trk>\n", "line 2: <trk> is not closed"),
            ("</gpx>", "line 1: </gpx> closes nothing"),
            ("<gpx>\n< trk/></gpx>", "line 2: a tag begins here that does not end"),
            ("<gpx a=\"></gpx>", "line 1: a tag begins here that does not end"),
            ("<gpx>\n</gpx", "line 2: the tag </gpx> does not end"),
            ("<gpx>\n<!-- -- ", "line 2: the comment does not end"),
            ("<?xml", "line 1: the processing instruction does not end"),
            (
                "<!DOCTYPE a [<!ENTITY b \"c\">]>\n<gpx/>",
                "line 1: GPX files with <!DOCTYPE> or <![CDATA[ are not read; remove it"
            ),
            ("<gpx>\n<trkpt>\(time)</trkpt></gpx>", "line 2: the point has no lat and lon"),
            ("<gpx><trkpt lat=1 lon=2>\(time)</trkpt></gpx>", "line 1: the point has no lat and lon"),
            ("<gpx>\n\n<trkpt lat=\"1\" lon=\"2\"/></gpx>", "line 3: the point has no <time>"),
            (
                "<gpx><trkpt lat=\"91\" lon=\"2\">\(time)</trkpt></gpx>",
                "line 1: \"91\" is not a latitude from -90 to 90 degrees"
            ),
            (
                "<gpx><trkpt lat=\"0\" lon=\"0x1\">\(time)</trkpt></gpx>",
                "line 1: \"0x1\" is not a longitude from -180 to 180 degrees"
            ),
            (
                "<gpx><trkpt lat=\"0\" lon=\"0\"><ele>inf</ele>\(time)</trkpt></gpx>",
                "line 1: \"inf\" is not an elevation in metres"
            ),
            (
                "<gpx><trkpt lat=\"0\" lon=\"0\"><time>2026-02-29T12:00:00Z</time></trkpt></gpx>",
                "line 1: \"2026-02-29T12:00:00Z\" is not a time such as 2026-01-31T17:55:00Z"
            ),
            (
                "<gpx><trkpt lat=\"0\" lon=\"0\">\(time)</trkpt>\n<trkpt lat=\"0\" lon=\"0\">\(time)</trkpt></gpx>",
                "line 2: its time is not after the time of the point before"
            ),
            (
                "<gpx><trkpt lat=\"0\" lon=\"0.1\">\(time)</trkpt></gpx>",
                "line 1: the point is more than 10000 m from the anchor"
            ),
        ])
    func faultsOfGPXHaveTheirLines(_ text: String, _ message: String) {
        #expect(Self.fault(text, in: "a.gpx", Self.equator) == message)
    }

    @Test func globeNeedsAnAnchorAndNoNames() {
        let text = Self.gpx("<trkpt lat=\"0\" lon=\"0\">\(Self.time)</trkpt>")
        #expect(
            Self.fault(text, in: "a.gpx")
                == "its positions are latitudes and longitudes; write where [0, 0] is, such as "
                + "track: { file: walk.gpx, anchor: { lat: 48.1374, lon: 11.5755, bearing: 0 } }")
        #expect(
            Self.fault(text, in: "a.gpx", "who: b, \(Self.equator)")
                == "only a CSV file has rows of several; leave who out")
        let deep = String(repeating: "<a>", count: 100)
        let fault = Self.fault("<gpx>\n\(deep)", in: "a.gpx", Self.equator)
        #expect(fault == "line 2: this is nested deeper than 64 levels")
    }

    @Test(
        arguments: [
            "2026-01-31T12:00:00", "2026-01-31T12:00:00Z", "2026-01-31t12:00:00z", "2026-01-31T14:30:00+02:30",
            "2026-01-31T11:59:00-00:01", "2026-01-31T12:00:00.000Z", "2026-01-31T12:00:00.0000009Z",
        ])
    func timesAreThatMoment(_ text: String) throws {
        let text = Self.gpx(
            """
            <trkpt lat="0" lon="0"><time>1970-01-01T00:00:00Z</time></trkpt>
            <trkpt lat="0.001" lon="0"><time>\(text)</time></trkpt>
            """)
        guard case .path(let path) = try Self.motion(text, in: "a.gpx", Self.equator) else {
            Issue.record("no path")
            return
        }
        // date -d 2026-01-31T12:00:00Z +%s
        #expect(path.points.map(\.time) == [0, 1_769_860_800])
    }

    @Test(
        arguments: [
            "", "now", "2026-01-31", "2026-13-01T12:00:00Z", "2026-00-01T12:00:00Z", "2026-04-31T12:00:00Z",
            "1900-02-29T12:00:00Z", "2026-01-31T24:00:00Z", "2026-01-31T12:60:00Z", "2026-01-31T12:00:60Z",
            "2026-01-31T12:00:00.Z", "2026-01-31T12:00:00ZZ", "2026-01-31T12:00:00+1:00", "2026-01-31T12:00:00+24:00",
            "2026-01-31T12:00:0٣Z", "-026-01-31T12:00:00Z",
        ])
    func otherTimesAreRefused(_ text: String) {
        let file = "<gpx><trkpt lat=\"0\" lon=\"0\"><time>\(text)</time></trkpt></gpx>"
        #expect(
            Self.fault(file, in: "a.gpx", Self.equator)
                == "line 1: \"\(text)\" is not a time such as 2026-01-31T17:55:00Z")
    }

    // MARK: - GeoJSON

    @Test func lineWithTimesIsATrack() throws {
        let text = #"""
            {"type":"FeatureCollection","features":[
              {"type":"Feature","properties":null,"geometry":{"type":"Point","coordinates":[5,5]}},
              {"type":"Feature","properties":{"name":"a \/ b: \u00fc","coordTimes":
                ["2026-01-31T12:00:00Z","2026-01-31T12:00:02Z"]},
            	"geometry":{"type":"LineString","coordinates":[[0,0,1],[1e-3,0.001,3]]}}
            ]}
            """#
        for file in ["a.geojson", "a.json"] {
            let motion = try Self.motion(text, in: file, "anchor: { lat: 0, lon: 0, ele: 1 }")
            Self.expect(motion, at: 0, 0, 0)
            Self.expect(motion, at: 1, 55.660, 55.287, 1, within: 0.001)
        }
    }

    @Test func pointsWithATimeAreATrack() throws {
        let points = [("0", "00"), ("0.001", "10")].map { longitude, second in
            "{\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\",\"coordinates\":[\(longitude),0]},"
                + "\"properties\":{\"time\":\"2026-01-31T12:00:\(second)Z\"}}"
        }
        let motion = try Self.motion(
            "{ \"type\": \"FeatureCollection\", \"features\": [\(points.joined(separator: ","))] }", in: "a.geojson",
            Self.equator)
        Self.expect(motion, at: 5, 55.660, 0, within: 0.001)
        Self.expect(try Self.motion(points[1], in: "a.geojson", Self.equator), at: 5, 111.320, 0, within: 0.001)
    }

    private static func line(_ coordinates: String, _ times: String) -> String {
        "{ \"type\": \"Feature\", \"properties\": {\n\"coordTimes\": \(times) }, \"geometry\": { \"type\": \"LineString\",\n"
            + "\"coordinates\": \(coordinates) } }"
    }

    @Test(
        arguments: [
            ("[1, 2]", "line 1: a GeoJSON file is a FeatureCollection or a Feature"),
            ("{\"type\":\"LineString\"}", "line 1: a GeoJSON file is a FeatureCollection or a Feature"),
            ("{\"type\":\"FeatureCollection\"}", "line 1: the FeatureCollection has no features"),
            ("{\"type\":\"FeatureCollection\",\"features\":[1,null,{}]}", "it has no points with a time"),
            (line("[[0,0],[1,1]]", "[]"), "line 2: coordTimes is not one time for each position"),
            (line("[[0,0]]", "5"), "line 2: coordTimes is not one time for each position"),
            (
                line("[[0]]", "[\"\"]"),
                "line 3: a position is [longitude, latitude] or [longitude, latitude, elevation]"
            ),
            (line("[[0,0]]", "[\"\"]"), "line 3: \"\" is not a time such as 2026-01-31T17:55:00Z"),
            (line("[[0,0]]", "[[]]"), "line 3: \"\" is not a time such as 2026-01-31T17:55:00Z"),
            (
                line("[[200,0]]", "[\"2026-01-31T12:00:00Z\"]"),
                "line 3: \"200\" is not a longitude from -180 to 180 degrees"
            ),
        ])
    func faultsOfGeoJSONHaveTheirLines(_ text: String, _ message: String) {
        #expect(Self.fault(text, in: "a.geojson", Self.equator) == message)
    }

    @Test func brokenJSONIsReportedWithItsLine() throws {
        for text in ["{\n\"type\": [", "{\n\"type\" \"Feature\" }", "", "{ \"a\": 1,\n\"a\": 2 }"] {
            let fault = try #require(Self.fault(text, in: "a.geojson", Self.equator))
            #expect(!fault.isEmpty && !fault.contains("YAML"), "\(fault)")
        }
        let deep = String(repeating: "[", count: 100_000)
        #expect(Self.fault(deep, in: "a.geojson", Self.equator)?.contains("nested deeper") == true)
    }

    // MARK: - Hostile input

    private static let samples = [
        ("a.csv", "t,who,x,y,z\n0,a,1,2,3\n1.5,a,-4,5,6\n2,b,0,0,0\n3,a,1,1,1\n"),
        (
            "a.gpx",
            gpx(
                "<trkpt lat=\"0\" lon=\"0\"><ele>1</ele>\(time)</trkpt>\n"
                    + "<trkpt lat=\"0\" lon=\"0.001\"><time>2026-01-31T12:00:05Z</time></trkpt>")
        ),
        ("a.geojson", line("[[0,0],[0.001,0,4]]", "[\"2026-01-31T12:00:00Z\",\"2026-01-31T12:00:01Z\"]")),
    ]

    /// Every prefix and many damaged copies of each sample are tracks, or have one fault.
    @Test(arguments: [1, 2, 3] as [UInt64])
    func damagedFileIsReadOrHasOneFault(_ seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        for (file, sample) in Self.samples {
            let keys = file == "a.csv" ? "" : Self.equator
            let motion = try Self.motion(sample, in: file, keys)
            #expect(motion.position(at: .zero) == (file == "a.csv" ? Position(x: 1, y: 2, z: 3) : Position(x: 0, y: 0)))
            var texts = (0..<sample.count).map { String(sample.prefix($0)) }
            let alphabet = Array("<>/\"'=&!-?,.:[]{}0e+tT\n\r\t \u{0}ü\u{2028}")
            for _ in 0..<200 {
                var characters = Array(sample)
                for _ in 0..<Int.random(in: 1...4, using: &generator) {
                    let index = Int.random(in: 0..<characters.count, using: &generator)
                    characters[index] = alphabet[Int.random(in: 0..<alphabet.count, using: &generator)]
                }
                texts.append(String(characters))
            }
            for text in texts {
                do throws(ProfileFaults) {
                    let profile = try MovementFile.profile(file, text, keys)
                    let position = profile.beacons[0].position ?? Position(x: .nan, y: 0)
                    let isNear = max(abs(position.x), abs(position.y), abs(position.z)) <= 10_000
                    #expect(isNear, "\(text)")
                } catch {
                    #expect(error.faults.count == 1, "\(error)\n\(text)")
                    #expect(error.faults[0].message.hasPrefix("\(file): "), "\(error)\n\(text)")
                }
            }
        }
    }
}

/// A profile whose beacon has a track.
private enum MovementFile {
    static func profile(_ file: String, _ text: String, _ keys: String) throws(ProfileFaults) -> Profile {
        let track = keys.isEmpty ? file : "{ file: \(file), \(keys) }"
        return try Profile(
            parsing: "profile: p\nbeacons:\n  - { id: a, device: iot-design-shop, track: \(track) }\n", file: "p.yaml",
            sources: ProfileSources(files: { _ throws(ValueFault) in text }))
    }
}
