// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

extension CommandTable {
    /// Scanning, legacy and extended (Core 5.4, Vol 4, Part E, 7.8.10, 7.8.11, 7.8.64 and 7.8.65).
    static var scanningCommands: [CommandHandler] {
        [
            CommandHandler.completing(LESetScanParameters.self) { air, controller, command throws(HCIStatus) in
                guard !air.isScanning(controller) else { throw .commandDisallowed }
                let longest = ScanTime(0x4000)
                guard command.scanInterval <= longest else { throw .invalidCommandParameters }
                air.controllers[controller].host.scan = try scanParameters(
                    type: command.scanType, interval: command.scanInterval, window: command.scanWindow,
                    own: command.ownAddressType, policy: command.scanningFilterPolicy)
            }.of(.legacy),
            CommandHandler.completing(LESetScanEnable.self) { air, controller, command throws(HCIStatus) in
                guard command.enable <= 1 else { throw .invalidCommandParameters }
                guard command.enable == 1 else { return air.stopScanning(controller) }
                guard command.filterDuplicates <= 1, let filter = DuplicateFilter(rawValue: command.filterDuplicates)
                else { throw .invalidCommandParameters }
                try air.startScanning(controller, isExtended: false, filter: filter)
            }.of(.legacy),
            CommandHandler.completing(LESetExtendedScanParameters.self) { air, controller, command throws(HCIStatus) in
                guard !air.isScanning(controller) else { throw .commandDisallowed }
                let parameters = try mandatoryPHY(command.scanningPHYs, command.parameters)
                air.controllers[controller].host.scan = try scanParameters(
                    type: parameters.scanType, interval: parameters.scanInterval, window: parameters.scanWindow,
                    own: command.ownAddressType, policy: command.scanningFilterPolicy)
            }.of(.extended),
            CommandHandler.completing(LESetExtendedScanEnable.self) { air, controller, command throws(HCIStatus) in
                guard command.enable <= 1 else { throw .invalidCommandParameters }
                guard command.enable == 1 else { return air.stopScanning(controller) }
                try air.startExtendedScan(command, controller)
            }.of(.extended),
        ]
    }

    private static func scanParameters(
        type: ScanType, interval: ScanTime, window: ScanTime, own: OwnAddressType, policy: ScanningFilterPolicy
    ) throws(HCIStatus) -> ScanParameters {
        guard type.rawValue <= 1, own.rawValue <= 3, policy.rawValue <= 3 else { throw .invalidCommandParameters }
        try checkScanTimes(interval: interval, window: window)
        return ScanParameters(
            isActive: type == .active, interval: Int64(interval.count) * 625, window: Int64(window.count) * 625,
            usesRandomAddress: own.isRandom, filterPolicy: policy)
    }

    /// At least 2.5 ms, and the window no longer than the interval.
    static func checkScanTimes(interval: ScanTime, window: ScanTime) throws(HCIStatus) {
        guard window >= ScanTime(4), window <= interval else { throw .invalidCommandParameters }
    }

    /// The parameters of LE 1M, which are the first: of PHYs that primary channels may use, Coded is not there.
    static func mandatoryPHY<Parameters>(_ phys: PHYSet, _ parameters: [Parameters]) throws(HCIStatus) -> Parameters {
        guard phys.isDisjoint(with: .coded), phys.rawValue & ~0x07 == 0 else {
            throw .unsupportedFeatureOrParameterValue
        }
        guard phys.contains(.oneMegabit), let first = parameters.first else { throw .invalidCommandParameters }
        return first
    }
}

extension Air {
    /// Begins a scan, or begins anew with another filter.
    fileprivate mutating func startScanning(
        _ controller: Int, isExtended: Bool, filter: DuplicateFilter, duration: Int64 = 0, period: Int64 = 0
    ) throws(HCIStatus) {
        let parameters = controllers[controller].host.scan ?? ScanParameters()
        guard let own = ownAddress(of: controller, isRandom: parameters.usesRandomAddress) else {
            throw .invalidCommandParameters
        }
        let start = scanners.first { $0.controller == controller }?.schedule.start ?? now
        stopScanning(controller)
        scanners.append(
            Scanner(
                controller: controller, parameters: parameters, start: period > 0 ? now : start,
                isExtended: isExtended, ownAddress: own, filter: filter, duration: duration, period: period))
        guard duration > 0, period == 0 else { return }
        let timer = controllers[controller].host.scanTimer ?? timers.add(.scanTimeout(Int32(controller)))
        controllers[controller].host.scanTimer = timer
        timers.schedule(timer, at: now + duration)
    }

    fileprivate mutating func startExtendedScan(
        _ command: LESetExtendedScanEnable, _ controller: Int
    ) throws(HCIStatus) {
        let duration = Int64(command.duration.count) * 10_000
        let period = Int64(command.period.count) * 1_280_000
        guard let filter = DuplicateFilter(rawValue: command.filterDuplicates) else { throw .invalidCommandParameters }
        guard duration == 0 || period == 0 || duration < period else { throw .invalidCommandParameters }
        guard filter != .eachPeriod || (period > 0 && duration > 0) else { throw .invalidCommandParameters }
        // A period without a duration has no meaning: the scan goes on.
        try startScanning(
            controller, isExtended: true, filter: filter, duration: duration, period: duration > 0 ? period : 0)
    }
}
