// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Space
import Testing

@Suite struct MotionTests {
    /// Three points at right angles: 9 m, then 5 m.
    private static let corner = [Position(x: 0, y: 3), Position(x: 9, y: 3), Position(x: 9, y: 8)]

    private static func path(
        _ places: [Position] = corner, speed: Double = 1, pauses: [Int: Duration] = [:], repeats: Bool = false
    ) throws -> Motion {
        .path(try #require(Motion.Path(through: places, speed: speed, pauses: pauses, repeats: repeats)))
    }

    private static func expect(
        _ motion: Motion, at seconds: Double, _ x: Double, _ y: Double, _ z: Double = 0,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let distance = motion.position(at: .seconds(seconds)).distance(to: Position(x: x, y: y, z: z))
        #expect(distance < 1e-9, "at \(seconds) s", sourceLocation: sourceLocation)
    }

    @Test(arguments: [0, 1, 1e9])
    func restIsOnePlace(_ seconds: Double) {
        let motion = Motion.rest(Position(x: 1, y: 2, z: 3))
        Self.expect(motion, at: seconds, 1, 2, 3)
        #expect(!motion.isMoving)
    }

    @Test func pathHasItsSpeedAndEndsAtItsLastPoint() throws {
        let motion = try Self.path(speed: 2)
        #expect(motion.isMoving)
        let expected: [(Double, Double, Double)] = [
            (0, 0, 3), (1, 2, 3), (4.5, 9, 3), (5, 9, 4), (7, 9, 8), (7.5, 9, 8), (1e9, 9, 8),
        ]
        for (seconds, x, y) in expected { Self.expect(motion, at: seconds, x, y) }
    }

    /// 14 m in 28 s from the 100th second on.
    @Test func pathOverADurationBeginsAtItsStart() throws {
        let motion = Motion.path(try #require(Motion.Path(through: Self.corner, from: 100, over: .seconds(28))))
        let expected: [(Double, Double, Double)] = [
            (0, 0, 3), (100, 0, 3), (102, 1, 3), (118, 9, 3), (120, 9, 4), (128, 9, 8), (1e9, 9, 8),
        ]
        for (seconds, x, y) in expected { Self.expect(motion, at: seconds, x, y) }
        let atOnce = Motion.path(try #require(Motion.Path(through: Self.corner, from: 5, over: .zero)))
        Self.expect(atOnce, at: 4.9, 0, 3)
        Self.expect(atOnce, at: 5, 9, 8)
        let place = Position(x: 1, y: 1)
        let still = Motion.path(try #require(Motion.Path(through: [place, place], from: 5, over: .seconds(3))))
        for seconds in [0.0, 6, 9] { Self.expect(still, at: seconds, 1, 1) }
        #expect(Motion.Path(through: [], from: 0, over: .seconds(1)) == nil)
        #expect(Motion.Path(through: Self.corner, from: .infinity, over: .seconds(1)) == nil)
    }

    @Test func pathStaysAtItsPausesForTheirTimes() throws {
        let motion = try Self.path(pauses: [0: .seconds(2), 1: .seconds(20)])
        let expected: [(Double, Double, Double)] = [
            (0, 0, 3), (2, 0, 3), (3, 1, 3), (11, 9, 3), (30.999, 9, 3), (31, 9, 3), (32, 9, 4), (36, 9, 8),
        ]
        for (seconds, x, y) in expected { Self.expect(motion, at: seconds, x, y) }
    }

    /// 14 m there and 14 m back; the pauses of the ends are made once at each visit.
    @Test func repeatedPathReturnsOnTheSameWay() throws {
        let motion = try Self.path(pauses: [0: .seconds(1), 2: .seconds(3)], repeats: true)
        let expected: [(Double, Double, Double)] = [
            (0, 0, 3), (1, 0, 3), (2, 1, 3), (15, 9, 8), (18, 9, 8), (19, 9, 7), (23, 9, 3), (31, 1, 3), (32, 0, 3),
            (33, 0, 3), (34, 1, 3), (32 * 1000 + 2, 1, 3),
        ]
        for (seconds, x, y) in expected { Self.expect(motion, at: seconds, x, y) }
    }

    @Test func repeatedRoundContinuesInTheSameDirection() throws {
        let square = [(0, 0), (2, 0), (2, 2), (0, 2), (0, 0)].map { Position(x: $0.0, y: $0.1, z: 1) }
        let motion = try Self.path(square, repeats: true)
        let expected: [(Double, Double, Double)] = [(1, 1, 0), (7, 0, 1), (8, 0, 0), (9, 1, 0), (8001, 1, 0)]
        for (seconds, x, y) in expected { Self.expect(motion, at: seconds, x, y, 1) }
    }

    @Test func repeatedPathNeverJumps() throws {
        let motion = try Self.path(speed: 1.2, pauses: [1: .seconds(5)], repeats: true)
        var last = motion.position(at: .zero)
        for step in 1..<10_000 {
            let next = motion.position(at: .milliseconds(10 * step))
            #expect(last.distance(to: next) <= 0.012 + 1e-9)
            last = next
        }
    }

    @Test func pathWithoutLengthIsOnePlace() throws {
        let place = Position(x: 4, y: 5)
        let motion = try Self.path([place, place], repeats: true)
        #expect(!motion.isMoving)
        for seconds in [0.0, 0.1, 1e6] { Self.expect(motion, at: seconds, 4, 5) }
    }

    @Test func recordedPointsAreJoinedByLines() throws {
        typealias Point = Motion.Path.Point
        let path = try #require(
            Motion.Path([
                Point(2, Position(x: 0, y: 0)), Point(4, Position(x: 2, y: 4, z: 6)), Point(5, Position(x: 2, y: 4)),
            ]))
        let motion = Motion.path(path)
        Self.expect(motion, at: 0, 0, 0)
        Self.expect(motion, at: 3, 1, 2, 3)
        Self.expect(motion, at: 4.5, 2, 4, 3)
        Self.expect(motion, at: 9, 2, 4)
    }

    @Test func impossiblePathsAreRefused() {
        typealias Point = Motion.Path.Point
        let origin = Position(x: 0, y: 0)
        #expect(Motion.Path([]) == nil)
        #expect(Motion.Path([Point(-1, origin)]) == nil)
        #expect(Motion.Path([Point(2, origin), Point(1, origin)]) == nil)
        #expect(Motion.Path([Point(0, origin), Point(.nan, origin), Point(1, origin)]) == nil)
        #expect(Motion.Path([Point(0, origin), Point(.infinity, origin)]) == nil)
        #expect(Motion.Path(through: [], speed: 1) == nil)
        for speed in [0, -1, Double.nan] { #expect(Motion.Path(through: Self.corner, speed: speed) == nil) }
        #expect(Motion.Orbit(centre: origin, radius: 1, period: .zero) == nil)
    }

    @Test func orbitIsACircleInItsPeriod() throws {
        let orbit = try #require(
            Motion.Orbit(centre: Position(x: 5, y: 6, z: 1.5), radius: 2, period: .seconds(60), angle: 90))
        let motion = Motion.orbit(orbit)
        #expect(motion.isMoving)
        Self.expect(motion, at: 0, 5, 8, 1.5)
        Self.expect(motion, at: 15, 3, 6, 1.5)
        Self.expect(motion, at: 30, 5, 4, 1.5)
        Self.expect(motion, at: 45, 7, 6, 1.5)
        Self.expect(motion, at: 60 * 100_000 + 15, 3, 6, 1.5)
        for second in 0..<60 {
            let position = motion.position(at: .seconds(second))
            #expect(abs(position.distance(to: Position(x: 5, y: 6, z: 1.5)) - 2) < 1e-9)
        }
    }
}
