// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// Something a beacon's owner should know, with a code that scripts may rely on.
public struct Warning: Hashable, Sendable {
    /// A stable code in lower case with hyphens; `docs/warnings.md` lists them all.
    public let code: String
    /// What is so, and why.
    public let message: String
    /// What to do about it.
    public let hint: String

    /// A warning of this code.
    public init(code: String, message: String, hint: String) {
        self.code = code
        self.message = message
        self.hint = hint
    }
}
