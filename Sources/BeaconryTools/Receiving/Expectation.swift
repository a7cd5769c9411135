// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
package import Devices
package import Emulator
import Profiles
package import Receiving

/// Something that `expect` waits for.
package struct Expectation: Sendable {
    /// What is expected.
    package enum Subject: Sendable {
        /// Advertisements.
        case advertisement(AdvertisementExpectation.Condition)
        /// A value of a characteristic, of the first device whose advertisement meets the condition.
        case value(AdvertisementExpectation.Condition, BluetoothUUID, [UInt8])
        /// Events of a run, and their condition in the words of `ctl wait`.
        case event(JournalExpectation, String)
    }

    /// What is expected.
    package let subject: Subject
    /// The time limit.
    package let within: Duration
    /// The line in the file, counted from 1; `nil` for an expectation of options.
    package let line: Int?

    package init(_ subject: Subject, within: Duration, line: Int? = nil) {
        self.subject = subject
        self.within = within
        self.line = line
    }

    /// Whether it needs a radio.
    var isOfRadio: Bool { if case .event = subject { false } else { true } }

    /// Whether it connects to a device.
    var connects: Bool { if case .value = subject { true } else { false } }

    /// The condition on advertisements; `nil` for one on events.
    var condition: AdvertisementExpectation.Condition? {
        switch subject {
        case .advertisement(let condition), .value(let condition, _, _): condition
        case .event: nil
        }
    }

    /// What is expected, for people.
    var text: String {
        switch subject {
        case .advertisement(let condition): AdvertisementExpectation(condition, at: .zero).text
        case .value(let condition, let characteristic, let value):
            "value \(Hexadecimal.string(value)) of \(characteristic) of "
                + AdvertisementExpectation(condition, at: .zero).subjectText
        case .event(_, let condition): condition
        }
    }

    /// Reads a file of expectations.
    /// - Parameters:
    ///   - within: the time limit of those without one; `nil` if there is none.
    ///   - model: how distances are estimated.
    ///   - thresholds: the limits of the proximities.
    /// - Throws: `ProfileFaults`.
    package static func load(
        _ path: String, within: Duration?, model: DistanceModel, thresholds: ProximityThresholds
    ) throws(ProfileFaults) -> [Expectation] {
        let list = try ExpectationList(
            parsing: try ProfileFiles.text(path, examples: "docs/receiving.md"), file: path,
            sources: ProfileFiles.sources(beside: path)
        ) { text throws(ValueFault) in
            _ = try event(text)
        }
        return try list.entries.map { entry throws(ProfileFaults) in
            func fault(_ message: String) -> ProfileFaults {
                ProfileFaults([ProfileFault(file: path, line: entry.line, column: 0, field: "", message: message)])
            }
            guard let limit = entry.within ?? within else {
                throw fault("the time limit is missing; write within: 5s, or give --within for all")
            }
            func condition(
                _ criteria: [AdvertisementCriterion],
                _ presence: AdvertisementExpectation.Condition.Presence = .present,
                _ count: ExpectationList.Count = ExpectationList.Count()
            ) -> AdvertisementExpectation.Condition {
                AdvertisementExpectation.Condition(
                    criteria, presence: presence, count: count.number, unit: count.unit, within: limit, model: model,
                    thresholds: thresholds)
            }
            switch entry.subject {
            case .advertisement(let criteria, let presence, let count):
                return Expectation(
                    .advertisement(condition(criteria, presence, count)), within: limit, line: entry.line)
            case .value(let criteria, let characteristic, let value):
                return Expectation(
                    .value(condition(criteria), characteristic, value), within: limit, line: entry.line)
            case .event(let text, let count, let mayAppear):
                do throws(ValueFault) {
                    let event = try event(text, count: count, mayAppear: mayAppear)
                    return Expectation(.event(event, text), within: limit, line: entry.line)
                } catch {
                    throw fault(error.message)
                }
            }
        }
    }

    /// The expectation of a condition on events.
    /// - Parameters:
    ///   - count: the exact number of events; `nil` for at least one.
    ///   - mayAppear: whether its beacons and hosts need not be there yet.
    /// - Throws: `ValueFault` if it is not one.
    package static func event(
        _ text: String, count: Int? = nil, mayAppear: Bool = false
    ) throws(ValueFault) -> JournalExpectation {
        do throws(EmulatorError) {
            return try JournalExpectation(condition: text, count: count, mayAppear: mayAppear)
        } catch {
            throw ValueFault("\(error)")
        }
    }
}
