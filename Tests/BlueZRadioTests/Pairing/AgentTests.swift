// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import DBus
import Radio
import Synchronization
import Testing

@testable import BlueZRadio

/// The requests of bluetoothd to an agent, and the agent's answers.
@Suite struct AgentTests {
    private static let device: ObjectPath = "/org/bluez/hci0/dev_C0_FF_EE_00_00_02"

    /// Records the requests to an agent, and gives all of them the same answer.
    private final class User: Sendable {
        let requests = Mutex<[AgentRequest]>([])
        let cancelled = Mutex(0)

        func responder(_ answer: PairingAnswer?) -> AgentResponder {
            AgentResponder(
                owner: ":1.2",
                ask: { request, device in
                    #expect(device == AgentTests.device)
                    self.requests.withLock { $0.append(request) }
                    return answer
                }, cancel: { self.cancelled.withLock { $0 += 1 } })
        }
    }

    private static func call(_ member: String, _ arguments: [DBusValue], sender: String = ":1.2") -> MethodCall {
        MethodCall(
            path: "/agent", interface: BlueZAgent.interface, member: member, sender: sender, arguments: arguments)
    }

    private static func reply(
        _ user: User, _ answer: PairingAnswer?, _ member: String, _ arguments: [DBusValue] = [.objectPath(device)],
        sender: String = ":1.2"
    ) async throws -> Result<[DBusValue], DBusError> {
        let method = try #require(user.responder(answer).methods[member])
        return await method(call(member, arguments, sender: sender))
    }

    private static func errorName(_ result: Result<[DBusValue], DBusError>) -> String? {
        if case .failure(let error) = result { error.name } else { nil }
    }

    @Test func passkeyIsNumberOrText() async throws {
        let user = User()
        #expect(try await Self.reply(user, .passkey(42), "RequestPasskey") == .success([.uint32(42)]))
        #expect(try await Self.reply(user, .passkey(42), "RequestPinCode") == .success([.string("000042")]))
        #expect(user.requests.withLock { $0 } == [.passkey, .passkey])
    }

    @Test(arguments: ["RequestAuthorization", "AuthorizeService", "RequestConfirmation"])
    func confirmationIsEmptyReply(_ member: String) async throws {
        let arguments: [DBusValue] = [.objectPath(Self.device), .uint32(123_456)]
        #expect(try await Self.reply(User(), .comparison(true), member, arguments) == .success([]))
        for answer in [PairingAnswer.comparison(false), nil] {
            let refusal = try await Self.reply(User(), answer, member, arguments)
            #expect(Self.errorName(refusal) == "org.bluez.Error.Rejected")
        }
        let cancel = try await Self.reply(User(), .cancel, member, arguments)
        #expect(Self.errorName(cancel) == "org.bluez.Error.Canceled")
    }

    @Test func comparisonHasTheNumber() async throws {
        let user = User()
        _ = try await Self.reply(
            user, .comparison(true), "RequestConfirmation", [.objectPath(Self.device), .uint32(999_999)])
        #expect(user.requests.withLock { $0 } == [.comparison(999_999)])
    }

    /// An answer of another kind declines the request.
    @Test func passkeyDoesNotConfirm() async throws {
        for (member, answer) in [("RequestConfirmation", PairingAnswer.passkey(1))] {
            let refusal = try await Self.reply(User(), answer, member, [.objectPath(Self.device), .uint32(1)])
            #expect(Self.errorName(refusal) == "org.bluez.Error.Rejected")
        }
    }

    @Test func passkeyIsShownOnceWithoutWaiting() async throws {
        let user = User()
        let first: [DBusValue] = [.objectPath(Self.device), .uint32(7), .uint16(0)]
        let second: [DBusValue] = [.objectPath(Self.device), .uint32(7), .uint16(1)]
        #expect(try await Self.reply(user, nil, "DisplayPasskey", first) == .success([]))
        #expect(try await Self.reply(user, nil, "DisplayPasskey", second) == .success([]))
        while user.requests.withLock({ $0.isEmpty }) { await Task.yield() }
        #expect(user.requests.withLock { $0 } == [.show(7)])
    }

    @Test(arguments: ["RequestPasskey", "RequestConfirmation", "RequestAuthorization", "Cancel", "DisplayPasskey"])
    func otherCallersAreRejected(_ member: String) async throws {
        let user = User()
        let arguments: [DBusValue] = [.objectPath(Self.device), .uint32(1), .uint16(0)]
        let reply = try await Self.reply(user, .comparison(true), member, arguments, sender: ":1.3")
        #expect(Self.errorName(reply) == "org.bluez.Error.Rejected")
        #expect(user.requests.withLock { $0.isEmpty } && user.cancelled.withLock { $0 } == 0)
    }

    @Test(arguments: ["RequestPasskey", "RequestConfirmation", "RequestAuthorization", "DisplayPasskey"])
    func invalidArgumentsAreRejected(_ member: String) async throws {
        for arguments in [[], [DBusValue.string("x")], [.uint32(1), .objectPath(Self.device)]] as [[DBusValue]] {
            let reply = try await Self.reply(User(), .comparison(true), member, arguments)
            #expect(Self.errorName(reply) == "org.bluez.Error.Rejected")
        }
    }

    @Test func cancelIsReported() async throws {
        let user = User()
        #expect(try await Self.reply(user, nil, "Cancel", []) == .success([]))
        #expect(user.cancelled.withLock { $0 } == 1)
    }

    @Test(
        arguments: [
            (.none, "NoInputNoOutput"), (.display, "DisplayOnly"), (.displayYesNo, "DisplayYesNo"),
            (.keyboard, "KeyboardOnly"), (.keyboardDisplay, "KeyboardDisplay"),
        ] as [(PairingSettings.InputOutput, String)])
    func capabilityHasTheNameOfBlueZ(_ inputOutput: PairingSettings.InputOutput, _ name: String) {
        #expect(inputOutput.agentCapability == name)
    }

    // MARK: - Central

    @Test func settingsAnswerBeforeTheUser() async {
        let settings = PairingSettings(inputOutput: .keyboardDisplay, passkey: 9, comparison: .reject)
        func answer(_ request: AgentRequest, _ settings: PairingSettings) async -> PairingAnswer {
            await BlueZRemoteLink.answer(request, settings) { question in
                #expect(question == .passkey || question == .comparison(5) || question == .showPasskey(6))
                return .cancel
            }
        }
        #expect(await answer(.passkey, settings) == .passkey(9))
        #expect(await answer(.comparison(5), settings) == .comparison(false))
        #expect(await answer(.pairing, settings) == .comparison(true))
        #expect(await answer(.passkey, PairingSettings()) == .cancel)
        #expect(await answer(.comparison(5), PairingSettings()) == .cancel)
        #expect(await answer(.show(6), PairingSettings()) == .cancel)
    }

    @Test(
        arguments: [
            ("AuthenticationCanceled", .cancelled), ("AuthenticationTimeout", .timedOut),
            ("AuthenticationRejected", .unspecified), ("AuthenticationFailed", .unspecified),
            ("ConnectionAttemptFailed", .disconnected), ("InProgress", .busy), ("Nonsense", .unspecified),
        ] as [(String, PairingError.Code)])
    func errorOfPairHasCode(_ name: String, _ code: PairingError.Code) {
        #expect(PairingError(DBusError(name: "org.bluez.Error.\(name)", message: "words")).code == code)
    }

    @Test(
        arguments: [
            (0x05, .unspecified), (0x08, .timedOut), (0x10, .cancelled), (0x0E, .disconnected), (0xFF, .unspecified),
        ] as [(UInt8, PairingError.Code)])
    func managementStatusHasCode(_ status: UInt8, _ code: PairingError.Code) {
        #expect(PairingError(managementStatus: status).code == code)
    }
}

@Suite struct CharacteristicFlagTests {
    @Test(
        arguments: [
            ([.read, .write, .notify], .open, ["read", "write", "notify"]),
            ([.read], AttributePermissions(read: .encryption), ["encrypt-read"]),
            ([.read], AttributePermissions(read: [.encryption, .authentication]), ["encrypt-authenticated-read"]),
            ([.write], AttributePermissions(write: .encryption), ["write", "encrypt-write"]),
            (
                [.writeWithoutResponse], AttributePermissions(write: .authentication),
                ["write-without-response", "encrypt-authenticated-write"]
            ),
            ([.notify], AttributePermissions(subscribe: .encryption), ["notify", "encrypt-notify"]),
            (
                [.indicate], AttributePermissions(subscribe: .authentication),
                ["indicate", "encrypt-authenticated-indicate"]
            ),
            ([.write], AttributePermissions(write: .authorization), ["write", "authorize"]),
            ([.read], AttributePermissions(read: .authorization), ["read", "authorize"]),
        ] as [(CharacteristicProperties, AttributePermissions, [String])])
    func flagsIncludeRequiredSecurity(
        _ properties: CharacteristicProperties, _ permissions: AttributePermissions, _ flags: [String]
    ) {
        let characteristic = GATTCharacteristic(
            uuid: .bit16(0x2A00), properties: properties, permissions: permissions)
        #expect(characteristic.daemonFlags == flags)
    }
}
