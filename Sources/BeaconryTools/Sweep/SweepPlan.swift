// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Devices
import FoundationEssentials
import JSON
import Profiles

/// A sweep whose files were read: what its runs are made from.
///
/// A run is pure: the files, the values of its variant, its seed and the version of the program determine its figures.
struct SweepPlan: Sendable {
    /// What another process needs for runs of the sweep.
    struct Copy: Codable {
        /// The path of the spec.
        let spec: String
        /// The identity, by which a program of another version is recognised.
        let sweep: String
        /// The version of the program.
        let version: String
        /// The estimator in the place of the one of the spec; `nil` for that.
        let estimator: String?
        let contents: SweepFiles.Contents
    }

    /// The limit of the number of faults that are reported.
    private static let maximumFaults = 50

    let spec: SweepSpec
    let header: SweepHeader
    /// What estimates the places of receivers; `nil` for that of each receiver.
    let estimator: EstimatorChoice?
    private let path: String
    private let files: SweepFiles
    private let chosen: EstimatorChoice?

    /// Reads a spec, and its scenario in all variants.
    /// - Parameters:
    ///   - estimator: an estimator in the place of the one of the spec; `nil` for that.
    ///   - version: the version of the program.
    /// - Throws: `ProfileFaults` with the faults of the spec, or of all variants.
    init(reading path: String, estimator chosen: EstimatorChoice? = nil, version: String) throws {
        let files = SweepFiles()
        let spec = try Self.spec(path, files)
        self.spec = spec
        self.path = path
        self.files = files
        self.chosen = chosen
        estimator = chosen ?? spec.estimator
        var faults: [ProfileFault] = []
        // The numbers of the variants with a fault.
        var variants: [ProfileFault: [Int]] = [:]
        for (number, variant) in spec.variants.enumerated() where faults.count < Self.maximumFaults {
            do throws(ProfileFaults) {
                _ = try Self.scenario(of: variant, spec, path, files)
            } catch {
                faults += error.faults.filter { !faults.contains($0) }
                for fault in error.faults { variants[fault, default: []].append(number) }
            }
        }
        faults = faults.map { fault in
            guard let first = variants[fault]?.first, variants[fault]?.count != spec.variants.count, fault.file != path
            else { return fault }
            return fault.adding("; so it is in the variant \(spec.variants[first].name)")
        }
        // A fault of the spec may be the cause of others.
        let own = faults.filter { $0.file == path }
        guard faults.isEmpty else { throw ProfileFaults(own.isEmpty ? faults : own) }
        header = SweepHeader(spec, identity: Self.identity(of: path, files, chosen, version), version: version)
    }

    /// The sweep of another process.
    /// - Throws: `Failure` if its program has another version.
    init(_ copy: Copy, version: String) throws {
        guard copy.version == version else {
            throw Failure(
                exitCode: 65,
                message:
                    "the sweep was begun by \(copy.version), and this is \(version); use the same program everywhere")
        }
        files = SweepFiles(copy.contents)
        path = copy.spec
        spec = try Self.spec(path, files)
        chosen = try copy.estimator.map(EstimatorChoice.init)
        estimator = chosen ?? spec.estimator
        let identity = Self.identity(of: path, files, chosen, version)
        guard identity == copy.sweep else {
            throw Failure.badData("the copy of the sweep is damaged; begin the sweep again")
        }
        header = SweepHeader(spec, identity: identity, version: version)
    }

    /// What another process needs.
    var copy: Copy {
        Copy(
            spec: path, sweep: header.sweep, version: header.version, estimator: chosen.map { "\($0)" },
            contents: files.contents)
    }

    /// The scenario of a variant.
    func scenario(ofVariant number: Int) throws(ProfileFaults) -> Scenario {
        try Self.scenario(of: spec.variants[number], spec, path, files)
    }

    private static func identity(
        of path: String, _ files: SweepFiles, _ chosen: EstimatorChoice?, _ version: String
    ) -> String {
        files.hash(in: folder(of: path), [version] + [chosen.map { "\($0)" }].compactMap(\.self)).description
    }

    private static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    }

    private static func spec(_ path: String, _ files: SweepFiles) throws(ProfileFaults) -> SweepSpec {
        let text = try files.text(path, examples: "docs/sweeps.md")
        return try SweepSpec(parsing: text, file: path, sources: files.sources(beside: path))
    }

    private static func scenario(
        of variant: SweepSpec.Variant, _ spec: SweepSpec, _ path: String, _ files: SweepFiles
    ) throws(ProfileFaults) -> Scenario {
        let overrides = NodeOverrides(variant.overrides)
        let file = ProfileFiles.full(spec.scenario, beside: path)
        let text: String
        do throws(ProfileFaults) {
            text = try files.text(file, examples: "scenarios/")
        } catch {
            throw ProfileFaults(
                error.faults.map { fault in
                    ProfileFault(
                        file: path, line: spec.scenarioPlace.line, column: spec.scenarioPlace.column, field: "scenario",
                        message: "\(file): \(fault.message)")
                })
        }
        let scenario: Scenario
        do throws(ProfileFaults) {
            scenario = try Scenario(
                parsing: text, file: file, sources: files.sources(beside: file), overrides: overrides
            ) { name throws(ProfileFaults) -> Profile in
                let full = ProfileFiles.full(name, beside: file)
                return try Profile(
                    parsing: try files.text(full, examples: "profiles/"), file: full,
                    sources: files.sources(beside: full), overrides: overrides)
            }
        } catch {
            // A path that names nothing may be the cause of the others.
            throw overrides.faults.isEmpty ? error : ProfileFaults(overrides.faults)
        }
        guard overrides.faults.isEmpty else { throw ProfileFaults(overrides.faults) }
        return scenario
    }
}
