// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import HCI

// MARK: - Sets

extension Air {
    /// A new set of a controller; its place.
    mutating func addSet(handle: UInt8?, controller: Int) -> Int {
        let index = freeSets.popLast() ?? sets.count
        let timer = timers.add(.advertisingSet(Int32(index)))
        var set = AdvertisingSet(controller: controller, handle: handle, timer: timer)
        set.transmitPower = controllers[controller].defaultTransmitPower
        if index == sets.count { sets.append(set) } else { sets[index] = set }
        controllers[controller].host.sets.append(Int32(index))
        return index
    }

    /// The place of a controller's set; `nil` for the handle is the set of the legacy commands.
    func findSet(handle: UInt8?, controller: Int) -> Int? {
        controllers[controller].host.sets.first { sets[Int($0)].handle == handle }.map(Int.init)
    }

    /// Takes a set away from its controller.
    mutating func removeSet(_ index: Int) {
        controllers[sets[index].controller].host.sets.removeAll { $0 == Int32(index) }
        discardSet(index)
    }

    /// Frees the place of a set, and leaves its controller's list as it is.
    mutating func discardSet(_ index: Int) {
        timers.remove(sets[index].timer)
        sets[index].data = []
        sets[index].scanResponse = []
        sets[index].isEnabled = false
        freeSets.append(index)
    }

    /// Begins advertising, with the first event within 10 ms; or, when it was on, begins to count its events and its
    /// time anew.
    mutating func startAdvertising(_ index: Int, duration: Int64, maximumEvents: UInt8) {
        let isHighDuty = sets[index].properties.contains(.highDutyCycle)
        sets[index].isEnabled = true
        sets[index].maximumEvents = maximumEvents
        sets[index].completedEvents = 0
        sets[index].address = ownAddress(ofSet: index)
        sets[index].end = duration > 0 ? now + duration : .never
        if isHighDuty { sets[index].end = min(sets[index].end, now + AdvertisingSet.highDutyDuration) }
        let next = timers.deadline(of: sets[index].timer) ?? now + advertisingDelay(ofSet: index)
        timers.schedule(sets[index].timer, at: min(next, sets[index].end))
    }

    mutating func stopAdvertising(_ index: Int) {
        sets[index].isEnabled = false
        timers.cancel(sets[index].timer)
    }

    /// The address that a set advertises with now.
    func ownAddress(ofSet index: Int) -> PackedAddress {
        let set = sets[index]
        if set.properties.contains(.anonymous) { return .anonymous }
        guard set.usesRandomAddress else { return controllers[set.controller].publicAddress }
        let random = set.handle == nil ? controllers[set.controller].host.randomAddress : set.randomAddress
        return random ?? controllers[set.controller].publicAddress
    }

    private mutating func advertisingDelay(ofSet index: Int) -> Int64 {
        sets[index].properties.contains(.highDutyCycle) ? 0 : delays.upTo(AdvertisingSet.delayLimit)
    }
}

// MARK: - Events

extension Air {
    /// One advertising event of an enabled set, and the time of the next.
    mutating func runAdvertisingEvent(_ index: Int) {
        guard now < sets[index].end else { return endAdvertising(index, status: .advertisingTimeout) }
        if sets[index].completedEvents < .max { sets[index].completedEvents += 1 }
        if !scanners.isEmpty { reportToScanners(index) }
        if !initiators.isEmpty, sets[index].isConnectable, connectInitiator(toSet: index) { return }
        let isLast = sets[index].maximumEvents > 0 && sets[index].completedEvents >= sets[index].maximumEvents
        if isLast { return endAdvertising(index, status: .limitReached) }
        let next = now + sets[index].interval + advertisingDelay(ofSet: index)
        timers.schedule(sets[index].timer, at: min(next, sets[index].end))
    }
}
