// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import BluetoothCore
import HCI

extension LEHost {
    /// Sends the next command of a set, or tells its owner that it is as wanted.
    mutating func continueSet(_ set: AdvertisingSetIdentifier) {
        guard isReady, let index = index(of: set), !sets[index].isWaiting, !sets[index].hasFailed else { return }
        let beacon = sets[index]
        if let order = beacon.order, let obstacle = obstacle(to: order) { return failAdvertising(set, obstacle) }
        guard let step = beacon.advertiser.step(towards: beacon.order, enabling: beacon.isWanted) else {
            return settle(index)
        }
        if case .parameters = step, beacon.advertiser.parameters == nil, !hasRoomForSet {
            // Another set may be on its way out.
            let isWaitingForRoom = sets.contains { $0.order == nil && $0.advertiser.parameters != nil }
            return isWaitingForRoom
                ? () : failAdvertising(set, .tooManyAdvertisingSets(limit: knownCapabilities.advertisingSets))
        }
        sets[index].isWaiting = true
        sets[index].isRevised = false
        send(step, of: set)
    }

    private var hasRoomForSet: Bool {
        sets.count { $0.advertiser.parameters != nil || ($0.isWaiting && $0.order != nil) }
            < knownCapabilities.advertisingSets
    }

    private mutating func settle(_ index: Int) {
        let beacon = sets[index]
        guard let order = beacon.order else {
            if beacon.told == .nothing { emit(.advertisingStopped(beacon.set, .requested)) }
            sets[index].told = .silence
            return dropIfEmpty(beacon.set)
        }
        guard beacon.advertiser.isEnabled, beacon.told == .nothing else { return }
        sets[index].told = .advertising(interval: order.parameters.interval, turns: 1, at: now)
        emit(.advertising(beacon.set, effective(order, beacon.advertiser, interval: order.parameters.interval)))
    }

    private mutating func send(_ step: AdvertiserStep, of set: AdvertisingSetIdentifier) {
        let then = CommandContinuation.advertisingSet(set, step)
        let handle = set.rawValue
        switch step {
        case .disable, .enable:
            let entry = LESetExtendedAdvertisingEnable.AdvertisingSet(advertisingHandle: handle)
            send(LESetExtendedAdvertisingEnable(enable: step == .enable ? 1 : 0, sets: [entry]), then: then)
        case .remove: send(LERemoveAdvertisingSet(advertisingHandle: handle), then: then)
        case .parameters(let parameters):
            send(LESetExtendedAdvertisingParameters(set: set, parameters), then: then)
        case .randomAddress(let address):
            send(LESetAdvertisingSetRandomAddress(advertisingHandle: handle, randomAddress: address), then: then)
        case .advertisingData(let data):
            send(LESetExtendedAdvertisingData(advertisingHandle: handle, data: data), then: then)
        case .scanResponse(let data):
            send(LESetExtendedScanResponseData(advertisingHandle: handle, data: data), then: then)
        }
    }

    /// Takes the answer to a set's command.
    mutating func finish(_ step: AdvertiserStep, of set: AdvertisingSetIdentifier, _ reply: CommandReply) {
        guard let index = index(of: set) else { return }
        sets[index].isWaiting = false
        if let failure = reply.failure, step != .remove, step != .disable {
            // What the owner does not want any more need not fail.
            if sets[index].order != nil, !sets[index].isRevised { failAdvertising(set, failure) }
        } else {
            sets[index].advertiser.acknowledge(step)
            if case .parameters = step {
                let answer = reply.value(of: LESetExtendedAdvertisingParameters.self)
                sets[index].advertiser.select(answer?.selectedTransmitPower)
            }
        }
        if step == .remove { continueAdvertising() } else { continueSet(set) }
    }

    /// Takes the end of a set's advertising, which may be a connection.
    mutating func receive(_ event: LEAdvertisingSetTerminated) {
        guard let set = AdvertisingSetIdentifier(event.advertisingHandle) else { return }
        if event.status == .success { return assign(set, to: event.connectionHandle) }
        guard let index = index(of: set), sets[index].advertiser.isEnabled else { return }
        sets[index].advertiser.acknowledge(.disable)
        sets[index].told = .nothing
        emit(.advertisingStopped(set, .controller(event.status)))
        continueSet(set)
    }
}
