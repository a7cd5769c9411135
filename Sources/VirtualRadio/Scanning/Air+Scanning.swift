// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

// MARK: - Who listens

extension Air {
    /// The address that a controller scans, or connects, with; `nil` when it has no such.
    func ownAddress(of controller: Int, isRandom: Bool) -> PackedAddress? {
        isRandom ? controllers[controller].host.randomAddress : controllers[controller].publicAddress
    }

    func isScanning(_ controller: Int) -> Bool { scanners.contains { $0.controller == controller } }
    func isInitiating(_ controller: Int) -> Bool { initiators.contains { $0.controller == controller } }

    mutating func stopScanning(_ controller: Int) {
        scanners.removeAll { $0.controller == controller }
        if let timer = controllers[controller].host.scanTimer { timers.cancel(timer) }
    }

    mutating func stopInitiating(_ controller: Int) {
        initiators.removeAll { $0.controller == controller }
    }

    /// The duration of an extended scan is over.
    mutating func endScan(_ controller: Int) {
        guard isScanning(controller) else { return }
        stopScanning(controller)
        emit(LEScanTimeout(), to: controller)
    }
}

// MARK: - What they hear

extension Air {
    /// Lets all hear an advertising event who listen now.
    mutating func reportToScanners(_ set: Int) {
        for scanner in scanners.indices
        where scanners[scanner].hears(channels: sets[set].channels, at: now)
            && scanners[scanner].controller != sets[set].controller
            && (scanners[scanner].isExtended || sets[set].properties.contains(.legacy))
        {
            hear(set, by: scanner)
        }
    }

    private mutating func hear(_ set: Int, by scanner: Int) {
        guard passes(set, filterOf: scanner) else { return }
        let properties = sets[set].properties
        if scanners[scanner].admits(sets[set].seenAdvertisement(isScanResponse: false), at: now) {
            let data = properties.takesAdvertisingData ? sets[set].data : []
            report(set, data: data, isScanResponse: false, to: scanner)
        }
        guard properties.contains(.scannable), scanners[scanner].parameters.isActive,
            answers(set, scanRequestOf: scanner)
        else { return }
        notifyScanRequest(to: set, of: scanners[scanner].ownAddress)
        if scanners[scanner].admits(sets[set].seenAdvertisement(isScanResponse: true), at: now) {
            report(set, data: sets[set].scanResponse, isScanResponse: true, to: scanner)
        }
    }

    /// Scanning filter policies (Core 5.4, Vol 6, Part B, 4.3.3).
    private func passes(_ set: Int, filterOf scanner: Int) -> Bool {
        let parameters = scanners[scanner].parameters
        if parameters.filterPolicy.usesFilterAcceptList {
            guard accepts(sets[set].address, controller: scanners[scanner].controller) else { return false }
        }
        guard sets[set].properties.contains(.directed), sets[set].target != scanners[scanner].ownAddress else {
            return true
        }
        return parameters.passesUnresolvedTargets && sets[set].target.isResolvablePrivate
    }

    /// Advertising filter policies (Core 5.4, Vol 6, Part B, 4.3.2); a directed advertisement answers its target.
    private func answers(_ set: Int, scanRequestOf scanner: Int) -> Bool {
        let own = scanners[scanner].ownAddress
        if sets[set].properties.contains(.directed), sets[set].target != own { return false }
        return !sets[set].filterPolicy.contains(.scanRequestsOfList)
            || accepts(own, controller: sets[set].controller)
    }

    /// Whether an address is on the filter accept list of a controller.
    func accepts(_ address: PackedAddress, controller: Int) -> Bool {
        controllers[controller].host.acceptList.contains(address)
    }

    private mutating func notifyScanRequest(to set: Int, of scanner: PackedAddress) {
        guard sets[set].notifiesScanRequests, let handle = sets[set].handle else { return }
        let controller = sets[set].controller
        guard hasRoom(controller) else { return }
        emit(
            LEScanRequestReceived(
                advertisingHandle: handle, scannerAddressType: AddressType(rawValue: scanner.type),
                scannerAddress: scanner.address), to: controller)
    }

    private mutating func report(_ set: Int, data: [UInt8], isScanResponse: Bool, to scanner: Int) {
        let receiver = scanners[scanner].controller
        let strength = strength(
            of: sets[set].controller, transmitting: sets[set].transmitPower, at: receiver)
        if scanners[scanner].isExtended {
            guard allows(LEExtendedAdvertisingReport.self, receiver) else { return }
            reportExtended(set, data: data, isScanResponse: isScanResponse, strength: strength, to: receiver)
        } else if sets[set].properties.contains(.directed), sets[set].target != scanners[scanner].ownAddress {
            guard allows(LEDirectedAdvertisingReport.self, receiver) else { return }
            sendReport(
                AdvertisingReportBytes.directed(
                    address: sets[set].address, target: sets[set].target, strength: strength), to: receiver)
        } else {
            guard allows(LEAdvertisingReport.self, receiver) else { return }
            sendReport(
                AdvertisingReportBytes.legacy(
                    type: isScanResponse ? .scanResponse : sets[set].properties.reportType,
                    address: sets[set].address, data: data, strength: strength), to: receiver)
        }
    }

    private func allows<Event: LEMetaEvent>(_: Event.Type, _ controller: Int) -> Bool {
        controllers[controller].host.masks.allows(lowEnergy: Event.subeventCode)
    }

    /// Data that one report does not hold is divided among several.
    private mutating func reportExtended(
        _ set: Int, data: [UInt8], isScanResponse: Bool, strength: Int8, to receiver: Int
    ) {
        let properties = sets[set].properties
        let isLegacy = properties.contains(.legacy)
        var type = properties.extendedEventType
        if isScanResponse { type.formUnion(.scanResponse) }
        var header = AdvertisingReportBytes.ExtendedHeader(
            eventType: type, address: sets[set].address,
            target: properties.contains(.directed) ? sets[set].target : nil,
            secondaryPHY: isLegacy ? 0 : sets[set].secondaryPHY,
            identifier: isLegacy ? 0xFF : sets[set].identifier,
            transmitPower: properties.contains(.includesTransmitPower)
                ? sets[set].transmitPower : TransmitPower.unspecified.decibelMilliwatts,
            strength: strength)
        var rest = data[...]
        while rest.count > AdvertisingReportBytes.extendedDataLimit {
            header.eventType = type.union(.incomplete)
            sendReport(
                AdvertisingReportBytes.extended(header, data: rest.prefix(AdvertisingReportBytes.extendedDataLimit)),
                to: receiver)
            rest = rest.dropFirst(AdvertisingReportBytes.extendedDataLimit)
        }
        header.eventType = type
        sendReport(AdvertisingReportBytes.extended(header, data: rest), to: receiver)
    }
}
