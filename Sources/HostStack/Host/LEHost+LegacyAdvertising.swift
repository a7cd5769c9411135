// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import BluetoothCore
import HCI

extension LEHost {
    /// Does what is due for the beacons' turns.
    mutating func advanceRotation() {
        guard isReady, legacy != nil else { return }
        continueTurns()
    }

    /// Sends the next command of the one advertiser.
    mutating func continueTurns() {
        updateTurns()
        tellStopped()
        guard isReady, legacy?.isWaiting == false else { return }
        endTurnIfDue()
        chooseHolder()
        guard let state = legacy else { return }
        let order = state.holder.flatMap { effectiveOrder(of: $0) }
        guard let step = state.advertiser.step(towards: order, enabling: true) else {
            releaseScan()
            return tellHolder()
        }
        if case .randomAddress = step {
            guard mayChangeRandomAddress() else { return }
        } else {
            releaseScan()
        }
        legacy?.isWaiting = true
        let now = now
        legacy?.exchange.resume(at: now)
        let set = state.holder ?? state.lastOnAir
        if let set, let index = index(of: set) { sets[index].isRevised = false }
        send(step, then: .legacyAdvertising(set, step))
    }

    /// The order in values that this controller takes.
    private func effectiveOrder(of set: AdvertisingSetIdentifier) -> AdvertisingOrder? {
        guard let index = index(of: set), sets[index].isWanted, var order = sets[index].order else { return nil }
        order.parameters.interval = permittedInterval(order)
        order.parameters.transmitPower = nil
        return order
    }

    private func permittedInterval(_ order: AdvertisingOrder) -> AdvertisingInterval {
        let shortest = knownCapabilities.shortestNonConnectableInterval
        return order.parameters.pdu.isConnectable ? order.parameters.interval : max(order.parameters.interval, shortest)
    }

    private mutating func updateTurns() {
        for beacon in sets where beacon.isWanted {
            if let order = beacon.order, let obstacle = obstacle(to: order) { failAdvertising(beacon.set, obstacle) }
        }
        let wanted = sets.filter(\.isWanted).compactMap { beacon in
            beacon.order.map { (set: beacon.set, interval: permittedInterval($0)) }
        }
        let now = now
        legacy?.schedule.setBeacons(wanted, at: now)
        if let holder = legacy?.holder, !wanted.contains(where: { $0.set == holder }) { legacy?.holder = nil }
    }

    /// Tells of beacons that are to go and are not on the air.
    private mutating func tellStopped() {
        for beacon in sets where beacon.order == nil && beacon.told == .nothing {
            if legacy?.lastOnAir == beacon.set, legacy?.advertiser.isEnabled == true { continue }
            if let index = index(of: beacon.set) { sets[index].told = .silence }
            emit(.advertisingStopped(beacon.set, .requested))
            dropIfEmpty(beacon.set)
        }
    }

    private mutating func endTurnIfDue() {
        guard let state = legacy, state.holder != nil, state.advertiser.isEnabled else { return }
        if state.schedule.count < 2 {
            legacy?.end = nil
        } else if state.end ?? now <= now {
            legacy?.holder = nil
            legacy?.end = nil
        }
    }

    /// Gives the next turn when the last one is off the air.
    private mutating func chooseHolder() {
        guard let state = legacy, state.holder == nil, !state.advertiser.isEnabled, let next = state.schedule.first,
            next.due <= now || state.schedule.count == 1
        else { return }
        legacy?.holder = next.set
    }

    /// LE Set Random Address is not allowed while the controller scans or makes a connection.
    private mutating func mayChangeRandomAddress() -> Bool {
        guard !initiator.isBusy else { return false }
        guard scanner.isOn || scanner.isWaiting else { return true }
        scanner.isPausedForAddress = true
        continueScanning()
        return false
    }

    private mutating func send(_ step: AdvertiserStep, then: CommandContinuation) {
        switch step {
        case .disable, .enable: send(LESetAdvertisingEnable(enable: step == .enable ? 1 : 0), then: then)
        case .parameters(let parameters): send(LESetAdvertisingParameters(parameters), then: then)
        case .randomAddress(let address): send(LESetRandomAddress(randomAddress: address), then: then)
        case .advertisingData(let data): send(LESetAdvertisingData(data: data, padding: .padding(data)), then: then)
        case .scanResponse(let data): send(LESetScanResponseData(data: data, padding: .padding(data)), then: then)
        case .remove: legacy?.isWaiting = false
        }
    }

    /// Takes the answer to a command for a beacon's turn.
    mutating func finish(_ step: AdvertiserStep, forTurnOf set: AdvertisingSetIdentifier?, _ reply: CommandReply) {
        legacy?.isWaiting = false
        let now = now
        legacy?.exchange.pause(at: now)
        if case .randomAddress = step { releaseScan() }
        if let failure = reply.failure, step != .disable {
            if let set, let index = index(of: set), sets[index].isWanted, !sets[index].isRevised {
                failAdvertising(set, failure)
            }
        } else {
            legacy?.advertiser.acknowledge(step)
            if step == .enable, let set { beginTurn(of: set) }
        }
        continueTurns()
    }

    /// Lets a scan go on that rested for the random address.
    private mutating func releaseScan() {
        guard scanner.isPausedForAddress else { return }
        scanner.isPausedForAddress = false
        continueScanning()
    }

    private mutating func beginTurn(of set: AdvertisingSetIdentifier) {
        guard var state = legacy else { return }
        state.lastOnAir = set
        state.schedule.learn(exchange: state.exchange.finish(at: now))
        state.schedule.begin(set, at: now)
        state.end = now + configuration.legacyDwell
        legacy = state
    }

    /// Tells the owner of the beacon on the air what is new about it.
    private mutating func tellHolder() {
        guard let state = legacy, let set = state.holder, state.advertiser.isEnabled, let index = index(of: set),
            let order = effectiveOrder(of: set)
        else { return }
        let turns = state.schedule.count
        let interval =
            turns > 1
            ? state.schedule.effectiveInterval(of: set) ?? order.parameters.interval : order.parameters.interval
        guard sets[index].told.isNews(interval: interval, turns: turns, at: now) else { return }
        sets[index].told = .advertising(interval: interval, turns: turns, at: now)
        var advertiser = state.advertiser
        advertiser.select(knownCapabilities.transmitPower?.lowerBound)
        let share = turns > 1 ? state.schedule.share(of: set) : 1
        emit(.advertising(set, effective(order, advertiser, interval: interval, turns: turns, share: share)))
    }
}

extension [UInt8] {
    /// What legacy commands have behind data of at most 31 octets.
    fileprivate static func padding(_ data: [UInt8]) -> [UInt8] {
        [UInt8](repeating: 0, count: Swift.max(AdvertisingPDU.capacity - data.count, 0))
    }
}
