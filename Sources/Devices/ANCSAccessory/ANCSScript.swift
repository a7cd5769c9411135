// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// What happens on a phone, and when.
package struct ANCSScript: Hashable, Sendable {
    /// Something that happens.
    package enum Event: Hashable, Sendable {
        /// A notification of this name comes; if there is one, it changes.
        case post(String, ANCSNotification)
        /// The notification of this name goes.
        case remove(String)
        /// The notification service goes, or comes back.
        case setService(isThere: Bool)
    }

    /// An event and its time.
    package struct Step: Hashable, Sendable {
        /// When, from the moment on that an accessory subscribes for the first time; `nil` for before.
        package var time: Duration?
        /// What.
        package var event: Event

        /// An event at this time.
        package init(at time: Duration?, _ event: Event) {
            self.time = time
            self.event = event
        }
    }

    /// What happens, in any order.
    package var steps: [Step]
    /// The names of apps, by their identifiers.
    package var apps: [String: String]

    /// A script of these steps.
    package init(steps: [Step] = [], apps: [String: String] = [:]) {
        self.steps = steps
        self.apps = apps
    }
}
