// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Devices
import Emulator
import Profiles
import TestSupport

extension FuzzTarget {
    /// Profiles: beacons that can be run and inspected, or faults with their positions.
    static let profile = FuzzTarget(name: "profile", divisor: 10) { generator in
        switch Int.random(in: 0...15, using: &generator) {
        case 0: Mutation.noise(256, &generator)
        case 1, 2: Mutation.damaged(ProfileMutation.samples.map { Array($0.utf8) }, &generator)
        default: Array(ProfileMutation.text(&generator).utf8)
        }
    } parse: { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        do throws(ProfileFaults) {
            let profile = try Profile(parsing: text, file: "fuzz.yaml")
            guard !profile.name.isEmpty, !profile.beacons.isEmpty,
                Set(profile.beacons.map(\.id)).count == profile.beacons.count
            else { FuzzReport.fail("a profile without a name, without beacons, or with a duplicate one: \(text)") }
            for finding in ProfileLint([profile]).findings where finding.message.isEmpty {
                FuzzReport.fail("a finding without a message: \(text)")
            }
            check(profile, text)
            return .parsed
        } catch {
            let isGood = error.faults.allSatisfy { $0.line >= 0 && $0.column >= 0 && !$0.message.isEmpty }
            guard isGood, !error.faults.isEmpty else { FuzzReport.fail("faults without a message: \(text)") }
            return .refused
        }
    }

    /// Lists of regions and of expectations, and configuration plans: entries, or faults with their positions.
    static let lists = FuzzTarget(name: "lists", divisor: 10) { generator in
        switch Int.random(in: 0...15, using: &generator) {
        case 0: Mutation.noise(256, &generator)
        case 1, 2: Mutation.damaged(ProfileMutation.lists.map { Array($0.utf8) }, &generator)
        default: Array(ProfileMutation.text(of: ProfileMutation.lists, &generator).utf8)
        }
    } parse: { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        let regions = outcome(text) { text throws(ProfileFaults) in
            let entries = try RegionList(parsing: text, file: "fuzz.yaml").entries
            return entries.count == Set(entries.map(\.identifier)).count && !entries.isEmpty
        }
        let plan = outcome(text) { text throws(ProfileFaults) in
            let entries = try ConfigurationPlan(parsing: text, file: "fuzz.yaml").entries
            return entries.allSatisfy { !$0.settings.isEmpty } && !entries.isEmpty
        }
        let expectations = outcome(text) { text throws(ProfileFaults) in
            let list = try ExpectationList(parsing: text, file: "fuzz.yaml") { _ throws(ValueFault) in }
            return list.entries.allSatisfy { $0.line > 0 } && !list.entries.isEmpty
        }
        return [regions, plan, expectations].contains(.parsed) ? .parsed : .refused
    }

    private static func outcome(_ text: String, _ parse: (String) throws(ProfileFaults) -> Bool) -> Outcome {
        do throws(ProfileFaults) {
            guard try parse(text) else { FuzzReport.fail("an invalid list: \(text)") }
            return .parsed
        } catch {
            let isGood = error.faults.allSatisfy { $0.line >= 0 && $0.column >= 0 && !$0.message.isEmpty }
            guard isGood, !error.faults.isEmpty else { FuzzReport.fail("faults without a message: \(text)") }
            return .refused
        }
    }

    /// A written profile reads as an equal one; an edit changes only its value.
    private static func check(_ profile: Profile, _ text: String) {
        let copy = try? Profile(parsing: ProfileWriter.text(of: profile), file: "copy.yaml")
        guard copy?.name == profile.name, copy?.beacons == profile.beacons, copy?.receivers == profile.receivers,
            copy?.surroundings == profile.surroundings
        else {
            FuzzReport.fail("a profile that is written as a different one: \(text)")
        }
        guard let beacon = profile.beacons.first(where: { $0.device.frame != nil }) else { return }
        var editor = ProfileEditor(text, file: "fuzz.yaml")
        guard (try? editor.setMeasuredPower(MeasuredPower(-72), of: [beacon.id])) != nil else {
            guard editor.text == text else { FuzzReport.fail("a refused edit that changes the text: \(text)") }
            return
        }
        let edited = try? Profile(parsing: editor.text, file: "edited.yaml")
        guard edited?.beacons.first(where: { $0.id == beacon.id })?.device.measuredPower == MeasuredPower(-72) else {
            FuzzReport.fail("an edit that changes nothing: \(text)")
        }
    }
}
