// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI
import Testing
import VirtualRadio

/// The commands with which Bluetooth of Android 13, 14 and 16 starts, and what it requires of the answers.
@Suite struct AndroidStartTests {
    enum Version: Int, CaseIterable, Sendable {
        case android13 = 13
        case android14 = 14
        case android16 = 16
    }

    /// What a failure does to the stack.
    enum Requirement: Hashable, Sendable {
        /// The stack aborts unless it succeeds.
        case asserted
        /// The stack sends it only if the bit among the supported commands is set, and aborts unless it succeeds.
        case assertedIfAnnounced
        /// A failure is logged.
        case tolerated
    }

    struct Step: Sendable {
        let opcode: UInt16
        let parameters: [UInt8]
        let requirement: Requirement

        init(_ opcode: UInt16, _ requirement: Requirement, _ parameters: [UInt8] = []) {
            self.opcode = opcode
            self.parameters = parameters
            self.requirement = requirement
        }
    }

    private static let allEvents = [UInt8](repeating: 0xFF, count: 7) + [0x3D]
    private static let address: [UInt8] = [6, 5, 4, 3, 2, 0xC0]

    /// Bits of commands that this program does not have.
    private static let bits: [UInt16: (octet: Int, bit: Int)] = [
        0x0C7A: (32, 3), 0x0C84: (45, 7), 0x2027: (34, 3), 0x2029: (34, 5), 0x202A: (34, 6), 0x202D: (35, 1),
        0x202E: (35, 2), 0x204A: (38, 6), 0x2074: (44, 1),
    ]

    /// The start of the controller; then addresses, classic settings and a scan.
    static func steps(_ version: Version) -> [Step] {
        // Masks, LE host support and Simple Pairing are asserted up to Android 13.
        let settings: Requirement = version == .android13 ? .asserted : .tolerated
        var steps = [Step(0x0C03, .asserted), Step(0x0C01, settings, allEvents)]
        if version == .android16 { steps.append(Step(0x0C63, .tolerated, [0, 0, 0x80, 0, 0, 0, 0, 0])) }
        steps += [
            Step(0x0C6D, settings, [1, 0]), Step(0x0C14, .asserted), Step(0x1001, .asserted), Step(0x1002, .asserted),
            Step(0x2003, .asserted), Step(0x201C, .asserted), Step(0x1004, .asserted, [0]),
            Step(0x1004, .asserted, [1]), Step(0x2001, settings, [0xFF, 0xFF, 0xFF, 0x0F, 0, 0, 0, 0]),
            Step(0x1005, .asserted), Step(0x0C84, .assertedIfAnnounced, [7]), Step(0x2002, .asserted),
            Step(0x2060, .assertedIfAnnounced), Step(0x100B, .assertedIfAnnounced), Step(0x200F, .asserted),
            Step(0x202A, .assertedIfAnnounced), Step(0x202F, .assertedIfAnnounced), Step(0x0C56, settings, [1]),
            Step(0x0C7A, .assertedIfAnnounced, [1]), Step(0x2023, .assertedIfAnnounced),
            Step(0x203A, .assertedIfAnnounced), Step(0x203B, .assertedIfAnnounced),
            Step(0x204A, .assertedIfAnnounced), Step(0x2074, .assertedIfAnnounced, [0x20, 1]),
            Step(0x0C5A, .tolerated), Step(0x0C5B, .tolerated, [1]), Step(0xFD53, .tolerated),
            Step(0x1009, .asserted),
        ]
        return steps + addresses + classicSettings + scanning
    }

    private static let addresses = [
        Step(0x2029, .tolerated), Step(0x202D, .tolerated, [1]), Step(0x202E, .tolerated, [0x84, 0x03]),
        Step(0x2010, .tolerated), Step(0x2005, .tolerated, address), Step(0x2018, .tolerated),
        Step(0x2024, .tolerated, [251, 0, 0x48, 0x08]), Step(0x2031, .tolerated, [0, 3, 3]),
    ]

    private static let classicSettings = [
        Step(0x080F, .tolerated, [0x05, 0x00]), Step(0x0C18, .tolerated, [0x00, 0x20]),
        Step(0x0C24, .tolerated, [0x0C, 0x02, 0x5A]), Step(0x0C1A, .tolerated, [0]),
        Step(0x0C1E, .tolerated, [0x00, 0x08, 0x12, 0x00]), Step(0x0C1C, .tolerated, [0x00, 0x04, 0x12, 0x00]),
        Step(0x0C45, .tolerated, [2]), Step(0x0C43, .tolerated, [1]), Step(0x0C47, .tolerated, [1]),
        Step(0x0C52, .tolerated, [UInt8](repeating: 0, count: 241)),
        Step(0x0C3A, .tolerated, [1, 0x33, 0x8B, 0x9E]), Step(0x0C12, .tolerated, [0, 0, 0, 0, 0, 0, 1]),
        Step(0x0C26, .tolerated, [0x60, 0x00]), Step(0x0C05, .tolerated, [0]), Step(0x0C20, .tolerated, [0]),
        Step(0x100C, .tolerated), Step(0x0C13, .tolerated, Octets<248>(padding: "Pixel".utf8).bytes),
        Step(0x0C1A, .tolerated, [2]), Step(0x0C1A, .tolerated, [3]),
    ]

    private static let scanning = [
        Step(0x2041, .tolerated, [1, 0, 1, 1, 0xA0, 0x00, 0xA0, 0x00]), Step(0x2042, .tolerated, [1, 0, 0, 0, 0, 0]),
        Step(0x2042, .tolerated, [0, 0, 0, 0, 0, 0]),
        Step(0x2036, .tolerated, [0, 0x13, 0, 0xA0, 0, 0, 0xA0, 0, 0, 7, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 1, 0, 0]),
        Step(0x2035, .tolerated, [0] + address), Step(0x2037, .tolerated, [0, 3, 1, 3, 2, 1, 6]),
        Step(0x2039, .tolerated, [1, 1, 0, 0, 0, 0]), Step(0x2039, .tolerated, [0, 1, 0, 0, 0, 0]),
        Step(0x203C, .tolerated, [0]),
    ]

    /// The only commands that may fail: vendor capabilities, and privacy in the controller, which is not announced.
    private static let mayFail: Set<UInt16> = [0xFD53, 0x2029, 0x202D, 0x202E]

    @Test(arguments: Version.allCases, ["dual-mode", "dual-mode+slow:20", "dual-mode+sets:4+strict-random"])
    func stackStarts(_ version: Version, _ character: String) throws {
        var bench = Bench()
        let controller = bench.air.addController(
            ControllerConfiguration(publicAddress: Bench.address(1), character: try ControllerCharacter(character)))
        var supported = SupportedCommands()
        var features: LMPFeatures = []
        for step in Self.steps(version) {
            let opcode = HCIOpcode(rawValue: step.opcode)
            let isAnnounced = Self.isAnnounced(opcode, supported)
            if step.requirement == .assertedIfAnnounced, !isAnnounced { continue }
            bench.air.receive(
                .command(HCICommandPacket(opcode: opcode, parameters: step.parameters)), from: controller)
            bench.run(milliseconds: 50)
            let complete = try #require(try Self.answer(to: opcode, bench.takePackets(controller)))
            let words = "\(version): \(opcode.name)"
            if Self.mayFail.contains(step.opcode) {
                #expect(!isAnnounced && complete.returnParameters == [HCIStatus.unknownCommand.rawValue], "\(words)")
            } else {
                #expect(complete.status == .success, "\(words)")
            }
            try Self.checkCounts(complete)
            if step.opcode == 0x1002 {
                let returned = try #require(try complete.returned(of: ReadLocalSupportedCommands.self))
                supported = returned.supportedCommands
            } else if step.opcode == 0x1004, step.parameters == [0] {
                let returned = try #require(try complete.returned(of: ReadLocalExtendedFeatures.self))
                features = LMPFeatures(rawValue: returned.extendedLMPFeatures)
            }
        }
        // Secure Connections must be announced with the command that the stack asserts then.
        #expect(features.contains(.simplePairing) && features.contains(.lowEnergy))
        #expect(!Self.isAnnounced(HCIOpcode(rawValue: 0x0C7A), supported))
    }

    /// The stack accepts a Command Complete event for the command that it waits for, and no event that it does not know.
    private static func answer(to opcode: HCIOpcode, _ packets: [HCIPacket]) throws -> HCICommandComplete? {
        var answer: HCICommandComplete?
        for case .event(let event) in packets {
            if let status = try? event.parameters(as: CommandStatus.self) {
                #expect(status.opcode == .none && status.status == .success, "\(opcode.name)")
                continue
            }
            let complete = try event.parameters(as: HCICommandComplete.self)
            #expect(complete.opcode == opcode && answer == nil)
            answer = complete
        }
        return answer
    }

    /// Buffers and lists that the stack asserts not to be empty.
    private static func checkCounts(_ complete: HCICommandComplete) throws {
        switch complete.opcode {
        case ReadBufferSize.opcode:
            let buffers = try #require(try complete.returned(of: ReadBufferSize.self))
            #expect(buffers.aclDataPacketLength > 0 && buffers.totalACLDataPackets > 0)
        case LEReadBufferSize.opcode:
            let buffers = try #require(try complete.returned(of: LEReadBufferSize.self))
            #expect(buffers.aclDataPacketLength > 0 && buffers.totalACLDataPackets > 0)
        case LEReadBufferSizeV2.opcode:
            let buffers = try #require(try complete.returned(of: LEReadBufferSizeV2.self))
            #expect(buffers.aclDataPacketLength > 0 && buffers.totalACLDataPackets > 0)
        case LEReadFilterAcceptListSize.opcode:
            let list = try #require(try complete.returned(of: LEReadFilterAcceptListSize.self))
            #expect(list.filterAcceptListSize > 0)
        default: break
        }
    }

    private static func isAnnounced(_ opcode: HCIOpcode, _ supported: SupportedCommands) -> Bool {
        if let isAnnounced = supported.contains(opcode) { return isAnnounced }
        return bits[opcode.rawValue].map { supported.octets[$0.octet] >> $0.bit & 1 == 1 } ?? false
    }

    /// A controller for LE only does not pass.
    @Test func listHasCommandsThatControllersOfLEOnlyDoNotHave() {
        var bench = Bench()
        let controller = bench.add(1)
        for version in Version.allCases {
            let missing = Self.steps(version).filter { step in
                let packet = HCICommandPacket(
                    opcode: HCIOpcode(rawValue: step.opcode), parameters: step.parameters)
                return bench.sendPacket(packet, controller)?.status == .unknownCommand
                    && !Self.mayFail.contains(step.opcode) && Self.bits[step.opcode] == nil
            }
            #expect(missing.count >= 18)
            #expect(
                missing.contains { $0.opcode == 0x0C56 && ($0.requirement == .asserted) == (version == .android13) })
        }
    }
}
