// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Glibc
import Radio
import Synchronization
import Testing

@testable import HCIRadio

/// Claims of adapters, on a kernel that is a table.
@Suite struct UserChannelTests {
    private static let address = BluetoothAddress("00:1A:7D:DA:71:13") ?? .zero
    private static let another = BluetoothAddress("00:1A:7D:DA:71:14") ?? .zero

    /// A kernel with adapters; each attempt of a claim, pause and change of power is counted.
    private final class Kernel: AdapterKernel {
        struct State {
            var adapters: [Int: AdapterState] = [:]
            /// The errors of the next attempts to bind that do not follow from the state of the adapter.
            var errors: [Int32] = []
            var obeys = true
            var pauses = 0
            var powerChanges: [Bool] = []
        }

        private let state: Mutex<State>

        init(_ adapters: [Int: AdapterState], errors: [Int32] = [], obeys: Bool = true) {
            state = Mutex(State(adapters: adapters, errors: errors, obeys: obeys))
        }

        var pauses: Int { state.withLock(\.pauses) }
        var powerChanges: [Bool] { state.withLock(\.powerChanges) }

        var channel: UserChannel { UserChannel(kernel: self) { _ in self.state.withLock { $0.pauses += 1 } } }

        func bind(_ index: Int) throws(KernelError) -> Int32 {
            let code: Int32? = state.withLock { state in
                if !state.errors.isEmpty { return state.errors.removeFirst() }
                guard let adapter = state.adapters[index] else { return ENODEV }
                return adapter.isPowered ? EBUSY : nil
            }
            if let code { throw KernelError(code: code) }
            return 40 + Int32(index)
        }

        func state(of index: Int) async -> AdapterState? { state.withLock { $0.adapters[index] } }

        func indexes() async -> [Int] { state.withLock { $0.adapters.keys.sorted() } }

        func setPowered(_ isPowered: Bool, _ index: Int) async -> Bool {
            state.withLock { state in
                state.powerChanges.append(isPowered)
                guard state.obeys, state.adapters[index] != nil else { return false }
                state.adapters[index]?.isPowered = isPowered
                return true
            }
        }
    }

    private func error(
        _ kernel: Kernel, _ number: Int = 0, known: BluetoothAddress? = nil
    ) async throws -> RadioError {
        try #require(await #expect(throws: RadioError.self) { try await kernel.channel.claim(number, known: known) })
    }

    @Test func adapterThatIsDownIsClaimed() async throws {
        let kernel = Kernel([0: AdapterState(address: Self.address)])
        let claim = try await kernel.channel.claim(0)
        #expect(claim.index == 0 && claim.descriptor == 40 && !claim.wasPowered)
        #expect(kernel.pauses == 0 && kernel.powerChanges.isEmpty)
    }

    /// As bluetoothd leaves an adapter that was just given back to it.
    @Test func idleAdapterIsSwitchedOffAndOnAgain() async throws {
        let kernel = Kernel([1: AdapterState(address: Self.address, isPowered: true)])
        let claim = try await kernel.channel.claim(1)
        #expect(claim.index == 1 && claim.wasPowered)
        #expect(kernel.powerChanges == [false])
        await kernel.channel.restore(1)
        #expect(kernel.powerChanges == [false, true])
        // Again, as a recovery or a second run does.
        #expect(try await kernel.channel.claim(1).wasPowered)
    }

    @Test(arguments: [
        (1, 0, "1 connection"), (0, 2, "2 advertisements"), (2, 1, "2 connections and 1 advertisement"),
    ])
    func adapterInUseIsLeftAlone(connections: Int, advertisements: Int, words: String) async throws {
        let kernel = Kernel([
            0: AdapterState(
                address: Self.address, isPowered: true, connections: connections, advertisements: advertisements)
        ])
        let error = try await error(kernel)
        #expect(error.code == .refused && error.message == "hci0 is in use: it has \(words)")
        #expect(kernel.powerChanges.isEmpty)
    }

    /// The kernel's list leaves out the numbers that other runs of the program choose.
    @Test func adapterOfAnotherRunIsLeftAlone() async throws {
        struct Ledger: RadioLedger {
            func record(_ entries: [String], under key: String) {}
            func leave(_ entries: [String], under key: String) {}
            func leftovers(under key: String) -> [String] { [] }
            func takeLeftovers(under key: String) -> [String] { [] }
            func heldByOthers(under key: String) -> [String] { key == "bluez-\(UserChannelTests.address)" ? ["5"] : [] }
        }
        let kernel = Kernel([0: AdapterState(address: Self.address, isPowered: true)])
        let channel = UserChannel(kernel: kernel, ledger: Ledger()) { _ in }
        let error = try #require(await #expect(throws: RadioError.self) { try await channel.claim(0) })
        #expect(error.message == "hci0 is in use: it has 1 advertisement")
        #expect(kernel.powerChanges.isEmpty)
    }

    @Test func adapterThatStaysOnIsReported() async throws {
        let kernel = Kernel([0: AdapterState(address: Self.address, isPowered: true)], obeys: false)
        let error = try await error(kernel)
        #expect(error.message.contains("hci0 is up") && error.hint.contains("btmgmt --index 0 power off"))
    }

    @Test func setUpOfTheKernelIsAwaited() async throws {
        let kernel = Kernel(
            [0: AdapterState(address: Self.address)], errors: [Int32](repeating: EBUSY, count: UserChannel.attempts - 1)
        )
        #expect(try await kernel.channel.claim(0).index == 0)
        #expect(kernel.pauses == UserChannel.attempts - 1)
        #expect(UserChannel.pause * kernel.pauses == .seconds(3))
    }

    @Test func setUpThatTakesTooLongIsReported() async throws {
        let kernel = Kernel([:], errors: [Int32](repeating: EBUSY, count: UserChannel.attempts))
        let error = try await error(kernel)
        #expect(error.message.contains("still setting it up"))
    }

    @Test func adapterIsSwitchedOnAgainIfTheClaimFails() async throws {
        let kernel = Kernel([0: AdapterState(address: Self.address, isPowered: true)], errors: [EBUSY, ENODEV])
        #expect(try await error(kernel).code == .noAdapter)
        #expect(kernel.powerChanges == [false, true])
    }

    @Test(
        arguments: [
            (EUSERS, RadioError.Code.refused, "is used exclusively by another program", "end that program"),
            (ERFKILL, .blocked, "blocked by software or by a switch", "rfkill unblock"),
            (ENODEV, .noAdapter, "there is no adapter hci0", "beaconry radios"),
            (EPERM, .notPermitted, "needs CAP_NET_ADMIN", "run as root"),
            (EAFNOSUPPORT, .noAdapter, "no Bluetooth", "--radio virtual"),
            (ETIMEDOUT, .refused, "does not answer its driver", "replug the adapter"),
        ] as [(Int32, RadioError.Code, String, String)])
    func errorsOfTheKernelAreExplained(code: Int32, kind: RadioError.Code, words: String, hint: String) async throws {
        let error = try await error(Kernel([0: AdapterState(address: Self.address)], errors: [code]))
        #expect(error.code == kind && error.message.contains(words) && error.hint.contains(hint))
    }

    // MARK: - Another number

    @Test func adapterIsFoundUnderItsNewNumber() async throws {
        let kernel = Kernel([1: AdapterState(address: Self.another), 2: AdapterState(address: Self.address)])
        #expect(try await kernel.channel.claim(0, known: Self.address).index == 2)
    }

    @Test func anotherAdapterIsNotTakenForIt() async throws {
        let kernel = Kernel([0: AdapterState(address: Self.another)])
        let error = try await error(kernel, known: Self.address)
        #expect(error.code == .noAdapter && error.message.contains("hci0 is \(Self.another) now"))
    }

    /// Cheap adapters share addresses, and an address of zero is none.
    @Test func sharedOrAbsentAddressIdentifiesNoAdapter() async throws {
        let twins = Kernel([1: AdapterState(address: Self.address), 2: AdapterState(address: Self.address)])
        #expect(try await error(twins, known: Self.address).message.contains("there is no adapter hci0"))
        let nameless = Kernel([0: AdapterState(address: .zero), 1: AdapterState(address: .zero)])
        #expect(try await nameless.channel.claim(1, known: .zero).index == 1)
    }
}
