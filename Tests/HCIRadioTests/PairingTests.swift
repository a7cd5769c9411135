// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import HCIRadio
import Radio
import Synchronization
import TestTraits
import Testing
import VirtualRadio

/// Beacons that pair on a virtual air, and a central that joins it over TCP: both ends are our own radio.
@Suite(.realTime, .timeLimit(.minutes(10)))
struct PairingTests {
    private static let value = BluetoothUUID.bit16(0xFFF1)
    private static let address = BluetoothAddress("C0:FF:EE:00:00:01") ?? .zero
    private static let device = RemoteAddress(address, isRandom: true)
    private static let identifier = BeaconIdentifier("lock")

    /// A store in memory, which may refuse to save.
    final class Store: BondStore {
        private let secrets = Mutex<[BeaconIdentifier: StoredSecrets]>([:])
        private let reported = Mutex<[Warning]>([])
        private let refuses: Bool

        init(refuses: Bool = false) { self.refuses = refuses }

        func secrets(of beacon: BeaconIdentifier) -> StoredSecrets {
            secrets.withLock { $0[beacon] ?? StoredSecrets() }
        }
        func save(_ new: StoredSecrets, of beacon: BeaconIdentifier) -> Bool {
            guard !refuses else { return false }
            secrets.withLock { $0[beacon] = new }
            return true
        }
        func warn(_ warning: Warning, of beacon: BeaconIdentifier) { reported.withLock { $0.append(warning) } }

        /// The warnings about bonds that could not be used.
        var warnings: [Warning] { reported.withLock { $0 } }
    }

    /// A beacon and a central on one air.
    private struct Scene {
        let radio: VirtualAirRadio
        let central: HCIRadio
        let reports: Reports

        /// Requests encryption of the central that connected last.
        func secure() async throws {
            let link = try await radio.link(to: try #require(await reports.connected()))
            try await #require(link as? any SecuringLink).secure()
        }

        func link(to device: RemoteAddress = PairingTests.device) async throws -> any PairingLink {
            try #require(try await central.connect(to: device, timeout: .seconds(300)) as? any PairingLink)
        }
    }

    /// The pairing events of a radio.
    private final class Reports: Sendable {
        private let pairings: AsyncStream<PairingEvent>
        private let names = Mutex<[String]>([])
        private let connections: AsyncStream<String>
        private let connectedName = Mutex<String?>(nil)

        /// The central that has connected; waits for it.
        func connected() async -> String? {
            if let name = connectedName.withLock({ $0 }) { return name }
            for await name in connections { return name }
            return nil
        }

        /// The central of the last event.
        var central: String { names.withLock { $0.last ?? "" } }

        init(_ radio: VirtualAirRadio) {
            let (stream, continuation) = AsyncStream.makeStream(of: PairingEvent.self)
            pairings = stream
            let (connections, connecting) = AsyncStream.makeStream(of: String.self)
            self.connections = connections
            Task {
                for await event in radio.events {
                    switch event {
                    case .connected(_, let central):
                        connectedName.withLock { $0 = central }
                        connecting.yield(central)
                    case .pairing(_, let central, let event):
                        names.withLock { $0.append(central) }
                        continuation.yield(event)
                    default: break
                    }
                }
                continuation.finish()
                connecting.finish()
            }
        }

        /// The first event of a kind from now on.
        func first(_ isWanted: @Sendable (PairingEvent) -> Bool) async -> PairingEvent? {
            for await event in pairings where isWanted(event) { return event }
            return nil
        }
    }

    private static func plan(_ pairing: PairingSettings?) -> HostedBeacon {
        let service = GATTService(
            uuid: .bit16(0xFFF0),
            characteristics: [
                GATTCharacteristic(
                    uuid: value, properties: .read, permissions: AttributePermissions(read: .encryption))
            ])
        let advertisement = Advertisement(
            pdu: .connectableScannable, advertisingData: AdvertisingData([.flags(.beacon)]),
            interval: AdvertisingInterval(32), address: address)
        var plan = HostedBeacon(identifier: identifier, services: [service], advertisement: advertisement)
        plan.pairing = pairing
        return plan
    }

    private static func with(
        _ pairing: PairingSettings?, store: Store = Store(), _ body: (Scene) async throws -> Void
    ) async throws {
        let radio = VirtualAirRadio(
            VirtualAirOptions(timing: .immediate, servers: [.local()]))
        await radio.storeBonds(in: store)
        let plan = plan(pairing)
        let capabilities = try await radio.open([plan], waits: false) { _ in .success([1, 2, 3]) }
        let port = try #require(capabilities.servers.first?.split(separator: ":").last.flatMap { Int($0) })
        await radio.advertise(plan.advertisement, for: identifier)
        let central = HCIRadio(.tcp(host: "127.0.0.1", port: port), commandTimeout: .seconds(300))
        _ = try await central.openCentral(waits: false)
        let scene = Scene(radio: radio, central: central, reports: Reports(radio))
        do {
            try await body(scene)
        } catch {
            await central.close()
            await radio.close()
            throw error
        }
        await central.close()
        await radio.close()
    }

    private static func read(_ link: any RemoteLink) async throws -> [UInt8] {
        let service = try #require(try await link.discoverServices([.bit16(0xFFF0)]).first)
        let characteristic = try #require(try await link.discoverCharacteristics(of: service).first)
        return try await link.read(characteristic.value)
    }

    @Test func protectedValuesAreReadAfterPairing() async throws {
        let store = Store()
        try await Self.with(PairingSettings(), store: store) { scene in
            let link = try await scene.link()
            await #expect(throws: RemoteError.refused(.insufficientAuthentication)) { try await Self.read(link) }
            let protection = try await link.pair(PairingSettings()) { _ in .cancel }
            #expect(protection == LinkProtection(isAuthenticated: false, keySize: 16, isBonded: true))
            #expect(try await Self.read(link) == [1, 2, 3])
            guard case .paired(let peer) = await scene.reports.first({ if case .paired = $0 { true } else { false } })
            else { return }
            #expect(peer.isBonded && peer.usesSecureConnections == true)
            #expect(store.secrets(of: Self.identifier).bonds.map(\.peer) == [peer])
            // Encrypts again, with the saved keys.
            await link.disconnect()
            let second = try await scene.link()
            #expect(try await second.pair(PairingSettings()) { _ in .cancel } == protection)
            #expect(try await Self.read(second) == [1, 2, 3])
        }
    }

    /// The beacon requests encryption, and the central answers without a call of `pair`; the second time with the bond.
    @Test func requestOfTheBeaconIsAnswered() async throws {
        try await Self.with(PairingSettings()) { scene in
            for isFirst in [true, false] {
                let link = try await scene.link()
                try await scene.secure()
                var encryption = try #require(link as? any EncryptedLink).encryption.makeAsyncIterator()
                let protection = LinkProtection(isAuthenticated: false, keySize: 16, isBonded: true)
                #expect(try await encryption.next()?.get() == protection)
                #expect(try await Self.read(link) == [1, 2, 3])
                if isFirst {
                    #expect(await scene.reports.first { if case .paired = $0 { true } else { false } } != nil)
                }
                await link.disconnect()
            }
        }
    }

    /// The handler has the settings and the answers; what it does not answer is refused.
    @Test func requestOfTheBeaconIsAnsweredByTheHandler() async throws {
        let settings = PairingSettings(inputOutput: .display, passkey: 7, requiresAuthentication: true)
        try await Self.with(settings) { scene in
            await scene.central.setSecurityRequestHandler(.refusing)
            let link = try await scene.link()
            await #expect(throws: RemoteError.self) { try await scene.secure() }
            await scene.central.setSecurityRequestHandler(
                .pairing(PairingSettings(inputOutput: .keyboard)) { device, question in
                    device == Self.device && question == .passkey ? .passkey(7) : .cancel
                })
            try await scene.secure()
            #expect(try await Self.read(link) == [1, 2, 3])
        }
    }

    /// A pairing that the user requests meanwhile follows that of the device, and may be stronger.
    @Test func pairingOfTheUserFollowsThatOfTheBeacon() async throws {
        try await Self.with(PairingSettings(inputOutput: .display, passkey: 7)) { scene in
            let link = try await scene.link()
            let (asked, asking) = AsyncStream.makeStream(of: Void.self)
            let (go, going) = AsyncStream.makeStream(of: Void.self)
            await scene.central.setSecurityRequestHandler(
                .pairing(PairingSettings(inputOutput: .keyboard)) { _, _ in
                    asking.yield()
                    for await _ in go { break }
                    return .passkey(8)
                })
            async let secured: Void? = try? scene.secure()
            for await _ in asked { break }
            let own = PairingSettings(inputOutput: .keyboard, requiresAuthentication: true)
            async let outcome = Self.outcome(link, own) { _ in .passkey(7) }
            going.yield()
            // The wrong passkey ends the first; the second must wait after it.
            #expect(await outcome.failure?.code == .repeatedAttempts)
            _ = await secured
        }
    }

    @Test(arguments: PairingSettings.Requirement.allCases)
    func passkeyOfTheBeaconIsEntered(_ secureConnections: PairingSettings.Requirement) async throws {
        let settings = PairingSettings(
            inputOutput: .display, passkey: 7, requiresAuthentication: true, secureConnections: secureConnections)
        try await Self.with(settings) { scene in
            let link = try await scene.link()
            let protection = try await link.pair(PairingSettings(inputOutput: .keyboard)) { question in
                #expect(question == .passkey)
                return .passkey(7)
            }
            #expect(protection.isAuthenticated == true)
        }
    }

    @Test func passkeyOfTheCentralIsEnteredOnTheBeacon() async throws {
        try await Self.with(PairingSettings(inputOutput: .keyboard)) { scene in
            let link = try await scene.link()
            let shown = AsyncStream.makeStream(of: UInt32.self)
            async let paired = link.pair(PairingSettings(inputOutput: .display)) { question in
                if case .showPasskey(let passkey) = question { shown.continuation.yield(passkey) }
                return .comparison(true)
            }
            _ = await scene.reports.first { $0 == .passkeyWanted }
            var numbers = shown.stream.makeAsyncIterator()
            let passkey = try #require(await numbers.next())
            await scene.radio.answerPairing(.passkey(passkey), of: scene.reports.central)
            #expect(try await paired.isAuthenticated == true)
        }
    }

    @Test(arguments: [true, false]) func numbersAreCompared(areEqual: Bool) async throws {
        let settings = PairingSettings(inputOutput: .displayYesNo, secureConnections: .required)
        try await Self.with(settings) { scene in
            let link = try await scene.link()
            async let outcome = Self.outcome(link, PairingSettings(inputOutput: .displayYesNo, comparison: .accept))
            guard
                case .comparisonWanted = await scene.reports.first({
                    if case .comparisonWanted = $0 { true } else { false }
                })
            else { return }
            await scene.radio.answerPairing(.comparison(areEqual), of: scene.reports.central)
            switch await outcome {
            case .success(let protection): #expect(areEqual && protection.isAuthenticated == true)
            case .failure(let error): #expect(!areEqual && error.code == .comparisonFailed)
            }
        }
    }

    private static func outcome(
        _ link: any PairingLink, _ settings: PairingSettings,
        answer: @escaping @Sendable (PairingQuestion) async -> PairingAnswer = { _ in .cancel }
    ) async -> Result<LinkProtection, PairingError> {
        do throws(PairingError) {
            return .success(try await link.pair(settings, answer: answer))
        } catch {
            return .failure(error)
        }
    }

    @Test func beaconWithoutPairingSettingsRefusesPairing() async throws {
        try await Self.with(nil) { scene in
            let outcome = await Self.outcome(try await scene.link(), PairingSettings())
            #expect(outcome.failure?.code == .notSupported)
        }
    }

    @Test func wrongPasskeyIsReportedToBoth() async throws {
        try await Self.with(PairingSettings(inputOutput: .display, passkey: 7)) { scene in
            let settings = PairingSettings(inputOutput: .keyboard, passkey: 8)
            let outcome = await Self.outcome(try await scene.link(), settings)
            #expect(outcome.failure?.code == .wrongPasskey)
            guard case .failed(let error) = await scene.reports.first({ if case .failed = $0 { true } else { false } })
            else { return }
            #expect(error.code == .wrongPasskey)
        }
    }

    @Test func bondThatCannotBeSavedIsNotUsed() async throws {
        try await Self.with(PairingSettings(), store: Store(refuses: true)) { scene in
            let link = try await scene.link()
            _ = await Self.outcome(link, PairingSettings())
            #expect(await scene.reports.first { $0 == .failed(PairingError(.notKept)) } != nil)
            #expect(await !link.waitForEnd().isEmpty)
        }
    }

    @Test func cancellingTheTaskCancelsThePairing() async throws {
        try await Self.with(PairingSettings(inputOutput: .display)) { scene in
            let link = try await scene.link()
            let asked = AsyncStream.makeStream(of: Void.self)
            let task = Task {
                await Self.outcome(link, PairingSettings(inputOutput: .keyboard)) { _ in
                    asked.continuation.yield()
                    try? await Task.sleep(for: .seconds(60))
                    return .cancel
                }
            }
            for await _ in asked.stream { break }
            task.cancel()
            #expect(await task.value.failure?.code == .cancelled)
            guard case .failed(let error) = await scene.reports.first({ if case .failed = $0 { true } else { false } })
            else { return }
            #expect(error.code == .passkeyEntryFailed)
        }
    }

    @Test func forgottenCentralIsUnknown() async throws {
        let store = Store()
        try await Self.with(PairingSettings(), store: store) { scene in
            let link = try await scene.link()
            _ = try await link.pair(PairingSettings()) { _ in .cancel }
            _ = await scene.reports.first { if case .paired = $0 { true } else { false } }
            await link.disconnect()
            #expect(await scene.radio.forgetBonds(of: Self.identifier, peer: Self.device) == 0)
            #expect(await scene.radio.forgetBonds(of: Self.identifier, peer: nil) == 1)
            #expect(store.secrets(of: Self.identifier).bonds.isEmpty)
            let second = try await scene.link()
            #expect(await Self.outcome(second, PairingSettings()).failure?.code == .keyMissing)
            await scene.central.forgetBond(with: Self.device)
            #expect(await Self.outcome(second, PairingSettings()).failure == nil)
        }
    }

    /// A new radio uses the bonds that were saved before.
    @Test func savedBondsAreUsedInTheNextRun() async throws {
        let store = Store()
        try await Self.with(PairingSettings(), store: store) { scene in
            _ = try await (try await scene.link()).pair(PairingSettings()) { _ in .cancel }
            _ = await scene.reports.first { if case .paired = $0 { true } else { false } }
        }
        let saved = try #require(store.secrets(of: Self.identifier).bonds.first)
        try await Self.with(PairingSettings(), store: store) { scene in
            #expect(await scene.radio.forgetBonds(of: Self.identifier, peer: saved.peer.address) == 1)
        }
        #expect(store.secrets(of: Self.identifier).bonds.isEmpty)
    }

    @Test func hiddenBeaconHasAResolvableAddress() async throws {
        let store = Store()
        try await Self.with(PairingSettings(hidesAddress: true), store: store) { scene in
            var seen: RemoteAddress?
            for await sighting in try await scene.central.scan(ScanParameters()) {
                seen = sighting.device
                break
            }
            let address = try #require(seen)
            #expect(address.isRandom && address.address.octets[0] & 0xC0 == 0x40, "it is resolvable private")
            #expect(store.secrets(of: Self.identifier).own.count == 1)
            let link = try await scene.link(to: address)
            _ = try await link.pair(PairingSettings()) { _ in .cancel }
            #expect(try await Self.read(link) == [1, 2, 3])
        }
    }
}

extension Result {
    /// The error of a failure; `nil` for a success.
    fileprivate var failure: Failure? { if case .failure(let error) = self { error } else { nil } }
}
