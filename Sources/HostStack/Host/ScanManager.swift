// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI

/// The scan of a host: the scan that the owner requested, and the controller's progress towards it.
///
/// While the host searches for peers to connect to, it scans, too: with the parameters that the owner requested and without the
/// controller's filter for duplicates, or passively if the owner requests no scan. Then the owner gets no reports.
///
/// The scan is off or on. Parameters can change only while it is off, so a new request goes `.disable`, `.parameters`,
/// `.enable`, one command at a time. A *pause* keeps the scan off: while the controller's random address changes, and while
/// a controller that cannot do both makes a connection or has one. Only the last one is reported to the owner.
struct ScanManager: HostPart {
    /// A reason for the scan to rest.
    enum Pause: Hashable, Sendable {
        case addressChange
        case connecting
        /// The controller does not scan while it has a connection: the scan is tried again after each that ends.
        case connection
    }

    /// The scan that the owner requested; `nil` for none.
    private var requested: ScanParameters?
    /// The parameters that the controller acknowledged.
    private var parameters: ScanParameters?
    /// Whether the controller scans.
    private(set) var isOn = false
    /// Whether the host searches for peers.
    private var isSearching = false
    /// Whether a command is on its way.
    private var isWaiting = false
    /// Whether the controller refused the request. The next request is tried again.
    private var hasFailed = false
    /// Whether the owner is to be notified when the scan is as requested.
    private var isReportDue = false
    private var pauses: Set<Pause> = []
    /// Whether the owner was notified of the pause for a connection.
    private var isHoldReported = false
    /// Advertising data that arrives in several reports.
    private var assembler = ReportAssembler()

    /// Whether the controller scans, or has a command of the scan.
    var isBusy: Bool { isOn || isWaiting }

    private var target: ScanParameters? { isPaused || hasFailed ? nil : order }

    /// The parameters for the owner and the search; `nil` for no scan.
    private var order: ScanParameters? {
        guard isSearching else { return requested }
        var parameters = requested ?? ScanParameters(isActive: false)
        parameters.filtersDuplicates = false
        return parameters
    }

    private var isPaused: Bool { !pauses.isEmpty }

    /// Whether the owner requests a scan.
    var isRequested: Bool { requested != nil }

    // MARK: - From the owner

    mutating func start(_ parameters: ScanParameters) { request(parameters) }

    /// Withdraws the request.
    /// - Returns: `false` if no scan is requested.
    mutating func stop() -> Bool {
        guard requested != nil else { return false }
        request(nil)
        return true
    }

    private mutating func request(_ parameters: ScanParameters?) {
        requested = parameters
        hasFailed = false
        isReportDue = true
        isHoldReported = false
        pauses.remove(.connection)
    }

    // MARK: - From other parts of the host

    /// Begins or ends the search for peers.
    /// - Returns: whether that is a change.
    mutating func setSearching(_ isSearching: Bool) -> Bool {
        guard isSearching != self.isSearching else { return false }
        self.isSearching = isSearching
        if requested == nil { hasFailed = false }
        return true
    }

    /// Whether the host searches for peers, and the controller does not scan for it.
    var cannotSearch: Bool { isSearching && (hasFailed || isPaused(for: .connection)) }

    func isPaused(for reason: Pause) -> Bool { pauses.contains(reason) }

    mutating func pause(for reason: Pause) { pauses.insert(reason) }

    /// Ends a pause.
    /// - Returns: `false` if the scan was not paused for this reason.
    mutating func resume(after reason: Pause) -> Bool { pauses.remove(reason) != nil }

    /// Sends the next command, or notifies the owner that the scan is as requested, on a controller that is ready.
    mutating func proceed(ownAddressType: OwnAddressType, _ context: inout HostContext) {
        guard !isWaiting else { return }
        guard let step = nextStep else { return report(&context) }
        isWaiting = true
        let isExtended = context.knownCapabilities.hasExtendedScanning
        context.send(step.command(isExtended: isExtended, ownAddressType: ownAddressType), then: .scanning(step))
    }

    /// The next command; `nil` when the scan is as it should be.
    private var nextStep: ScanStep? {
        if isOn { return target == parameters ? nil : .disable }
        guard let target else { return nil }
        return target == parameters ? .enable(filtersDuplicates: target.filtersDuplicates) : .parameters(target)
    }

    private mutating func report(_ context: inout HostContext) {
        guard isReportDue, !isPaused, !hasFailed else { return }
        isReportDue = false
        if requested == nil { assembler = ReportAssembler() }
        context.emit(.scanning(requested))
    }

    // MARK: - From the controller

    /// Takes the reply to a command.
    mutating func finish(_ step: ScanStep, _ reply: CommandReply, _ context: inout HostContext) {
        isWaiting = false
        guard let failure = reply.failure, step != .disable else { return acknowledge(step) }
        // The failure of parameters that the owner has replaced does not matter.
        if case .parameters(let parameters) = step, parameters != order { return }
        guard order != nil else { return }
        if reply.isUnknownCommand, context.capabilities?.hasExtendedScanning == true {
            // Some controllers report extended commands that they do not have.
            context.capabilities?.hasExtendedScanning = false
            parameters = nil
            return
        }
        switch failure.activity {
        case .connecting: pause(for: .connecting)
        case .connection: hold(failure, &context)
        case .advertising, .scanning, nil:
            hasFailed = true
            if requested != nil { context.emit(.scanFailed(failure)) }
        }
    }

    private mutating func hold(_ failure: LEHostFailure, _ context: inout HostContext) {
        pause(for: .connection)
        guard !isHoldReported, requested != nil else { return }
        isHoldReported = true
        isReportDue = true
        context.emit(.scanHeld(failure))
    }

    private mutating func acknowledge(_ step: ScanStep) {
        switch step {
        case .parameters(let new): parameters = new
        case .enable:
            isOn = true
            isHoldReported = false
        case .disable: isOn = false
        }
    }

    /// Takes a report of the controller.
    /// - Returns: the report, if the host searches for a peer.
    func receive(_ report: LEAdvertisingReport.Report, _ context: inout HostContext) -> ScanReport? {
        isOn ? receive(ScanReport(report), &context) : nil
    }

    /// Takes a report of the controller, which may be a part of a whole.
    /// - Returns: the whole report, if the host searches for a peer.
    mutating func receive(_ report: LEExtendedAdvertisingReport.Report, _ context: inout HostContext) -> ScanReport? {
        guard isOn, let whole = assembler.take(report) else { return nil }
        return receive(whole, &context)
    }

    private func receive(_ report: ScanReport, _ context: inout HostContext) -> ScanReport? {
        if isRequested { context.emit(report) }
        return isSearching ? report : nil
    }

    /// The controller restarts: what it acknowledged is void, and the request is carried out again.
    mutating func reset() {
        let (requested, isSearching) = (requested, isSearching)
        self = ScanManager()
        self.requested = requested
        self.isSearching = isSearching
        isReportDue = requested != nil
    }
}

extension HostContext {
    /// Reports an advertisement to the owner, with the peer of the bond whose key resolves its address.
    fileprivate mutating func emit(_ report: ScanReport) {
        let peer = PeerAddress(report.address, type: report.addressType)
        emit(.scanReport(report, identity: registry.identity(ofAdvertiser: peer)))
    }
}

/// One command on the way to the requested scan.
enum ScanStep: Hashable, Sendable {
    case parameters(ScanParameters)
    case enable(filtersDuplicates: Bool)
    case disable

    fileprivate func command(isExtended: Bool, ownAddressType: OwnAddressType) -> HCICommandPacket {
        switch self {
        case .parameters(let parameters):
            let type = parameters.isActive ? ScanType.active : .passive
            guard isExtended else {
                return HCICommandPacket(
                    LESetScanParameters(
                        scanType: type, scanInterval: parameters.interval, scanWindow: parameters.window,
                        ownAddressType: ownAddressType))
            }
            let scan = LESetExtendedScanParameters.Parameters(
                scanType: type, scanInterval: parameters.interval, scanWindow: parameters.window)
            return HCICommandPacket(
                LESetExtendedScanParameters(ownAddressType: ownAddressType, parameters: [scan]))
        case .enable(let filters): return Self.enable(1, filter: filters ? 1 : 0, isExtended: isExtended)
        case .disable: return Self.enable(0, filter: 0, isExtended: isExtended)
        }
    }

    private static func enable(_ enable: UInt8, filter: UInt8, isExtended: Bool) -> HCICommandPacket {
        isExtended
            ? HCICommandPacket(LESetExtendedScanEnable(enable: enable, filterDuplicates: filter))
            : HCICommandPacket(LESetScanEnable(enable: enable, filterDuplicates: filter))
    }
}
