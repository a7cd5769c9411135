// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// The numbers of the advertising instances that other programs have on one controller.
///
/// The kernel's list is incomplete: Read Advertising Features omits instances with a number greater than the count of
/// instances (Linux 6.1 and 6.12, `read_adv_features`). When three of five have been removed, the fifth is not listed any more.
/// An instance that was listed, or that an event has reported, therefore exists until an event reports its removal, or until a
/// list lacks it that would have it. One that was never listed is not known.
struct OtherInstances {
    private(set) var numbers: Set<UInt8> = []

    /// Takes the kernel's list.
    /// - Parameter ours: the numbers of our own instances.
    mutating func take(listed: Set<UInt8>, ours: Set<UInt8>) {
        numbers = numbers.union(listed).filter { listed.contains($0) || $0 > listed.count }.subtracting(ours)
    }

    /// Takes note that another program has added an instance, or has taken the number of one of ours.
    mutating func noteAddition(of instance: UInt8) { numbers.insert(instance) }

    /// Takes note that an instance was removed, by any program.
    mutating func noteRemoval(of instance: UInt8) { numbers.remove(instance) }
}
