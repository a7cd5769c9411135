// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI
import Testing

@testable import BlueZRadio

@Suite struct ControllerActivityTests {
    private static let disallowed: [UInt8] = [HCIStatus.commandDisallowed.rawValue]

    private static func refuseAddress(_ controller: MonitoredController) {
        controller.run(LESetRandomAddress.opcode, [1, 2, 3, 4, 5, 6], returning: disallowed)
    }

    /// K5: a legacy controller takes no random address during a scan.
    @Test func commandRefusedDuringScanIsItsObstacle() {
        let controller = MonitoredController()
        controller.scan(true)
        Self.refuseAddress(controller)
        #expect(controller.controller.activity.obstacle == .scan(.program))
        // A beacon that needs no new address is advertised meanwhile.
        controller.run(LESetAdvertisingEnable.opcode, [1])
        #expect(controller.controller.activity.obstacle == .scan(.program))
        controller.scan(false)
        #expect(controller.controller.activity.obstacle == nil)
    }

    @Test(arguments: [(ScanType.active, ControllerActivity.Scan.program), (.passive, .kernel)])
    func typeOfScanShowsItsOriginator(_ type: ScanType, _ scan: ControllerActivity.Scan) {
        for isExtended in [false, true] {
            let controller = MonitoredController()
            if isExtended {
                controller.run(
                    LESetExtendedScanParameters(parameters: [
                        .init(scanType: type, scanInterval: ScanTime(96), scanWindow: ScanTime(48))
                    ]))
                controller.run(LESetExtendedScanEnable(enable: 1, filterDuplicates: 1))
            } else {
                controller.scan(true, type: type)
            }
            // What bluetoothd reports does not change what was observed.
            controller.note(isDiscovering: type == .passive)
            Self.refuseAddress(controller)
            #expect(controller.controller.activity.obstacle == .scan(scan))
        }
    }

    /// The monitor channel does not show what was enabled before.
    @Test func scanBeforeTheObservationIsKnownByItsRefusal() {
        let controller = MonitoredController()
        controller.note(isDiscovering: true)
        Self.refuseAddress(controller)
        #expect(controller.controller.activity.obstacle == .scan(.program))
        controller.note(isDiscovering: false)
        #expect(controller.controller.activity.obstacle == .scan(.kernel))
        // Its end may have been before the observation, too.
        controller.run(LESetRandomAddress.opcode, [1, 2, 3, 4, 5, 6])
        #expect(controller.controller.activity.obstacle == nil)
    }

    @Test func scanAloneIsNoObstacle() {
        let controller = MonitoredController()
        controller.scan(true)
        controller.run(LESetRandomAddress.opcode, [1, 2, 3, 4, 5, 6])
        #expect(controller.controller.activity.obstacle == nil)
    }

    /// K6: endless refusals of LE Set Advertising Parameters.
    @Test func obstacleWithoutCauseEndsWithAdvertising() {
        let controller = MonitoredController()
        controller.run(LESetAdvertisingParameters.opcode, [], returning: Self.disallowed)
        let refusal = ControllerActivity.Obstacle.unknown(LESetAdvertisingParameters.opcode, .commandDisallowed)
        #expect(controller.controller.activity.obstacle == refusal)
        controller.run(LESetAdvertisingEnable.opcode, [0])
        #expect(controller.controller.activity.obstacle == refusal)
        controller.run(LESetAdvertisingEnable.opcode, [1])
        #expect(controller.controller.activity.obstacle == nil)
    }

    @Test func refusedDisablingIsNoObstacle() {
        let controller = MonitoredController()
        controller.run(LESetAdvertisingEnable.opcode, [0], returning: Self.disallowed)
        #expect(controller.controller.activity.obstacle == nil)
    }

    /// After a connection whose set it does not know, the kernel enables set 0.
    @Test func enablingOfAMissingSetIsNoObstacle() {
        let controller = MonitoredController()
        let missing = [HCIStatus.unknownAdvertisingIdentifier.rawValue]
        controller.run(LESetExtendedAdvertisingEnable.opcode, [1, 1, 0, 0, 0, 0], returning: missing)
        #expect(controller.controller.activity.obstacle == nil)
        controller.run(LESetExtendedAdvertisingData.opcode, [1, 3, 1, 0], returning: missing)
        let refusal = ControllerActivity.Obstacle.unknown(
            LESetExtendedAdvertisingData.opcode, .unknownAdvertisingIdentifier)
        #expect(controller.controller.activity.obstacle == refusal)
    }

    @Test func connectionAttemptAndConnectionAreObstacles() {
        let controller = MonitoredController()
        // The attempt begins with the status of its command.
        _ = controller.observe(MonitoredController.command(LECreateConnection.opcode, []))
        controller.report(CommandStatus(opcode: LECreateConnection.opcode))
        controller.run(LESetAdvertisingEnable.opcode, [1], returning: Self.disallowed)
        #expect(controller.controller.activity.obstacle == .connectionAttempt)
        controller.connect(.central)
        #expect(controller.controller.activity.obstacle == nil)
        #expect(!controller.controller.activity.hasCentral)
        controller.run(LESetAdvertisingEnable.opcode, [1], returning: Self.disallowed)
        #expect(controller.controller.activity.obstacle == .connection)
        controller.disconnect()
        #expect(controller.controller.activity.obstacle == nil)
    }

    @Test func centralsAreCounted() {
        let controller = MonitoredController()
        controller.connect(.peripheral, handle: 64)
        controller.connect(.peripheral, handle: 65)
        controller.disconnect(handle: 64)
        #expect(controller.controller.activity.hasCentral)
        controller.disconnect(handle: 65)
        #expect(!controller.controller.activity.hasCentral)
    }

    /// K10.
    @Test func resetIsCountedAndEndsEverything() {
        let controller = MonitoredController()
        controller.connect(.peripheral)
        controller.scan(true)
        Self.refuseAddress(controller)
        controller.run(HCIReset(), returning: Self.disallowed)
        #expect(controller.controller.activity.resetCount == 0)
        controller.run(HCIReset())
        #expect(controller.controller.activity.resetCount == 1)
        #expect(controller.controller.activity.obstacle == nil)
        #expect(!controller.controller.activity.hasCentral)
    }

    @Test func truncatedPacketsAreIgnored() {
        let controller = MonitoredController()
        for data in [[], [0x05], [0x05, 1, 0], [0x3E], [0x3E, 1, 1], [0x3E, 4, 1, 0, 0x40, 0], [0x0F, 1, 0]]
            as [[UInt8]]
        {
            _ = controller.observe(MonitorPacket(kind: MonitorPacket.event, index: 0, data: data))
            _ = controller.observe(MonitorPacket(kind: MonitorPacket.command, index: 0, data: data))
        }
        #expect(controller.controller.activity.obstacle == nil)
        #expect(!controller.controller.activity.hasCentral)
    }

    /// A run waits for the end of the others: the kernel addresses a set that a controller with one set does not have, for
    /// example, and will do so again.
    @Test(
        arguments: [
            (.commandDisallowed, true), (.memoryCapacityExceeded, true), (.controllerBusy, true),
            (.unknownCommand, false), (.unsupportedFeatureOrParameterValue, false),
            (.invalidCommandParameters, false), (.unknownAdvertisingIdentifier, false),
        ] as [(HCIStatus, Bool)])
    func refusalThatWillBeRepeatedIsNoConditionToWaitFor(_ status: HCIStatus, mayPass: Bool) {
        #expect(ControllerActivity.Obstacle.unknown(LESetAdvertisingSetRandomAddress.opcode, status).mayPass == mayPass)
        #expect(ControllerActivity.Obstacle.scan(.kernel).mayPass)
    }
}
