// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Receiving
import Space
import Testing

@testable import BeaconryTools

/// The figures of samples that are written out.
@Suite struct SurveyFiguresTests {
    /// A walk with a sample each second: the true rooms and the estimated ones, a letter each; `-` is none.
    static func walk(_ rooms: String, _ estimates: String) -> [SurveySample] {
        zip(rooms, estimates).enumerated().map { number, pair in
            SurveySample(
                time: .seconds(number + 1), place: Position(x: 0, y: 0), room: pair.0 == "-" ? nil : String(pair.0),
                estimate: PlaceEstimate(room: pair.1 == "-" ? nil : String(pair.1), position: nil))
        }
    }

    static func figures(_ rooms: String, _ estimates: String, of room: String? = nil) -> SurveyFigures {
        SurveyFigures([walk(rooms, estimates)], every: .seconds(1), isGrid: false, of: room)
    }

    @Test func shareOfTimeIsThatOfSamplesInRooms() {
        let figures = Self.figures("AAAABB--", "AAABBB--")
        #expect(figures.samples == 8)
        let right = 5.0 / 6
        #expect(figures.right == right)
        #expect(figures.roomError == 1 - right)
        #expect(figures.lost == 0.25)
        #expect(Self.figures("----", "AAAA").right == nil)
        #expect(Self.figures("", "") == SurveyFigures())
    }

    @Test func figuresOfARoomAreOfItsSamples() {
        #expect(Self.figures("AAAABB", "AAABBA", of: "A").right == 0.75)
        #expect(Self.figures("AAAABB", "AAABBA", of: "B").right == 0.5)
        #expect(Self.figures("AAAABB", "AAABBA", of: "C").samples == 0)
    }

    @Test func enteringAndLeavingAreTimedToTheFirstEstimate() {
        // B is entered at 4 s and estimated at 6 s; A is left at 4 s, and the estimate leaves it at 6 s.
        let late = Self.figures("AAABBBB", "AAAAABB")
        #expect(late.enter == 2)
        #expect(late.leave == 2)
        // At once.
        #expect(Self.figures("AABB", "AABB").enter == 0)
        // Never: the visit has ended before.
        #expect(Self.figures("AABA", "AAAA").enter == 0)
        // A room that was not estimated is not left.
        #expect(Self.figures("AABBB", "CCCCB").leave == nil)
        // What is estimated in between counts as left, not as entered.
        let between = Self.figures("AABBB", "AACCB")
        #expect((between.enter, between.leave) == (2, 0))
    }

    @Test func changesToAWrongRoomAreCountedByTheHour() {
        // To B in A, back, to B again: two wrong ones in 8 s.
        let hours = 8.0 / 3600
        #expect(Self.figures("AAAAAAAA", "AABBABAA").wrongChanges == 2 / hours)
        #expect(Self.figures("AAAA", "A-A-").wrongChanges == 0)
        #expect(Self.figures("AABB", "AABB").wrongChanges == 0)
    }

    @Test func gridHasNoVisits() {
        let figures = SurveyFigures([Self.walk("AABB", "ABAB")], every: .seconds(1), isGrid: true)
        #expect(figures.right == 0.5)
        #expect((figures.enter, figures.leave, figures.wrongChanges) == (nil, nil, nil))
    }

    @Test func errorsAreHorizontalQuantiles() {
        let samples = (0...4).map { number in
            SurveySample(
                time: .seconds(number), place: Position(x: 0, y: 0, z: 1), room: nil,
                estimate: PlaceEstimate(room: nil, position: Position(x: Double(number), y: 0, z: 9)))
        }
        let figures = SurveyFigures([samples], every: .seconds(1), isGrid: false)
        #expect((figures.median, figures.upperQuartile) == (2, 3))
        #expect(abs((figures.percentile95 ?? 0) - 3.8) < 1e-12)
        #expect(SurveyFigures.quantile(0.5, of: [1, 2]) == 1.5)
        #expect(SurveyFigures.quantile(0.5, of: []) == nil)
    }

    @Test func figuresHaveDifferentNames() {
        #expect(Set(SurveyFigures.kinds.map(\.name)).count == SurveyFigures.kinds.count)
    }
}

/// What a command answers that estimates places.
@Suite struct EstimatorAnswerTests {
    static func read(_ line: String) throws(EstimatorAnswer.Fault) -> PlaceEstimate {
        try EstimatorAnswer(Array(line.utf8), at: 12, among: ["kitchen"]).estimate
    }

    @Test func roomAndPlaceAreRead() throws {
        #expect(try Self.read("{}").isEmpty)
        #expect(try Self.read(#"{"room": "kitchen"}"#) == PlaceEstimate(room: "kitchen", position: nil))
        #expect(try Self.read(#"{"position": [1, 2.5]}"#) == PlaceEstimate(room: nil, position: Position(x: 1, y: 2.5)))
        #expect(try Self.read(#"{"position": [1, 2, 3], "room": null, "until": 12}"#).position?.z == 3)
    }

    /// Of a place without a height, the only room above and below.
    @Test func roomOfAPlaceIsFound() throws {
        let square = [(0.0, 0.0), (4, 0), (4, 4), (0, 4)].map { Position(x: $0.0, y: $0.1) }
        let floors = [Floor(id: "ground", height: 0), Floor(id: "upper", height: 3)]
        let kitchen = Room(id: "kitchen", floor: "ground", outline: square)
        let bedroom = Room(id: "bedroom", floor: "upper", outline: square)
        func room(_ line: String, _ rooms: [Room]) throws -> String? {
            try EstimatorAnswer(Array(line.utf8), at: 12, among: ["kitchen"]).located(
                in: Building(floors: floors, rooms: rooms)
            ).room
        }
        #expect(try room(#"{"position": [1, 1]}"#, [kitchen]) == "kitchen")
        #expect(try room(#"{"position": [1, 1]}"#, [kitchen, bedroom]) == nil)
        #expect(try room(#"{"position": [1, 1, 4]}"#, [kitchen, bedroom]) == "bedroom")
        #expect(try room(#"{"position": [9, 1]}"#, [kitchen]) == nil)
        #expect(try room(#"{"position": [9, 1], "room": "kitchen"}"#, [kitchen, bedroom]) == "kitchen")
    }

    @Test(arguments: [
        "", "12", "[]", "{", #"{"room": 1}"#, #"{"room": "cellar"}"#, #"{"position": [1]}"#, #"{"position": [1, "2"]}"#,
        #"{"position": [1, 2, 3, 4]}"#, #"{"position": [1e300, 2]}"#, #"{"until": 11}"#, #"{"place": [1, 2]}"#,
    ]) func wrongAnswerIsRefused(line: String) {
        #expect(throws: EstimatorAnswer.Fault.self) { try Self.read(line) }
    }
}
