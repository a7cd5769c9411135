// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Devices
import Profiles
import Space
import Testing

/// Sweeps: their variants, the values that these replace, and the faults of both.
struct SweepSpecTests {
    private static let uuid = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
    private static let scenario = """
        scenario: shop
        profile: house.yaml
        physics: office
        receivers: [{ id: visitor, position: [3, 0] }]
        expect:
          - { receiver: visitor, sees: door, by: 1m }
        """
    private static let profile = """
        profile: house
        physics: hall
        walls: [{ from: [1, 0], to: [1, 1], loss: 3dB }]
        defaults: { device: ibeacon, interval: 100ms, ibeacon: { uuid: \(uuid), major: 1 } }
        beacons:
          - { id: door, position: [0, 0], ibeacon: { minor: 1 } }
          - { id: desk-1, position: [1, 0], ibeacon: { minor: 2 } }
          - { id: desk-2, position: [2, 0], ibeacon: { minor: 3 } }
        receivers: [{ id: kitchen, position: [5, 0] }]
        """

    private func spec(_ text: String) throws(ProfileFaults) -> SweepSpec {
        try SweepSpec(parsing: "sweep: test\nscenario: shop.yaml\nseeds: 1..3\n" + text, file: "test.sweep.yaml")
    }

    private func scenario(_ variant: SweepSpec.Variant) throws(ProfileFaults) -> Scenario {
        let overrides = NodeOverrides(variant.overrides)
        let scenario = try Scenario(parsing: Self.scenario, file: "shop.yaml", overrides: overrides) {
            file throws(ProfileFaults) in
            try Profile(parsing: Self.profile, file: file, overrides: overrides)
        }
        guard overrides.faults.isEmpty else { throw ProfileFaults(overrides.faults) }
        return scenario
    }

    /// What is wrong with the paths and values of a spec.
    private func faults(_ variants: String) throws -> [String] {
        var lines: [String] = []
        for variant in try spec("variants: { a: { \(variants) } }\n").variants {
            do throws(ProfileFaults) {
                _ = try scenario(variant)
            } catch {
                lines += error.lines
            }
        }
        return lines
    }

    // MARK: - Variants

    @Test func variantsAreAllCombinations() throws {
        let spec = try spec(
            """
            variants:
              interval: { beacons.*.interval: [100ms, 1s] }
              layout: { receivers.kitchen.position: [[1, 1], [3, 2]], receivers.visitor.position: [[0, 0], [1, 0]] }
            baseline: { interval: 100ms }
            """)
        #expect(
            spec.variants.map(\.name) == [
                "interval=100ms layout=[1, 1]/[0, 0]", "interval=100ms layout=[3, 2]/[1, 0]",
                "interval=1s layout=[1, 1]/[0, 0]",
                "interval=1s layout=[3, 2]/[1, 0]",
            ])
        #expect(spec.baselines == [nil, nil, 0, 1])
        #expect(
            spec.seeds.seeds == [1, 2, 3] && spec.name == "test" && spec.scenario == "shop.yaml"
                && spec.estimator == nil)
    }

    @Test func zippedFactorsChangeTogether() throws {
        let text = "zip: true\nvariants: { a: { duration: [1m, 2m] }, b: { walls.0.loss: [1dB, 2dB] } }\n"
        #expect(try spec(text).variants.map(\.name) == ["a=1m b=1dB", "a=2m b=2dB"])
        #expect(try spec(text).baselines == [nil, 0])
        #expect(try spec(text + "baseline: { b: 2dB }").baselines == [1, nil])
    }

    @Test(arguments: [
        ("", [nil, 0, 0, 0] as [Int?]), ("baseline: a=2m b=1dB", [2, 2, nil, 2]),
        ("baseline: { a: 2m, b: 2dB }", [3, 3, 3, nil]),
        ("baseline: { b: 2dB }", [1, nil, 3, nil]), ("baseline: { a: 1m }", [nil, nil, 0, 1]),
    ])
    func baselinesAreVariantsOrValuesOfFactors(_ line: String, _ baselines: [Int?]) throws {
        let spec = try spec("variants: { a: { duration: [1m, 2m] }, b: { walls.0.loss: [1dB, 2dB] } }\n\(line)\n")
        #expect(spec.baselines == baselines)
    }

    @Test func specWithoutVariantsHasOne() throws {
        let spec = try spec("estimator: exec:./mine.py --fast\n")
        #expect(
            spec.variants.map(\.name) == [SweepSpec.plain] && spec.variants[0].overrides.isEmpty
                && spec.baselines == [nil])
        #expect(spec.estimator == .command(["./mine.py", "--fast"]))
    }

    // MARK: - Values

    @Test func valuesAreReplacedInBothFiles() throws {
        let spec = try spec(
            """
            variants:
              all:
                beacons.*.interval: [1s]
                beacons.desk-?.ibeacon.major: [7]
                receivers.kitchen.position: [[9, 9]]
                receivers.visitor.position: [[8, 8]]
                walls.0.loss: [6dB]
                physics.sensitivity: [-70dBm]
                duration: [2m]
                expect.0.by: [90s]
                power-on: [together]
            """)
        let scenario = try scenario(spec.variants[0])
        #expect(scenario.duration == .seconds(120))
        #expect(scenario.expectations[0].description == "visitor: sees door between 0s and 90s")
        let texts = scenario.profile.beacons.map { "\($0.device.frame.map { "\($0)" } ?? "")" }
        #expect(texts.count == 3 && texts[0] != texts[1])
        #expect(scenario.receivers.map(\.id) == ["kitchen", "visitor"])
        #expect(scenario.receivers.map { $0.movement?.motion.position(at: .zero).x } == [9, 8])
    }

    @Test(arguments: [
        (
            "beacons.dor.interval: [1s]",
            #"there is no "dor" in beacons of house.yaml; did you mean "door"? beacons are door, desk-1, desk-2"#
        ),
        (
            "beacons.room-*.interval: [1s]",
            #"no id in beacons of house.yaml matches "room-*"; beacons are door, desk-1, desk-2"#
        ),
        ("beacon.*.interval: [1s]", #"there is no "beacon" in house.yaml; did you mean "beacons"?"#),
        ("beacons.door.intervall: [1s]", #"there is no key "intervall" here; did you mean "interval"?"#),
        ("beacons.door.interval: [1km]", "interval"),
        ("recievers.kitchen.position: [[1, 1]]", #"did you mean "receivers"?"#),
        ("receivers.kitchn.position: [[1, 1]]", #"there is no "kitchn" in receivers of"#),
        (
            "walls.3.loss: [1dB]",
            #"the entries of walls in house.yaml have no ids; write 0, or * for all, instead of "3""#
        ),
        ("regions.shop.exit-after: [1s]", "regions"),
        ("scenario.name: [a]", #"scenario is "shop" in shop.yaml, which has no keys"#),
        ("physics: [ofice]", "ofice"), ("physics.sensitivty: [-70dBm]", "sensitivty"), ("expect.7.by: [1s]", "expect"),
        ("receivers.visitor.position: [[a, b]]", "receivers"), ("duration: [1km]", "1km"),
    ])
    func pathsAndValuesThatAreWrongHaveTheirPlaceInTheSpec(_ variant: String, _ message: String) throws {
        let lines = try faults(variant)
        let first = try #require(lines.first { $0.hasPrefix("test.sweep.yaml:4:") }, "\(lines)")
        #expect(first.contains(message), "\(first)")
    }

    // MARK: - Faults of the spec

    @Test(arguments: [
        ("", "variants: [1]", #"a mapping of at least one factor is expected here"#),
        ("", "variants: { a: 1 }", "a mapping of paths to lists of values is expected here"),
        ("", "variants: { a: { b.c: 1s } }", "a list of values is expected here; write [1s]"),
        ("", "variants: { a: { b..c: [1s] } }", #""b..c" is not a path"#),
        ("", "variants: { a: { seed: [1] } }", "the seeds of the runs are those of seeds"),
        (
            "", "variants: { a: { b: [1, 2], c: [1] } }",
            "the paths of a factor change together: c has 1 values, and b 2"
        ),
        ("", "variants: { a: { b: [1, 1] } }", "the value 1 is there twice"),
        ("", "variants: { a=b: { b: [1] } }", "a=b"),
        ("", "zip: maybe", "maybe"),
        (
            "", "zip: true\nvariants: { a: { b: [1, 2] }, c: { d: [1] } }",
            "with zip: true all factors have as many values: c has 1, and a 2"
        ),
        ("", "baseline: a=1", "there is nothing to compare without variants"),
        ("", "variants: { a: { b: [10, 20] } }\nbaseline: a=30", #"there is no variant "a=30"; did you mean"#),
        ("", "variants: { a: { b: [1, 2] } }\nbaseline: { c: 1 }", #"there is no factor "c""#),
        ("", "variants: { a: { b: [1, 2] } }\nbaseline: { a: 3 }", "a has no value 3"),
        ("", "variants: { a: { b: [1, 2] } }\nbaseline: []", "the name of a variant"),
        ("", "estimator: 'exec: '", "a command is expected after exec:"),
        ("", "sedes: 1", #"there is no key "sedes" here; did you mean "seeds"?"#),
        ("seeds: 1..3", "", #""seeds" is missing"#), ("scenario: shop.yaml", "", #""scenario" is missing"#),
        ("sweep: test", "variants: { a: { b: [1] } }", #""sweep" is missing"#),
        ("1..3", "", "is not a list of seeds"), ("1..3", "9..1", "9..1"),
    ])
    func faultsOfSpecsAreExplained(_ removed: String, _ added: String, _ message: String) {
        var text = "sweep: test\nscenario: shop.yaml\nseeds: 1..3\n"
        if removed == "1..3" {
            text = text.replacing("1..3", with: added)
        } else {
            text = text.replacing(removed.isEmpty ? "\n\n" : "\(removed)\n", with: "") + added + "\n"
        }
        do throws(ProfileFaults) {
            _ = try SweepSpec(parsing: text, file: "test.sweep.yaml")
            Issue.record("no fault of \(text)")
        } catch {
            #expect(error.lines.contains { $0.contains(message) }, "\(error.lines)")
            #expect(
                error.lines.allSatisfy { $0.wholeMatch(of: /test\.sweep\.yaml:[0-9]+:[0-9]+: error: .*/) != nil },
                "\(error.lines)")
        }
    }

    @Test func otherFilesAreNoSweeps() {
        for text in [Self.scenario, Self.profile] {
            do throws(ProfileFaults) {
                _ = try SweepSpec(parsing: text, file: "test.yaml")
                Issue.record("no fault")
            } catch {
                #expect(error.lines[0].contains("not a sweep"))
            }
        }
    }
}
