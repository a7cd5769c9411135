// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Devices
import Profiles
import Synchronization

/// Profile files that a test can change while an emulator runs.
final class ProfileSource: Sendable {
    private let texts: Mutex<[String]>

    init(_ texts: [String]) { self.texts = Mutex(texts) }

    func change(_ texts: String...) { self.texts.withLock { $0 = texts } }

    /// The profiles; the first is `museum.yaml`, the second `museum-2.yaml`.
    func load() throws(ProfileFaults) -> [Profile] {
        var profiles: [Profile] = []
        for (number, text) in texts.withLock({ $0 }).enumerated() {
            let file = number == 0 ? "museum.yaml" : "museum-\(number + 1).yaml"
            profiles.append(try Profile(parsing: text, file: file))
        }
        return profiles
    }
}
