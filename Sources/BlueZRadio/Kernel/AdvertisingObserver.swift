// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import HCI

/// Derives what a controller advertises from the commands that it completed, as the monitor channel shows them.
///
/// The controller has one state for legacy advertising, which the kernel rewrites for each instance in turn, and one
/// for each extended advertising set. Commands change a state when the controller reports success; HCI Reset and the
/// removal of the controller clear all states. Each enabling, and each change of an enabled set, records an
/// observation.
///
/// The kernel never sends a legacy controller the same data twice in a row, so data that was set before the observer
/// started stays unknown until it changes.
struct AdvertisingObserver {
    /// One advertisement of a controller.
    struct Observation: Hashable {
        /// The number of the observation: each is one higher than the one before.
        var sequence: Int
        /// `nil` if it was set before the observer started.
        var advertisingData: [UInt8]?
        /// `nil` if it was set before the observer started.
        var scanResponse: [UInt8]?
        /// `nil` for a type that no beacon uses, such as a directed one.
        var pdu: AdvertisingPDU?
        /// The interval that the controller was given: it may use any in this range.
        var interval: ClosedRange<AdvertisingInterval>
        /// The power that the controller selected; `nil` for legacy advertising, whose commands do not report it.
        var transmitPower: TransmitPower?
        /// `nil` for the controller's own public address.
        var randomAddress: BluetoothAddress?
    }

    private struct AdvertisingState {
        var advertisingData: [UInt8]?
        var scanResponse: [UInt8]?
        var pdu: AdvertisingPDU?
        var interval = AdvertisingInterval(0x0800)...AdvertisingInterval(0x0800)
        var transmitPower: TransmitPower?
        var usesRandomAddress = false
        var randomAddress: BluetoothAddress?
        var isEnabled = false
    }

    /// What distinguishes the advertisements that are remembered.
    private struct Payload: Hashable {
        let advertisingData: [UInt8]?
        let scanResponse: [UInt8]?
    }

    /// The number of different advertisements that are remembered.
    private static let capacity = 64

    private var legacy = AdvertisingState()
    private var sets: [UInt8: AdvertisingState] = [:]
    private var deviceRandomAddress: BluetoothAddress?
    private var latest: [Payload: Observation] = [:]
    /// The number of the latest observation; 0 before the first.
    private(set) var sequence = 0

    /// The latest observation after number `sequence` whose advertising data meets a condition.
    /// - Parameter isOther: whether an observation with such data is another advertisement.
    func observation(
        after sequence: Int, except isOther: (Observation) -> Bool = { _ in false }, where condition: ([UInt8]?) -> Bool
    ) -> Observation? {
        latest.values.filter { $0.sequence > sequence && condition($0.advertisingData) && !isOther($0) }
            .max { $0.sequence < $1.sequence }
    }

    /// Takes one packet of the controller.
    /// - Parameter completion: the command that it completes; `nil` for none.
    /// - Returns: whether it led to a new observation.
    mutating func observe(_ packet: MonitorPacket, _ completion: MonitoredCommands.Completion?) -> Bool {
        let before = sequence
        if let completion {
            if completion.status == .success {
                apply(completion.opcode, parameters: completion.parameters, returned: completion.returned)
            }
        } else if packet.kind == MonitorPacket.event, packet.data.first == HCIEventPacket.lowEnergyMetaCode {
            noteEnd(packet.data)
        } else if packet.kind == MonitorPacket.indexRemoved {
            reset()
        }
        return sequence > before
    }

    /// Whether the controller advertises data that meets a condition now; on a legacy controller, whether such data has
    /// its turn now.
    func isAdvertising(where condition: ([UInt8]?) -> Bool) -> Bool {
        legacy.isEnabled && condition(legacy.advertisingData)
            || sets.values.contains { $0.isEnabled && condition($0.advertisingData) }
    }

    /// The advertising data that a legacy controller advertises now; `nil` if it does not advertise, or if the data was set
    /// before the observer started.
    var legacyDataOnAir: [UInt8]? { legacy.isEnabled ? legacy.advertisingData : nil }

    /// The number of advertisements that the controller advertises now; one for all instances in turns on a legacy
    /// controller.
    var enabledCount: Int { (legacy.isEnabled ? 1 : 0) + sets.values.count(where: \.isEnabled) }

    /// Handles the two ways in which advertising ends without a command: a connection as a peripheral ends legacy
    /// advertising, and LE Advertising Set Terminated ends a set. Some controllers also report a set that the host has disabled
    /// (Linux, `hci_le_ext_adv_term_evt`).
    private mutating func noteEnd(_ event: [UInt8]) {
        var reader = ByteReader(event[...].dropFirst(2))
        guard let subevent = try? reader.readUInt8(), let status = try? reader.readUInt8() else { return }
        let isConnectionComplete = subevent == 0x01 || subevent == 0x0A
        if isConnectionComplete, status == 0, (try? reader.read(count: 2)) != nil, (try? reader.readUInt8()) == 1 {
            legacy.isEnabled = false
        } else if subevent == LEAdvertisingSetTerminated.subeventCode,
            status != HCIStatus.operationCancelledByHost.rawValue, let handle = try? reader.readUInt8()
        {
            update(handle) { $0.isEnabled = false }
        }
    }

    private mutating func reset() {
        legacy = AdvertisingState(advertisingData: [], scanResponse: [])
        sets = [:]
        deviceRandomAddress = nil
    }

    private mutating func apply(_ opcode: HCIOpcode, parameters: [UInt8], returned: [UInt8]) {
        switch opcode {
        case HCIReset.opcode: reset()
        case LESetRandomAddress.opcode:
            deviceRandomAddress = (try? LESetRandomAddress(parsing: parameters))?.randomAddress
        case LESetAdvertisingParameters.opcode, LESetAdvertisingData.opcode, LESetScanResponseData.opcode,
            LESetAdvertisingEnable.opcode:
            applyLegacy(opcode, parameters)
        default: applyExtended(opcode, parameters, returned)
        }
    }

    private mutating func applyLegacy(_ opcode: HCIOpcode, _ parameters: [UInt8]) {
        if let command = command(LESetAdvertisingParameters.self, opcode, parameters) {
            legacy.interval = Self.range(command.minimumInterval, command.maximumInterval)
            legacy.pdu = Self.pdu(command.advertisingType)
            legacy.usesRandomAddress = command.ownAddressType.isRandom
        } else if let command = command(LESetAdvertisingData.self, opcode, parameters) {
            legacy.advertisingData = command.data
        } else if let command = command(LESetScanResponseData.self, opcode, parameters) {
            legacy.scanResponse = command.data
        } else if let command = command(LESetAdvertisingEnable.self, opcode, parameters) {
            legacy.isEnabled = command.enable == 1
            guard legacy.isEnabled else { return }
            // Recorded here only: the kernel sets the data first, while the parameters are still the old ones.
            legacy.randomAddress = deviceRandomAddress
            record(legacy)
        }
    }

    private mutating func applyExtended(_ opcode: HCIOpcode, _ parameters: [UInt8], _ returned: [UInt8]) {
        if let command = command(LESetExtendedAdvertisingParameters.self, opcode, parameters) {
            update(command.advertisingHandle) {
                $0.interval = Self.range(command.minimumInterval, command.maximumInterval)
                $0.pdu = Self.pdu(command.properties)
                $0.usesRandomAddress = command.ownAddressType.isRandom
                $0.transmitPower = returned.count > 1 ? TransmitPower(Int8(bitPattern: returned[1])) : nil
            }
        } else if let command = command(LESetAdvertisingSetRandomAddress.self, opcode, parameters) {
            update(command.advertisingHandle) { $0.randomAddress = command.randomAddress }
        } else if let command = command(LESetExtendedAdvertisingData.self, opcode, parameters) {
            update(command.advertisingHandle) { $0.advertisingData = Self.joined($0.advertisingData, command) }
            recordIfEnabled(command.advertisingHandle)
        } else if let command = command(LESetExtendedScanResponseData.self, opcode, parameters) {
            update(command.advertisingHandle) { $0.scanResponse = Self.joined($0.scanResponse, command) }
            recordIfEnabled(command.advertisingHandle)
        } else if let command = command(LESetExtendedAdvertisingEnable.self, opcode, parameters) {
            let handles = command.sets.isEmpty ? Array(sets.keys) : command.sets.map(\.advertisingHandle)
            for handle in handles {
                update(handle) { $0.isEnabled = command.enable == 1 }
                recordIfEnabled(handle)
            }
        } else if let command = command(LERemoveAdvertisingSet.self, opcode, parameters) {
            sets[command.advertisingHandle] = nil
        } else if opcode == LEClearAdvertisingSets.opcode {
            sets = [:]
        }
    }

    private func command<Command: HCICommand>(
        _: Command.Type, _ opcode: HCIOpcode, _ parameters: [UInt8]
    ) -> Command? {
        opcode == Command.opcode ? try? Command(parsing: parameters) : nil
    }

    private mutating func update(_ handle: UInt8, _ change: (inout AdvertisingState) -> Void) {
        var state = sets[handle] ?? AdvertisingState(advertisingData: [], scanResponse: [])
        change(&state)
        sets[handle] = state
    }

    private mutating func recordIfEnabled(_ handle: UInt8) {
        if let state = sets[handle], state.isEnabled { record(state) }
    }

    /// The data of a set after a command, which has all of it, a fragment of it, or leaves it unchanged.
    private static func joined(_ present: [UInt8]?, _ command: some ExtendedAdvertisingDataCommand) -> [UInt8]? {
        switch command.operation {
        case .unchanged: present
        case .intermediateFragment, .lastFragment: (present ?? []) + command.data
        default: command.data
        }
    }

    private mutating func record(_ state: AdvertisingState) {
        sequence += 1
        latest[Payload(advertisingData: state.advertisingData, scanResponse: state.scanResponse)] = Observation(
            sequence: sequence, advertisingData: state.advertisingData, scanResponse: state.scanResponse,
            pdu: state.pdu, interval: state.interval, transmitPower: state.transmitPower,
            randomAddress: state.usesRandomAddress ? state.randomAddress : nil)
        if latest.count > Self.capacity, let oldest = latest.values.min(by: { $0.sequence < $1.sequence }) {
            latest[Payload(advertisingData: oldest.advertisingData, scanResponse: oldest.scanResponse)] = nil
        }
    }

    private static func pdu(_ type: AdvertisingType) -> AdvertisingPDU? {
        switch type {
        case .connectableUndirected: .connectableScannable
        case .scannableUndirected: .scannable
        case .nonConnectableUndirected: .nonConnectable
        default: nil
        }
    }

    private static func pdu(_ properties: AdvertisingEventProperties) -> AdvertisingPDU? {
        switch properties.intersection([.connectable, .scannable, .directed, .highDutyCycle, .legacy]) {
        case .legacyConnectable: .connectableScannable
        case .legacyScannable: .scannable
        case .legacyNonConnectable: .nonConnectable
        default: nil
        }
    }

    private static func range(
        _ minimum: AdvertisingInterval, _ maximum: AdvertisingInterval
    ) -> ClosedRange<AdvertisingInterval> {
        min(minimum, maximum)...max(minimum, maximum)
    }
}

/// One controller as the monitor channel shows it.
struct ObservedController {
    /// What it advertises.
    private(set) var advertising = AdvertisingObserver()
    /// What it does besides.
    private(set) var activity = ControllerActivity()
    private var commands = MonitoredCommands()

    /// Takes one packet of the controller.
    /// - Returns: whether it changed what is on the air, or what keeps something off it.
    mutating func observe(_ packet: MonitorPacket) -> Bool {
        let before = advertising.enabledCount
        let completion = commands.completion(by: packet)
        let isObserved = advertising.observe(packet, completion)
        let isChanged = activity.observe(packet, completion)
        return isObserved || isChanged || advertising.enabledCount != before
    }

    /// Takes from bluetoothd whether a program scans with the adapter.
    /// - Returns: whether that changes what keeps something off the air.
    mutating func note(isDiscovering: Bool) -> Bool { activity.note(isDiscovering: isDiscovering) }
}
