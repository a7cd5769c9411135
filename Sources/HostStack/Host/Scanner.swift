// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI

/// What is scanned, and what should be.
struct Scanner: Sendable {
    /// What the owner wants; `nil` for no scan.
    var wanted: ScanParameters?
    /// What the controller acknowledged.
    private(set) var parameters: ScanParameters?
    private(set) var isOn = false
    /// A command is on its way.
    var isWaiting = false
    /// The controller refused what is wanted; the next wish is tried again.
    var hasFailed = false
    /// The owner is to be told how it goes.
    var hasNews = false
    /// It rests while the controller's random address changes.
    var isPausedForAddress = false
    /// It rests while the controller makes a connection.
    var isPausedForConnecting = false
    /// Data that came in parts.
    var assembler = ReportAssembler()

    private var target: ScanParameters? { isPaused || hasFailed ? nil : wanted }
    var isPaused: Bool { isPausedForAddress || isPausedForConnecting }

    /// The next command; `nil` when all is as it should be.
    var step: ScannerStep? {
        if isOn { return target == parameters ? nil : .disable }
        guard let target else { return nil }
        return target == parameters ? .enable(filtersDuplicates: target.filtersDuplicates) : .parameters(target)
    }

    mutating func acknowledge(_ step: ScannerStep) {
        switch step {
        case .parameters(let new): parameters = new
        case .enable: isOn = true
        case .disable: isOn = false
        }
    }

    mutating func forgetController() {
        let wanted = wanted
        self = Scanner()
        self.wanted = wanted
        hasNews = wanted != nil
    }
}

/// One command on the way to the scan that is wanted.
enum ScannerStep: Hashable, Sendable {
    case parameters(ScanParameters)
    case enable(filtersDuplicates: Bool)
    case disable
}
