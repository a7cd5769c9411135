// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI

/// The settings of a host for BR/EDR, with the defaults of a reset (Core 5.4, Vol 4, Part E, 7.3).
struct ClassicSettings: Sendable {
    /// Inquiry access codes that a controller can answer at the same time.
    static let accessCodeLimit = 2

    var linkPolicy: LinkPolicy = []
    var connectionAcceptTimeout = BasebandSlots(0x1F40)
    var pageTimeout = BasebandSlots(0x2000)
    var scanEnable: ScanEnable = []
    var pageScanActivity = ScanActivity(interval: 0x0800, window: 0x0012)
    var inquiryScanActivity = ScanActivity(interval: 0x1000, window: 0x0012)
    var authentication = HCISwitch.off
    var classOfDevice = Octets<3>.zero
    var voiceSetting = VoiceSetting.linearCVSD
    var accessCodes = InquiryAccessCodes([.generalInquiry])
    var inquiryScanType = ScanPattern.standard
    var inquiryMode = InquiryMode.standard
    var pageScanType = ScanPattern.standard
    var inquiryResponse = ExtendedInquiryResponse()
    var simplePairing = HCISwitch.off
    var erroneousData = HCISwitch.off
    var inquiryPower = TransmitPowerLevel(TransmitPower(0))
}

/// The BR/EDR radios of those controllers that have one (character `dual-mode`).
///
/// No controller answers an inquiry or a page: an inquiry ends after its length without a result, a page after the page
/// timeout. A radio is in one inquiry and one page at a time.
struct ClassicRadios: Sendable {
    /// By the index of the controller.
    private var radios: [Int: ClassicRadio] = [:]

    mutating func addController(_ index: Int, isDualMode: Bool) {
        radios[index] = isDualMode ? ClassicRadio() : nil
    }

    /// The settings of a controller's host; the defaults for a controller without a BR/EDR radio.
    subscript(controller: Int) -> ClassicSettings {
        get { radios[controller]?.settings ?? ClassicSettings() }
        set { radios[controller]?.settings = newValue }
    }

    /// Whether a controller inquires or pages.
    func isActive(_ controller: Int) -> Bool {
        !radios.isEmpty && radios[controller].map { $0.inquiry != nil || $0.page != nil } ?? false
    }

    /// Ends an inquiry and a page without events, and restores the settings of a reset.
    mutating func reset(_ controller: Int, _ context: inout AirContext) {
        guard let radio = radios[controller] else { return }
        for timer in [radio.inquiry, radio.page?.timer] {
            if let timer { context.timers.remove(timer) }
        }
        radios[controller] = ClassicRadio()
    }

    // MARK: - Inquiry

    /// - Parameter duration: in microseconds.
    fileprivate mutating func startInquiry(
        _ controller: Int, duration: Int64, _ context: inout AirContext
    ) throws(HCIStatus) {
        guard radios[controller]?.inquiry == nil else { throw .commandDisallowed }
        let timer = context.timers.add(.inquiry(Int32(controller)))
        radios[controller]?.inquiry = timer
        context.timers.schedule(timer, at: context.now + duration)
    }

    fileprivate mutating func cancelInquiry(_ controller: Int, _ context: inout AirContext) throws(HCIStatus) {
        guard let timer = radios[controller]?.inquiry.take() else { throw .commandDisallowed }
        context.timers.remove(timer)
    }

    /// Ends an inquiry after its length.
    mutating func endInquiry(_ controller: Int, _ context: inout AirContext) {
        guard (try? cancelInquiry(controller, &context)) != nil else { return }
        context.controllers.emit(InquiryComplete(), to: controller)
    }

    // MARK: - Page

    fileprivate mutating func startPage(
        _ purpose: ClassicRadio.Page.Purpose, _ address: BluetoothAddress, _ controller: Int,
        _ context: inout AirContext
    ) throws(HCIStatus) {
        guard let radio = radios[controller], radio.page == nil else { throw .commandDisallowed }
        let timer = context.timers.add(.page(Int32(controller)))
        radios[controller]?.page = ClassicRadio.Page(purpose: purpose, address: address, timer: timer)
        context.timers.schedule(timer, at: context.now + radio.settings.pageTimeout.microseconds)
    }

    fileprivate func isPaging(
        _ purpose: ClassicRadio.Page.Purpose, _ address: BluetoothAddress, _ controller: Int
    ) -> Bool {
        radios[controller]?.page.map { $0.purpose == purpose && $0.address == address } ?? false
    }

    /// Ends a page after the page timeout, or with another status.
    mutating func endPage(
        _ controller: Int, status: HCIStatus = .pageTimeout, _ context: inout AirContext
    ) {
        guard let page = radios[controller]?.page.take() else { return }
        context.timers.remove(page.timer)
        switch page.purpose {
        case .connection:
            context.controllers.emit(
                ConnectionComplete(status: status, connectionHandle: ConnectionHandle(0), address: page.address),
                to: controller)
        case .name:
            context.controllers.emit(RemoteNameRequestComplete(status: status, address: page.address), to: controller)
        }
    }
}

/// The BR/EDR radio of one controller.
private struct ClassicRadio: Sendable {
    /// A page of a device, which does not answer.
    struct Page: Sendable {
        enum Purpose { case connection, name }

        let purpose: Purpose
        let address: BluetoothAddress
        let timer: TimerIdentifier
    }

    var settings = ClassicSettings()
    /// The timer of an inquiry.
    var inquiry: TimerIdentifier?
    var page: Page?
}

// MARK: - Commands

extension CommandTable {
    /// Inquiries and pages (Core 5.4, Vol 4, Part E, 7.1.1, 7.1.2, 7.1.5, 7.1.7, 7.1.19 and 7.1.20).
    static var classicLinkCommands: [CommandHandler] {
        let handlers: [CommandHandler] = [
            .starting(Inquiry.self) { air, controller, command throws(HCIStatus) in
                guard command.accessCode.isInquiryAccessCode, 1...0x30 ~= command.length else {
                    throw .invalidCommandParameters
                }
                try air.classic.startInquiry(
                    controller, duration: Int64(command.length) * 1_280_000, &air.context)
            },
            .completing(InquiryCancel.self) { air, controller, _ throws(HCIStatus) in
                try air.classic.cancelInquiry(controller, &air.context)
            },
            .starting(CreateConnection.self) { air, controller, command throws(HCIStatus) in
                guard command.pageScanRepetitionMode <= 2, command.allowRoleSwitch <= 1 else {
                    throw .invalidCommandParameters
                }
                try air.classic.startPage(.connection, command.address, controller, &air.context)
            },
            cancelling(CreateConnectionCancel.self, .connection, otherwise: .unknownConnectionIdentifier),
            .starting(RemoteNameRequest.self) { air, controller, command throws(HCIStatus) in
                guard command.pageScanRepetitionMode <= 2 else { throw .invalidCommandParameters }
                try air.classic.startPage(.name, command.address, controller, &air.context)
            },
            cancelling(RemoteNameRequestCancel.self, .name, otherwise: .invalidCommandParameters),
        ]
        return handlers.map { $0.ofClassicRadio() }
    }

    /// A command that ends a page of a device.
    /// - Parameter status: of failure, if there is no such page.
    private static func cancelling<Command: AddressCommand>(
        _: Command.Type, _ purpose: ClassicRadio.Page.Purpose, otherwise status: HCIStatus
    ) -> CommandHandler {
        .returning(
            Command.self,
            { air, controller, command throws(HCIStatus) in
                guard air.classic.isPaging(purpose, command.address, controller) else { throw status }
                return StatusAndValue(command.address)
            },
            then: { air, controller, _ in
                air.classic.endPage(controller, status: .unknownConnectionIdentifier, &air.context)
            })
    }

    /// Settings of BR/EDR (Core 5.4, Vol 4, Part E, 7.2, 7.3 and 7.4).
    static var classicSettingCommands: [CommandHandler] {
        let settings: [[CommandHandler]] = [
            setting(ReadDefaultLinkPolicy.self, WriteDefaultLinkPolicy.self, \.linkPolicy) { $0.rawValue <= 0x0F },
            setting(
                ReadConnectionAcceptTimeout.self, WriteConnectionAcceptTimeout.self, \.connectionAcceptTimeout
            ) { 1...0xB540 ~= $0.count },
            setting(ReadPageTimeout.self, WritePageTimeout.self, \.pageTimeout) { $0.count > 0 },
            setting(ReadScanEnable.self, WriteScanEnable.self, \.scanEnable) { $0.rawValue <= 3 },
            setting(ReadPageScanActivity.self, WritePageScanActivity.self, \.pageScanActivity) { $0.isValid },
            setting(ReadInquiryScanActivity.self, WriteInquiryScanActivity.self, \.inquiryScanActivity) { $0.isValid },
            setting(ReadAuthenticationEnable.self, WriteAuthenticationEnable.self, \.authentication) { $0.isValid },
            setting(ReadClassOfDevice.self, WriteClassOfDevice.self, \.classOfDevice) { _ in true },
            setting(ReadVoiceSetting.self, WriteVoiceSetting.self, \.voiceSetting) { $0.rawValue <= 0x03FF },
            setting(ReadCurrentIACLAP.self, WriteCurrentIACLAP.self, \.accessCodes) {
                1...ClassicSettings.accessCodeLimit ~= $0.codes.count && $0.codes.allSatisfy(\.isInquiryAccessCode)
            },
            setting(ReadInquiryScanType.self, WriteInquiryScanType.self, \.inquiryScanType) { $0.rawValue <= 1 },
            setting(ReadInquiryMode.self, WriteInquiryMode.self, \.inquiryMode) { $0.rawValue <= 2 },
            setting(ReadPageScanType.self, WritePageScanType.self, \.pageScanType) { $0.rawValue <= 1 },
            setting(ReadExtendedInquiryResponse.self, WriteExtendedInquiryResponse.self, \.inquiryResponse) {
                $0.fecRequired.isValid
            },
            setting(ReadSimplePairingMode.self, WriteSimplePairingMode.self, \.simplePairing) { $0.isValid },
            setting(ReadErroneousDataReporting.self, WriteErroneousDataReporting.self, \.erroneousData) { $0.isValid },
        ]
        let others: [CommandHandler] = [
            // There is no command that reads it, and no inquiry that is received.
            .completing(WriteInquiryTransmitPower.self) { air, controller, command throws(HCIStatus) in
                guard -70...20 ~= command.value.power.decibelMilliwatts else { throw .invalidCommandParameters }
                air.classic[controller].inquiryPower = command.value
            },
            .returning(ReadInquiryResponseTransmitPower.self) { air, controller, _ in
                let power = air.context.controllers.defaultTransmitPower(of: controller)
                return StatusAndValue(TransmitPowerLevel(TransmitPower(power)))
            },
            .returning(ReadNumberOfSupportedIAC.self) { _, _, _ in
                StatusAndValue(.init(UInt8(ClassicSettings.accessCodeLimit)))
            },
            // Filters have nothing to filter: no inquiry has a result, and no peer connects.
            .completing(SetEventFilter.self) { _, _, command throws(HCIStatus) in
                guard case .connectionSetup(_, let autoAccept) = command.filter else { return }
                guard 1...3 ~= autoAccept else { throw .invalidCommandParameters }
            },
            // The controller stores no keys.
            .returning(ReadStoredLinkKey.self) { _, _, command throws(HCIStatus) in
                guard command.readAll <= 1 else { throw .invalidCommandParameters }
                return .init(maximumKeys: 0, keysRead: 0)
            },
            .returning(WriteStoredLinkKey.self) { _, _, command throws(HCIStatus) in
                guard 1...11 ~= command.keys.count else { throw .invalidCommandParameters }
                return .init(keysWritten: 0)
            },
            .returning(DeleteStoredLinkKey.self) { _, _, command throws(HCIStatus) in
                guard command.deleteAll <= 1 else { throw .invalidCommandParameters }
                return .init(keysDeleted: 0)
            },
            // There are no synchronous connections.
            .returning(ReadLocalSupportedCodecs.self) { _, _, _ in .init(standardCodecs: [], vendorCodecs: []) },
            .returning(ReadLocalSimplePairingOptions.self) { _, _, _ in
                .init(options: 0x01, maximumEncryptionKeySize: 16)
            },
        ]
        return (settings.joined() + others).map { $0.ofClassicRadio() }
    }

    /// The commands that read and write a setting.
    private static func setting<Query: SettingQuery, Command: SettingCommand>(
        _: Query.Type, _: Command.Type, _ place: any WritableKeyPath<ClassicSettings, Command.Value> & Sendable,
        isValid: @escaping @Sendable (Command.Value) -> Bool
    ) -> [CommandHandler] where Query.Value == Command.Value {
        [
            .returning(Query.self) { air, controller, _ in
                StatusAndValue(air.classic[controller][keyPath: place])
            },
            .completing(Command.self) { air, controller, command throws(HCIStatus) in
                guard isValid(command.value) else { throw .invalidCommandParameters }
                air.classic[controller][keyPath: place] = command.value
            },
        ]
    }
}

extension HCISwitch {
    fileprivate var isValid: Bool { rawValue <= 1 }
}

extension ScanActivity {
    /// Whether the interval is even and in its range, and the window is not longer.
    fileprivate var isValid: Bool {
        0x12...0x1000 ~= interval.count && interval.count.isMultiple(of: 2) && 0x11...interval.count ~= window.count
    }
}
