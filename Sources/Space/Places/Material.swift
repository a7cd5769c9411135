// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// What a wall or a slab is made of, with its loss at 2.4 GHz.
///
/// The losses are those of a whole wall of the usual thickness, as people measure them in houses; docs/physics.md has the ranges of
/// the sources. A wall that was measured has `loss` instead.
package enum Material: String, Hashable, Sendable, CaseIterable {
    /// A partition of plasterboard on studs.
    case plasterboard
    /// A wall of brick.
    case brick
    /// A wall or a slab of concrete.
    case concrete
    /// A pane without a coating.
    case glass
    /// A door or a partition of metal, with gaps around it.
    case metal
    /// A partition or a door of wood.
    case wood

    /// The loss of a path through it, in dB.
    package var loss: Double {
        switch self {
        case .plasterboard: 4
        case .brick: 8
        case .concrete: 13.5
        case .glass: 2
        case .metal: 8
        case .wood: 3
        }
    }
}
