// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
import BluetoothCore
import HCI

extension LEHost {
    /// Scans, or goes on scanning in another way; `.scanning` or `.scanFailed` tells the outcome.
    ///
    /// It may be called before the host is ready.
    package mutating func startScanning(_ parameters: ScanParameters = ScanParameters()) {
        guard parameters.isValid else { return emit(.scanFailed(.invalidParameters)) }
        scanner.wanted = parameters
        scanner.hasFailed = false
        scanner.hasNews = true
        continueScanning()
        flush()
    }

    /// Ends the scan; `.scanning(nil)` tells when it has ended.
    package mutating func stopScanning() {
        guard scanner.wanted != nil else { return }
        scanner.wanted = nil
        scanner.hasFailed = false
        scanner.hasNews = true
        continueScanning()
        flush()
    }

    /// Sends the next command of the scanner, or tells the owner that all is as wanted.
    mutating func continueScanning() {
        guard isReady, !scanner.isWaiting else { return }
        guard let step = scanner.step else { return tellScanning() }
        scanner.isWaiting = true
        send(step)
    }

    private mutating func tellScanning() {
        guard scanner.hasNews, !scanner.isPaused, !scanner.hasFailed else { return }
        scanner.hasNews = false
        if scanner.wanted == nil { scanner.assembler = ReportAssembler() }
        emit(.scanning(scanner.wanted))
    }

    private mutating func send(_ step: ScannerStep) {
        let extended = knownCapabilities.hasExtendedScanning
        let then = CommandContinuation.scanning(step)
        switch step {
        case .parameters(let parameters):
            let type = parameters.isActive ? ScanType.active : .passive
            if extended {
                let scan = LESetExtendedScanParameters.Parameters(
                    scanType: type, scanInterval: parameters.interval, scanWindow: parameters.window)
                send(
                    LESetExtendedScanParameters(ownAddressType: centralAddressType, parameters: [scan]), then: then)
            } else {
                send(
                    LESetScanParameters(
                        scanType: type, scanInterval: parameters.interval, scanWindow: parameters.window,
                        ownAddressType: centralAddressType), then: then)
            }
        case .enable(let filters): sendScanEnable(true, filtersDuplicates: filters, extended: extended, then: then)
        case .disable: sendScanEnable(false, filtersDuplicates: false, extended: extended, then: then)
        }
    }

    private mutating func sendScanEnable(
        _ isOn: Bool, filtersDuplicates: Bool, extended: Bool, then: CommandContinuation
    ) {
        let enable: UInt8 = isOn ? 1 : 0
        let filter: UInt8 = filtersDuplicates ? 1 : 0
        if extended {
            send(LESetExtendedScanEnable(enable: enable, filterDuplicates: filter), then: then)
        } else {
            send(LESetScanEnable(enable: enable, filterDuplicates: filter), then: then)
        }
    }

    /// The address of the central; where beacons change the only random address, the public one if there is one. So it
    /// is for a private address too, which such a controller does not change.
    var centralAddressType: OwnAddressType {
        guard let legacy, knownCapabilities.address != nil else { return configuration.centralAddress.type }
        let isShared =
            configuration.centralAddress.identity != nil || legacy.advertiser.randomAddress != nil
            || sets.contains { $0.order != nil }
        return isShared ? .public : configuration.centralAddress.type
    }

    /// Takes the answer to a command of the scanner.
    mutating func finish(_ step: ScannerStep, _ reply: CommandReply) {
        scanner.isWaiting = false
        if let failure = reply.failure, step != .disable {
            if scanner.wanted != nil, !isOfOldWish(step) {
                scanner.hasFailed = true
                emit(.scanFailed(failure))
            }
        } else {
            scanner.acknowledge(step)
        }
        continueScanning()
        if !scanner.isOn {
            continueCentralAddress()
            continueAdvertising()
            continueConnecting()
        }
    }

    private func isOfOldWish(_ step: ScannerStep) -> Bool {
        if case .parameters(let parameters) = step { parameters != scanner.wanted } else { false }
    }
}
