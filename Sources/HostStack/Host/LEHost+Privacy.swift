// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

/// A private address in use.
struct PrivateAddress: Hashable, Sendable {
    let identity: LocalIdentity
    var address: BluetoothAddress
    /// When another takes its place.
    var end: Duration

    init(_ identity: LocalIdentity, at now: Duration, random: inout RandomSource) {
        self.identity = identity
        address = .resolvablePrivate(key: identity.resolvingKey, random: &random)
        end = now + BluetoothAddress.privateAddressInterval
    }
}

extension LEHost {
    /// When a private address is due to change.
    var privacyDeadline: Duration? {
        let beacons = sets.indices.reduce(nil as Duration?) { earliest, index in
            sets[index].order == nil ? earliest : earliest.orEarlier(sets[index].privateAddress.first?.end)
        }
        return beacons.orEarlier(mayChangeCentralAddress ? centralPrivacy.first?.present.end : nil)
    }

    /// The address that a beacon is on the air with now: of a private one, the present.
    mutating func presentAddress(_ address: OwnAddress, at index: Int) -> OwnAddress {
        guard let identity = address.identity else {
            sets[index].privateAddress = []
            return address
        }
        if let present = sets[index].privateAddress.first, present.identity == identity {
            return .random(present.address)
        }
        let new = PrivateAddress(identity, at: now, random: &random)
        sets[index].privateAddress = [new]
        return .random(new.address)
    }

    /// Gives beacons other private addresses whose time has come.
    mutating func advancePrivacy() {
        for index in sets.indices {
            guard let old = sets[index].privateAddress.first, old.end <= now, sets[index].order != nil else { continue }
            let new = PrivateAddress(old.identity, at: now, random: &random)
            sets[index].privateAddress = [new]
            sets[index].order?.address = .random(new.address)
            sets[index].isRevised = true
            sets[index].told = .nothing
            continueAdvertising(sets[index].set)
        }
        continueCentralAddress()
    }
}

/// The private address of the host as central.
struct CentralPrivacy: Hashable, Sendable {
    var present: PrivateAddress
    /// The controller is given another.
    var isChanging = false
}

extension LEHost {
    /// The random address that scan requests and connection requests carry, where they carry one.
    var centralRandomAddress: BluetoothAddress? {
        configuration.centralAddress.randomAddress ?? centralPrivacy.first?.present.address
    }

    /// Makes a private address where the central is to have one; its controller is given it while it starts.
    mutating func prepareCentralAddress() {
        guard let identity = configuration.centralAddress.identity else { return }
        centralPrivacy = [CentralPrivacy(present: PrivateAddress(identity, at: now, random: &random))]
    }

    /// The one random address of a legacy controller belongs to beacons, and no controller changes it while it makes a
    /// connection.
    private var mayChangeCentralAddress: Bool {
        isReady && legacy == nil && !initiator.isBusy && !scanner.isPausedForAddress
            && centralPrivacy.first?.isChanging == false
    }

    /// Gives the controller another private address when its time has come and the scan rests.
    mutating func continueCentralAddress() {
        guard isReady, legacy == nil, !initiator.isBusy, let privacy = centralPrivacy.first, !privacy.isChanging,
            privacy.present.end <= now
        else { return }
        if scanner.isOn || scanner.isWaiting {
            scanner.isPausedForAddress = true
            return continueScanning()
        }
        let next = PrivateAddress(privacy.present.identity, at: now, random: &random)
        centralPrivacy[0].isChanging = true
        send(LESetRandomAddress(randomAddress: next.address), then: .centralAddress(next.address))
    }

    /// Takes the controller's word on another private address; where it was refused, the old one stays for its time.
    mutating func finishCentralAddress(_ address: BluetoothAddress, _ reply: CommandReply) {
        guard !centralPrivacy.isEmpty else { return }
        centralPrivacy[0].isChanging = false
        centralPrivacy[0].present.end = now + BluetoothAddress.privateAddressInterval
        if reply.failure == nil { centralPrivacy[0].present.address = address }
        scanner.isPausedForAddress = false
        continueScanning()
        continueConnecting()
    }
}
