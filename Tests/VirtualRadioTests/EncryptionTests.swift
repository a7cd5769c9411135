// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI
import Testing
import VirtualRadio

@Suite struct EncryptionTests {
    private static let key = Octets<16>(padding: [UInt8](1...16))

    private func askForKey(_ bench: inout Bench, _ pair: Bench.Pair) {
        bench.expectSuccess(
            LEEnableEncryption(
                connectionHandle: pair.centralHandle, randomNumber: 7, encryptedDiversifier: 8,
                longTermKey: Self.key), pair.central)
        bench.run(milliseconds: 100)
        #expect(
            bench.takeEvents(LELongTermKeyRequest.self, pair.peripheral) == [
                LELongTermKeyRequest(
                    connectionHandle: pair.peripheralHandle, randomNumber: 7, encryptedDiversifier: 8)
            ])
    }

    @Test func sameKeyEncrypts() throws {
        var bench = Bench()
        let pair = try bench.connect()
        askForKey(&bench, pair)
        reply(&bench, pair)
        bench.run(milliseconds: 200)
        for identifier in [pair.central, pair.peripheral] {
            let changes = bench.takeEvents(EncryptionChange.self, identifier)
            #expect(changes.map(\.encryptionEnabled) == [1] && changes.map(\.status) == [.success])
        }
        // A second time: the key is refreshed.
        askForKey(&bench, pair)
        reply(&bench, pair)
        bench.run(milliseconds: 200)
        for identifier in [pair.central, pair.peripheral] {
            #expect(bench.takeEvents(EncryptionKeyRefreshComplete.self, identifier).count == 1)
        }
    }

    /// Encryption starts in three connection events (Core 5.4, Vol 6, Part B, 5.1.3.1), and data waits for the last one.
    @Test func encryptionStartsInConnectionEvents() throws {
        var bench = Bench()
        let pair = try bench.connect()
        askForKey(&bench, pair)
        bench.sendData([1], pair.centralHandle, pair.central)
        reply(&bench, pair)
        // Tens of milliseconds after the key; the interval is 30 ms.
        var times: [String: Int] = [:]
        for time in 0..<30 {
            if !bench.takeEvents(EncryptionChange.self, pair.peripheral).isEmpty { times["peripheral"] = time }
            if !bench.takeEvents(EncryptionChange.self, pair.central).isEmpty { times["central"] = time }
            if !bench.takeData(pair.peripheral).isEmpty { times["data"] = time }
            bench.run(milliseconds: 10)
        }
        let peripheral = try #require(times["peripheral"])
        #expect((4...6).contains(peripheral), "the second connection event")
        #expect(times["central"] == peripheral + 3 && times["data"] == peripheral + 3)
    }

    @Test func wrongKeyEndsTheLink() throws {
        var bench = Bench()
        let pair = try bench.connect()
        askForKey(&bench, pair)
        reply(&bench, pair, .zero)
        bench.run(milliseconds: 200)
        for identifier in [pair.central, pair.peripheral] {
            #expect(
                bench.takeEvents(DisconnectionComplete.self, identifier).map(\.reason)
                    == [.connectionTerminatedMICFailure])
        }
    }

    @Test func missingKeyLeavesTheLinkUnencrypted() throws {
        var bench = Bench()
        let pair = try bench.connect()
        askForKey(&bench, pair)
        bench.expectSuccess(
            LELongTermKeyRequestNegativeReply(connectionHandle: pair.peripheralHandle), pair.peripheral)
        #expect(bench.takeEvents(EncryptionChange.self, pair.central).map(\.status) == [.pinOrKeyMissing])
        bench.sendData([1], pair.centralHandle, pair.central)
        bench.run(milliseconds: 100)
        #expect(bench.takeData(pair.peripheral).map(\.payload) == [[1]])
    }

    private func reply(_ bench: inout Bench, _ pair: Bench.Pair, _ key: Octets<16> = key) {
        bench.expectSuccess(
            LELongTermKeyRequestReply(connectionHandle: pair.peripheralHandle, longTermKey: key), pair.peripheral)
    }

    @Test(arguments: [false, true]) func dataWaitsForTheKey(isRefused: Bool) throws {
        var bench = Bench()
        let pair = try bench.connect()
        askForKey(&bench, pair)
        bench.sendData([1], pair.centralHandle, pair.central)
        bench.sendData([2], pair.peripheralHandle, pair.peripheral)
        bench.run(milliseconds: 500)
        #expect(bench.takeData(pair.peripheral).isEmpty && bench.takeData(pair.central).isEmpty)
        if isRefused {
            bench.expectSuccess(
                LELongTermKeyRequestNegativeReply(connectionHandle: pair.peripheralHandle), pair.peripheral)
        } else {
            reply(&bench, pair)
        }
        bench.run(milliseconds: 300)
        #expect(bench.takeData(pair.peripheral).map(\.payload) == [[1]])
        #expect(bench.takeData(pair.central).map(\.payload) == [[2]])
    }

    @Test func otherProceduresWaitForTheKey() throws {
        var bench = Bench()
        let pair = try bench.connect()
        askForKey(&bench, pair)
        bench.expectSuccess(LEReadRemoteFeatures(connectionHandle: pair.centralHandle), pair.central)
        bench.run(milliseconds: 500)
        #expect(bench.takeEvents(LEReadRemoteFeaturesComplete.self, pair.central).isEmpty)
        reply(&bench, pair)
        bench.run(milliseconds: 300)
        #expect(bench.takeEvents(LEReadRemoteFeaturesComplete.self, pair.central).count == 1)
    }

    @Test func linkEndsWithUndeliveredData() throws {
        var bench = Bench()
        let pair = try bench.connect()
        askForKey(&bench, pair)
        bench.sendData([1], pair.centralHandle, pair.central)
        bench.expectSuccess(
            Disconnect(connectionHandle: pair.centralHandle, reason: .remoteUserTerminatedConnection), pair.central)
        bench.run(milliseconds: 100)
        #expect(
            bench.takeEvents(DisconnectionComplete.self, pair.peripheral).map(\.reason)
                == [.remoteUserTerminatedConnection])
        #expect(bench.takeData(pair.peripheral).isEmpty)
    }

    @Test func hostThatDoesNotAnswerLosesTheLink() throws {
        var bench = Bench()
        let pair = try bench.connect()
        askForKey(&bench, pair)
        bench.run(milliseconds: 39_800)
        #expect(bench.takeEvents(DisconnectionComplete.self, pair.central).isEmpty)
        bench.run(milliseconds: 400)
        for identifier in [pair.central, pair.peripheral] {
            #expect(
                bench.takeEvents(DisconnectionComplete.self, identifier).map(\.reason) == [.lmpOrLLResponseTimeout])
        }
    }

    @Test func encryptedLinkEndsWithoutItsKey() throws {
        var bench = Bench()
        let pair = try bench.connect()
        askForKey(&bench, pair)
        reply(&bench, pair)
        bench.run(milliseconds: 200)
        askForKey(&bench, pair)
        bench.expectSuccess(
            LELongTermKeyRequestNegativeReply(connectionHandle: pair.peripheralHandle), pair.peripheral)
        for identifier in [pair.central, pair.peripheral] {
            #expect(bench.takeEvents(DisconnectionComplete.self, identifier).map(\.reason) == [.pinOrKeyMissing])
        }
    }

    /// If the key is refused, the link ends in the connection event in which the requested disconnection would end it,
    /// too.
    @Test func disconnectedLinkWithoutItsKeyEndsOnce() throws {
        var bench = Bench()
        let pair = try bench.connect()
        askForKey(&bench, pair)
        reply(&bench, pair)
        bench.run(milliseconds: 200)
        bench.prepare(pair.peripheral, masked: [0x05])
        bench.expectSuccess(
            LEEnableEncryption(
                connectionHandle: pair.centralHandle, randomNumber: 7, encryptedDiversifier: 8,
                longTermKey: Self.key), pair.central)
        bench.expectSuccess(Disconnect(connectionHandle: pair.centralHandle), pair.central)
        bench.run(milliseconds: 100)
        for identifier in [pair.central, pair.peripheral] {
            #expect(bench.takeEvents(DisconnectionComplete.self, identifier).map(\.reason) == [.pinOrKeyMissing])
        }
    }

    @Test func hostWithDisabledEventHasNoKey() throws {
        var bench = Bench()
        let pair = try bench.connect(masked: [0x05, 0x06, 0x0A])
        bench.expectSuccess(
            LEEnableEncryption(
                connectionHandle: pair.centralHandle, randomNumber: 0, encryptedDiversifier: 0, longTermKey: Self.key),
            pair.central)
        bench.run(milliseconds: 100)
        let changes = bench.takeEvents(EncryptionChange.self, pair.central)
        #expect(changes.map(\.status) == [.pinOrKeyMissing] && changes.map(\.encryptionEnabled) == [0])
        #expect(bench.takeEvents(EncryptionChange.self, pair.peripheral).isEmpty)
    }

    @Test func onlyTheCentralRequestsAndOnlyThePeripheralAnswers() throws {
        var bench = Bench()
        let pair = try bench.connect()
        #expect(
            bench.send(
                LEEnableEncryption(
                    connectionHandle: pair.peripheralHandle, randomNumber: 0, encryptedDiversifier: 0,
                    longTermKey: Self.key), pair.peripheral) == .commandDisallowed)
        #expect(
            bench.send(
                LELongTermKeyRequestReply(connectionHandle: pair.peripheralHandle, longTermKey: Self.key),
                pair.peripheral) == .commandDisallowed)
        askForKey(&bench, pair)
        #expect(
            bench.send(
                LELongTermKeyRequestReply(connectionHandle: pair.centralHandle, longTermKey: Self.key), pair.central)
                == .commandDisallowed)
    }

    @Test func debugKeyMatchesTheSpecification() throws {
        var bench = Bench()
        let (one, other) = (bench.add(1), bench.add(2))
        bench.expectSuccess(LEReadLocalP256PublicKey(), one)
        let key = try #require(bench.takeEvents(LEReadLocalP256PublicKeyComplete.self, one).first)
        func bytes(_ text: String) throws -> Octets<32> {
            Octets(padding: try Hexadecimal.bytes(text).reversed())
        }
        // Core 5.4, Vol 3, Part H, 2.3.5.6.1.
        let debugX = try bytes("20B003D2F297BE2C5E2C83A7E9F9A5B9EFF49111ACF4FDDBCC0301480E359DE6")
        let debugY = try bytes("DC809C49652AEB6D63329ABF5A52155C766345C28FED3024741C8ED01589D28B")
        bench.expectSuccess(LEGenerateDHKey(keyXCoordinate: debugX, keyYCoordinate: debugY), one)
        bench.expectSuccess(
            LEGenerateDHKeyVersion2(
                keyXCoordinate: key.keyXCoordinate, keyYCoordinate: key.keyYCoordinate, keyType: 1), other)
        let shared = bench.takeEvents(LEGenerateDHKeyComplete.self, one)
        #expect(shared.map(\.status) == [.success])
        #expect(bench.takeEvents(LEGenerateDHKeyComplete.self, other) == shared)
        #expect(
            bench.send(
                LEGenerateDHKeyVersion2(keyXCoordinate: debugX, keyYCoordinate: debugY, keyType: 0), other)
                == .commandDisallowed)
        #expect(
            bench.send(
                LEGenerateDHKeyVersion2(keyXCoordinate: debugX, keyYCoordinate: debugY, keyType: 2), other)
                == .invalidCommandParameters)
    }

    /// Hosts resolve addresses: the controller claims neither the commands nor the feature.
    @Test func addressResolutionIsNotClaimed() throws {
        var bench = Bench()
        let controller = bench.add(1)
        let commands = try bench.returned(ReadLocalSupportedCommands(), controller).supportedCommands
        for opcode in [LEAddDeviceToResolvingList.opcode, LESetAddressResolutionEnable.opcode] {
            #expect(commands.contains(opcode) == false)
            let answer = bench.sendPacket(HCICommandPacket(opcode: opcode, parameters: []), controller)
            #expect(answer?.status == .unknownCommand)
        }
        let features = try bench.returned(LEReadLocalSupportedFeatures(), controller).features
        #expect(!features.contains(.privacy) && features.contains(.encryption))
    }
}
