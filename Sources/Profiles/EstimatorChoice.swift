// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Devices
package import Receiving

/// An estimator that a user chooses: one of ours, or a command of the user.
package enum EstimatorChoice: Hashable, Sendable, CustomStringConvertible {
    case ours(PlaceEstimator.Kind)
    /// The program and its arguments.
    case command([String])

    fileprivate static let prefix = "exec:"

    /// Reads `nearest`, or `exec:` and a command.
    /// - Throws: `ValueFault` for a name that none has.
    package init(_ text: String) throws(ValueFault) {
        if text.hasPrefix(Self.prefix) {
            let words = text.dropFirst(Self.prefix.count).split(separator: " ").map(String.init)
            guard !words.isEmpty else {
                throw ValueFault("a command is expected after exec:, such as exec:./estimate.py")
            }
            self = .command(words)
        } else {
            do throws(ValueFault) {
                self = .ours(try PlaceEstimator.Kind(named: text))
            } catch {
                throw ValueFault("\(error.message), or exec: and a command")
            }
        }
    }

    package var description: String {
        switch self {
        case .ours(let kind): kind.rawValue
        case .command(let words): Self.prefix + words.joined(separator: " ")
        }
    }
}

extension PlaceEstimator.Kind {
    /// The estimator of a name.
    /// - Parameter others: what may be written instead, for messages.
    /// - Throws: `ValueFault` for a name that none has.
    package init(named text: String, or others: [String] = []) throws(ValueFault) {
        guard let kind = Self(rawValue: text) else {
            throw ValueFault(
                Spelling.unknown(
                    "there is no estimator \"\(text)\"", text, "estimators", Self.allCases.map(\.rawValue) + others))
        }
        self = kind
    }
}

extension ValueText {
    /// An estimator of ours; a command is none, since a file that is opened runs nothing.
    /// - Throws: `ValueFault` for a name that none has.
    static func estimator(_ text: String) throws(ValueFault) -> PlaceEstimator.Kind {
        if text.hasPrefix(EstimatorChoice.prefix) {
            throw ValueFault(
                "a command is an option of survey, test and sweep, --estimator \"\(text)\", not a part of this file")
        }
        return try PlaceEstimator.Kind(named: text)
    }
}
