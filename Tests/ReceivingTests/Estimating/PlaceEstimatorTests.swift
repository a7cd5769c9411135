// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Foundation
import Receiving
import Space
import Testing

/// Estimates against closed forms: without noise, with the bound of Cramér and Rao, and with the analytic error of a room.
@Suite struct PlaceEstimatorTests {
    static let floor = Floor(id: "ground", height: 0)
    /// Two rooms side by side, with an anchor in each, 2 m above the floor.
    static let building = Building(
        floors: [floor],
        rooms: [
            Room(id: "west", floor: "ground", outline: rectangle(0, 0, 5, 4)),
            Room(id: "east", floor: "ground", outline: rectangle(5, 0, 10, 4)),
        ])

    static func rectangle(_ left: Double, _ bottom: Double, _ right: Double, _ top: Double) -> [Position] {
        [(left, bottom), (right, bottom), (right, top), (left, top)].map { Position(x: $0.0, y: $0.1) }
    }

    /// Four anchors in the corners of 6 m by 4 m, at the height of what is sought.
    static let corners = AnchorMap(
        [(0.0, 0.0), (6, 0), (6, 4), (0, 4)].enumerated().map { ("\($0)", Position(x: $1.0, y: $1.1, z: 1)) },
        in: Building(), SignalModel(exponent: 2.2))

    /// The RSSI of an anchor at a place by the model, for a power of -59 dBm at 1 m.
    static func level(_ anchor: AnchorMap.Anchor, at place: Position, exponent: Double = 2.2) -> Double {
        -59 - 10 * exponent * log10(anchor.position.distance(to: place))
    }

    static func estimate(
        _ kind: PlaceEstimator.Kind, _ map: AnchorMap, _ readings: [AnchorReading], at time: Duration = .seconds(1)
    ) -> PlaceEstimate {
        var estimator = PlaceEstimator(kind, map)
        for reading in readings { estimator.take(reading) }
        return estimator.estimate(at: time)
    }

    @Test(arguments: PlaceEstimator.Kind.allCases) func nothingIsEstimatedWithoutReadings(kind: PlaceEstimator.Kind) {
        #expect(Self.estimate(kind, Self.corners, []).isEmpty)
        let reading = AnchorReading(at: .seconds(1), "0", rssi: -60)
        #expect(!Self.estimate(kind, Self.corners, [reading], at: .seconds(7)).isEmpty)
        #expect(Self.estimate(kind, Self.corners, [reading], at: .milliseconds(7001)).isEmpty)
        #expect(Self.estimate(kind, Self.corners, [AnchorReading(at: .zero, "another", rssi: -60)]).isEmpty)
    }

    @Test(arguments: [Position(x: 1, y: 1, z: 1), Position(x: 4.5, y: 3.2, z: 1), Position(x: 3, y: 2, z: 1)])
    func leastSquaresWithoutNoiseAreThePlace(place: Position) throws {
        let readings = Self.corners.anchors.map {
            AnchorReading(at: .zero, $0.name, rssi: Self.level($0, at: place), power: -59)
        }
        let found = try #require(Self.estimate(.leastSquares, Self.corners, readings).position)
        #expect(found.distance(to: place) < 1e-3)
    }

    @Test func leastSquaresUsePowerAndClutterOfTheModel() throws {
        let place = Position(x: 2, y: 3, z: 1)
        let map = AnchorMap(
            Self.corners.anchors.map { ($0.name, $0.position) }, in: Building(),
            SignalModel(exponent: 1.6, clutter: 0.4))
        let readings = map.anchors.map { anchor in
            let distance = anchor.position.distance(to: place)
            return AnchorReading(
                at: .zero, anchor.name, rssi: -70 - 16 * log10(distance) - 0.4 * max(distance - 1, 0), power: -70)
        }
        let found = try #require(Self.estimate(.leastSquares, map, readings).position)
        #expect(found.distance(to: place) < 1e-3)
    }

    @Test func leastSquaresFindTheFloor() throws {
        let building = Building(
            floors: [Self.floor, Floor(id: "upper", height: 3)],
            rooms: Self.building.rooms + [Room(id: "bed", floor: "upper", outline: Self.rectangle(0, 0, 10, 4))])
        let places = [(0.5, 0.5, 2.0), (9.5, 0.5, 2), (5, 3.5, 2), (0.5, 3.5, 5), (9.5, 3.5, 5), (5, 0.5, 5)]
        let map = AnchorMap(
            places.enumerated().map { ("\($0)", Position(x: $1.0, y: $1.1, z: $1.2)) }, in: building,
            SignalModel(exponent: 2.2))
        for (place, room) in [(Position(x: 3, y: 2, z: 1), "west"), (Position(x: 3, y: 2, z: 4), "bed")] {
            let readings = map.anchors.map { AnchorReading(at: .zero, $0.name, rssi: Self.level($0, at: place)) }
            let found = Self.estimate(.leastSquares, map, readings)
            #expect(found.room == room)
            #expect(try #require(found.position).distance(to: place) < 1e-3)
        }
    }

    /// Least squares of Gaussian noise in dB are the maximum of the likelihood: with averages of 100 packets their mean squared
    /// error is the bound of Cramér and Rao, the trace of the inverse of J'J times the variance of an average.
    @Test func leastSquaresMeetTheBoundOfCramerAndRao() throws {
        let place = Position(x: 2.2, y: 1.4, z: 1)
        let deviation = 4.0 / 10
        var (xx, xy, yy) = (0.0, 0.0, 0.0)
        for anchor in Self.corners.anchors {
            let distance = anchor.position.distance(to: place)
            let slope = -22 / (log(10) * distance)
            let (x, y) = (
                slope * (place.x - anchor.position.x) / distance, slope * (place.y - anchor.position.y) / distance
            )
            (xx, xy, yy) = (xx + x * x, xy + x * y, yy + y * y)
        }
        let bound = (xx + yy) / (xx * yy - xy * xy) * deviation * deviation
        var noise = Gauss(seed: 1)
        var sum = 0.0
        let repetitions = 4000
        for _ in 0..<repetitions {
            let readings = Self.corners.anchors.map { anchor in
                AnchorReading(
                    at: .zero, anchor.name, rssi: Self.level(anchor, at: place) + deviation * noise.next(), power: -59)
            }
            let error = try #require(Self.estimate(.leastSquares, Self.corners, readings).position).distance(to: place)
            sum += error * error
        }
        let ratio = (sum / Double(repetitions) / bound).squareRoot()
        #expect(abs(ratio - 1) < 0.05, "root mean squared error over the bound: \(ratio)")
    }

    /// With a packet of each of two beacons, the stronger one is in another room with the probability that the difference of two
    /// Gaussian numbers changes its sign.
    @Test func roomByTheStrongestHasTheAnalyticError() {
        let map = AnchorMap(
            [("west", Position(x: 2.5, y: 2, z: 2)), ("east", Position(x: 7.5, y: 2, z: 2))], in: Self.building,
            SignalModel(exponent: 2.2))
        let (place, deviation) = (Position(x: 4, y: 2, z: 1), 6.0)
        let levels = map.anchors.map { Self.level($0, at: place) }
        let expected = 0.5 * erfc((levels[0] - levels[1]) / (2 * deviation))
        var noise = Gauss(seed: 2)
        var estimator = PlaceEstimator(.strongest, map)
        var wrong = 0
        let samples = 100_000
        for sample in 0..<samples {
            let time = Duration.seconds(10 * sample)
            for (anchor, level) in zip(map.anchors, levels) {
                estimator.take(AnchorReading(at: time, anchor.name, rssi: level + deviation * noise.next()))
            }
            if estimator.estimate(at: time).room != "west" { wrong += 1 }
        }
        #expect(abs(Double(wrong) / Double(samples) - expected) < 0.01, "\(wrong) of \(samples), \(expected) expected")
    }

    @Test func strongestIsByTheMeanOfTheWindow() {
        let readings = [(0, "0", -60.0), (1, "0", -80), (1, "1", -69)].map {
            AnchorReading(at: .seconds($0.0), $0.1, rssi: $0.2)
        }
        #expect(Self.estimate(.strongest, Self.corners, readings).position == Position(x: 6, y: 0, z: 1))
        // The first one is out of the window.
        #expect(
            Self.estimate(.strongest, Self.corners, readings, at: .milliseconds(6500)).position
                == Position(x: 6, y: 0, z: 1))
    }

    @Test func nearestChangesAfterTwoSecondsAtFourFifths() {
        var estimator = PlaceEstimator(.nearest, Self.corners)
        func estimate(_ second: Int, _ levels: (Double, Double)) -> Double? {
            // Only the readings of this second are in the window.
            let time = Duration.seconds(second * 7)
            estimator.take(AnchorReading(at: time, "0", rssi: levels.0, power: -59))
            estimator.take(AnchorReading(at: time, "1", rssi: levels.1, power: -59))
            return estimator.estimate(at: time).position?.x
        }
        #expect(estimate(0, (-60, -70)) == 0)
        // 10·2.2·log10(1/0.8) dB are 2.13 dB.
        #expect(estimate(1, (-62, -60)) == 0)
        #expect(estimate(2, (-62.2, -60)) == 0, "for no time yet")
        #expect(estimate(3, (-62.2, -60)) == 6)
        #expect(estimate(4, (-61, -62)) == 6)
    }

    @Test func centroidIsWeightedByInverseSquares() throws {
        let place = Position(x: 3, y: 2, z: 1)
        let readings = Self.corners.anchors.map { AnchorReading(at: .zero, $0.name, rssi: Self.level($0, at: place)) }
        let middle = try #require(Self.estimate(.centroid, Self.corners, readings).position)
        #expect(middle.distance(to: place) < 1e-9)
        // 1 m from the first and 2 m from the second: weights of 1 and 1/4.
        let two = [AnchorReading(at: .zero, "0", rssi: -59), AnchorReading(at: .zero, "1", rssi: -59 - 22 * log10(2))]
        #expect(abs(try #require(Self.estimate(.centroid, Self.corners, two).position).x - 6 * 0.25 / 1.25) < 1e-9)
    }

    @Test func readingsStayWhenAnotherAnchorMoves() {
        var estimator = PlaceEstimator(.strongest, Self.corners)
        estimator.take(AnchorReading(at: .zero, "2", rssi: -50))
        estimator.take(AnchorReading(at: .zero, "1", rssi: -60))
        estimator.setMap(Self.corners.without("0"))
        #expect(estimator.estimate(at: .seconds(1)).position == Position(x: 6, y: 4, z: 1))
        estimator.setMap(Self.corners.without("2"))
        #expect(estimator.estimate(at: .seconds(1)).position == Position(x: 6, y: 0, z: 1))
    }

    @Test func estimateOfARoomIsThatOfItsPlace() {
        let map = AnchorMap(
            [
                ("west", Position(x: 1, y: 1, z: 2)), ("east", Position(x: 9, y: 1, z: 2)),
                ("outside", Position(x: 20, y: 1, z: 2)),
            ],
            in: Self.building, SignalModel(exponent: 2))
        #expect(map.anchors.map(\.room) == ["west", "east", nil])
        #expect(Self.estimate(.strongest, map, [AnchorReading(at: .zero, "east", rssi: -50)]).room == "east")
        #expect(Self.estimate(.strongest, map, [AnchorReading(at: .zero, "outside", rssi: -50)]).room == nil)
        #expect(map.without("west").anchors.map(\.name) == ["east", "outside"])
    }
}

/// Numbers of the standard normal distribution, from a seed.
struct Gauss {
    private var random: SplitMix64

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    /// By the method of Box and Muller.
    mutating func next() -> Double {
        let (radius, angle) = (
            Double.random(in: .leastNonzeroMagnitude..<1, using: &random), Double.random(in: 0..<1, using: &random)
        )
        return (-2 * log(radius)).squareRoot() * cos(2 * .pi * angle)
    }
}
