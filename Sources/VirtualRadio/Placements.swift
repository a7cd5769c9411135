// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Space

/// Where the controllers of an air are, how they move, and which hardware they have.
///
/// It has memory only up to the last controller with a position: on most airs no controller has one.
struct Placements: Sendable {
    private struct Placement {
        /// The position; `nil` while it moves, and without one.
        private(set) var position: Position?
        /// How it moves; `nil` at rest.
        private(set) var motion: Motion?
        /// In metres per second; infinite for one that jumps.
        private(set) var maximumSpeed = 0.0

        mutating func setMotion(_ new: Motion?) {
            maximumSpeed = new?.maximumSpeed ?? 0
            if case .rest(let place)? = new {
                (position, motion) = (place, nil)
            } else {
                (position, motion) = (nil, new)
            }
        }
    }

    /// By the index of the controller; those beyond the end have no position.
    private var placements: [Placement] = []
    /// The same; those beyond the end are ideal receivers.
    private var hardware: [ReceiverHardware] = []

    /// Places a controller, which may replace one of the same index.
    mutating func set(_ motion: Motion?, _ hardware: ReceiverHardware, of controller: Int) {
        setMotion(motion, of: controller)
        setHardware(hardware, of: controller)
    }

    /// Replaces the hardware of a controller.
    mutating func setHardware(_ new: ReceiverHardware, of controller: Int) {
        let missing = controller + 1 - hardware.count
        if missing > 0 {
            guard new != ReceiverHardware() else { return }
            hardware.append(contentsOf: repeatElement(ReceiverHardware(), count: missing))
        }
        hardware[controller] = new
    }

    /// Sets how a controller moves; `nil` for no position.
    mutating func setMotion(_ motion: Motion?, of controller: Int) {
        guard reserve(controller, if: motion != nil) else { return }
        placements[controller].setMotion(motion)
    }

    /// Reserves memory for a controller if it is needed.
    /// - Returns: whether there is memory for it.
    private mutating func reserve(_ controller: Int, if isNeeded: Bool) -> Bool {
        let missing = controller + 1 - placements.count
        if isNeeded, missing > 0 { placements.append(contentsOf: repeatElement(Placement(), count: missing)) }
        return isNeeded || missing <= 0
    }

    /// The position of a controller at rest; `nil` while it moves, and without one.
    @inline(__always)
    func restingPosition(of controller: Int) -> Position? {
        controller < placements.count ? placements[controller].position : nil
    }

    /// How a controller moves; `nil` at rest, and without a position.
    @inline(__always)
    func motion(of controller: Int) -> Motion? {
        controller < placements.count ? placements[controller].motion : nil
    }

    /// The highest speed of a controller in metres per second; infinite for one that jumps.
    func maximumSpeed(of controller: Int) -> Double {
        controller < placements.count ? placements[controller].maximumSpeed : 0
    }

    /// The hardware of a controller.
    func hardware(of controller: Int) -> ReceiverHardware {
        controller < hardware.count ? hardware[controller] : ReceiverHardware()
    }

    /// How a person carries a controller at a time; `nil` for no body beside it.
    @inline(__always)
    func carrying(of controller: Int, at time: AirTime) -> Carrying? {
        guard controller < hardware.count, let place = hardware[controller].carried else { return nil }
        return Carrying(place, heading: heading(of: controller, at: time))
    }

    /// The heading of a controller at a time, in degrees.
    func heading(of controller: Int, at time: AirTime) -> Double {
        hardware(of: controller).heading(of: motion(of: controller), atSeconds: Double(time) * 1e-6)
    }
}
