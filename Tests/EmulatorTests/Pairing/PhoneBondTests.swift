// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Devices
import Foundation
import Profiles
import Radio
import Synchronization
import TestTraits
import Testing

@testable import Emulator
@testable import Persistence

/// The saved bonds of a phone.
@Suite(.realTime, .timeLimit(.minutes(10)))
struct PhoneBondTests {
    /// A radio that receives a bond store, and does nothing else.
    private final class BondedRadio: BondStoringCentralRadio {
        let name = "bonded"
        private let received = Mutex<(keeper: any BondStore, name: BeaconIdentifier)?>(nil)

        var bonds: (keeper: any BondStore, name: BeaconIdentifier)? { received.withLock { $0 } }

        func storeBonds(in store: any BondStore, as central: BeaconIdentifier) async {
            received.withLock { $0 = (store, central) }
        }
        func forgetBond(with device: RemoteAddress) async {}
        func openCentral(waits: Bool) async throws(RadioError) -> ReceivingCapabilities {
            ReceivingCapabilities(name: name, way: "script", address: nil)
        }
        func states() async -> AsyncStream<CentralRadioState> { AsyncStream { $0.finish() } }
        func scan(_ settings: ScanParameters) async throws(RadioError) -> AsyncStream<Sighting> {
            AsyncStream { $0.finish() }
        }
        func stopScanning() async {}
        func connect(to device: RemoteAddress, timeout: Duration) async throws(RadioError) -> any RemoteLink {
            throw RadioError(.refused, "no device answers", hint: "none")
        }
        func close() async {}
    }

    private static func phone(pairing: String = "required") throws -> Phone {
        let text = "phone: iphone\npairing: \(pairing)\nnotifications: [{ id: text, category: social }]\n"
        return Phone(try PhoneProfile(parsing: text, file: "phone.yaml"))
    }

    /// The bond store that a phone gives to its radio.
    private static func keeper(of phone: Phone) async throws -> any BondStore {
        let radio = BondedRadio()
        await phone.introduce(to: radio)
        let bonds = try #require(radio.bonds)
        #expect(bonds.name == identifier)
        return bonds.keeper
    }

    private static let identifier = BeaconIdentifier("iphone")

    @Test func bondsAreSavedForTheNextPhone() async throws {
        let folder = try TemporaryFolder()
        let state = StateFolder(folder.file("state"))
        do {
            let phone = try Self.phone()
            try await phone.openBonds(in: state, resets: false)
            let keeper = try await Self.keeper(of: phone)
            #expect(keeper.secrets(of: Self.identifier) == StoredSecrets())
            #expect(keeper.save(BondFileTests.secrets, of: Self.identifier))
            let path = folder.file("state/.phones/iphone.bonds")
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600, "only the owner can read the keys")
            // One phone at a time may use the bonds.
            let error = await #expect(throws: EmulatorError.self) {
                try await Self.phone().openBonds(in: state, resets: false)
            }
            #expect(error?.message == "the bonds of the phone iphone are in use by process \(getpid())")
            #expect(error?.exitCode == 73)
        }
        let next = try Self.phone()
        try await next.openBonds(in: state, resets: false)
        #expect(try await Self.keeper(of: next).secrets(of: Self.identifier) == BondFileTests.secrets)
    }

    @Test func resetPhoneHasNoBonds() async throws {
        let folder = try TemporaryFolder()
        let state = StateFolder(folder.path)
        try Folder.create(folder.file(".phones"))
        try state.bonds(phone: "iphone").store(BondFileTests.secrets)
        let phone = try Self.phone()
        let events = phone.events.listen()
        try await phone.openBonds(in: state, resets: true)
        #expect(try await Self.keeper(of: phone).secrets(of: Self.identifier) == StoredSecrets())
        #expect(try state.bonds(phone: "iphone").load() == .absent)
        for await event in events {
            let record = EventRecord(event)
            #expect(record.event == "bonds-reset" && record.device == "iphone")
            break
        }
    }

    @Test func withoutAFolderBondsAreNotSaved() async throws {
        let phone = try Self.phone()
        let keeper = try await Self.keeper(of: phone)
        #expect(keeper.save(BondFileTests.secrets, of: Self.identifier))
        #expect(keeper.secrets(of: Self.identifier) == BondFileTests.secrets)
        #expect(try await Self.keeper(of: Self.phone()).secrets(of: Self.identifier) == StoredSecrets())
    }

    @Test func phoneThatDoesNotPairSavesNothing() async throws {
        let folder = try TemporaryFolder()
        let phone = try Self.phone(pairing: "off")
        try await phone.openBonds(in: StateFolder(folder.path), resets: false)
        #expect(folder.names() == [])
    }

    @Test func unusableBondIsReported() async throws {
        let phone = try Self.phone()
        let events = phone.events.listen()
        let warning = Warning(code: "bonds-damaged", message: "it is damaged", hint: "pair again")
        try await Self.keeper(of: phone).warn(warning, of: Self.identifier)
        for await event in events {
            let record = EventRecord(event)
            #expect(record.event == "warning" && record.code == "bonds-damaged" && record.device == "iphone")
            break
        }
    }
}
