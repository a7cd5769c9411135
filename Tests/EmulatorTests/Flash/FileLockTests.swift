// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestTraits
import Testing

@testable import Emulator
@testable import Persistence

@Suite(.realTime, .timeLimit(.minutes(10)))
struct FileLockTests {
    @Test
    func secondOwnerIsRefused() throws {
        let folder = try TemporaryFolder()
        let state = StateFolder(folder.path)
        let lock = try state.lock(profile: "museum", beacon: "entrance")
        let error = #expect(throws: PersistenceError.self) { try state.lock(profile: "museum", beacon: "entrance") }
        #expect(error.map { EmulatorError($0).code } == .cannotCreate)
        #expect(error.map { EmulatorError($0).exitCode } == 73)
        #expect(error?.message == "the settings of museum/entrance are in use by process \(getpid())")
        #expect(
            error?.hint.hasPrefix("end that one first (beaconry ctl stop, or systemctl stop for a service)") == true)
        // The refused attempt does not disturb the owner.
        #expect(throws: PersistenceError.self) { try state.lock(profile: "museum", beacon: "entrance") }
        let other = try state.lock(profile: "museum", beacon: "exit")
        other.release()
        lock.release()
    }

    @Test
    func releasedLockLeavesNoFileAndCanBeAcquiredAgain() throws {
        let folder = try TemporaryFolder()
        for _ in 0..<3 {
            let lock = try FileLock(folder.file("a.lock"))
            #expect(folder.text("a.lock") == "\(getpid())\n")
            lock.release()
            #expect(folder.names() == [])
        }
    }

    /// A child that another thread starts has the descriptors of the process until it executes its program.
    @Test
    func duplicateOfTheDescriptorDoesNotKeepTheLock() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a.lock")
        var lock: FileLock? = try FileLock(path)
        let descriptor = (0..<1024).first { number in
            var target = [CChar](repeating: 0, count: 4096)
            let count = readlink("/proc/self/fd/\(number)", &target, target.count)
            return count > 0 && String(decoding: target[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self) == path
        }
        let duplicate = dup(Int32(try #require(descriptor)))
        defer { close(duplicate) }
        #expect(throws: FileLock.Failure.held(by: getpid())) { try FileLock(path) }
        withExtendedLifetime(lock) {}
        lock = nil
        try FileLock(path).release()
    }

    /// The kernel holds the lock, whether the owner's number can be read or not.
    @Test
    func heldLockWithAnEmptyFileIsHeld() throws {
        let folder = try TemporaryFolder()
        let lock = try FileLock(folder.file("a.lock"))
        try #require(truncate(folder.file("a.lock"), 0) == 0)
        #expect(throws: FileLock.Failure.held(by: nil)) { try FileLock(folder.file("a.lock")) }
        lock.release()
    }

    @Test
    func abandonedLockFileIsNotALock() throws {
        let folder = try TemporaryFolder()
        try folder.write("1\n", to: "a.lock")
        let lock = try FileLock(folder.file("a.lock"))
        #expect(folder.text("a.lock") == "\(getpid())\n")
        lock.release()
    }

    @Test
    func linkIsNotALock() throws {
        let folder = try TemporaryFolder()
        try folder.write("precious", to: "precious")
        try #require(symlink(folder.file("precious"), folder.file("a.lock")) == 0)
        let error = #expect(throws: FileLock.Failure.self) { try FileLock(folder.file("a.lock")) }
        guard case .system(let reason) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason.description.hasSuffix("it is a symbolic link, and links are not followed here"))
        #expect(folder.text("precious") == "precious")
    }

    @Test
    func deinitializedLockIsFree() throws {
        let folder = try TemporaryFolder()
        do { _ = try FileLock(folder.file("a.lock")) }
        let lock = try FileLock(folder.file("a.lock"))
        lock.release()
    }

    @Test
    func folderThatCannotBeCreatedIsReported() throws {
        let folder = try TemporaryFolder()
        try folder.write("", to: "file")
        let error = #expect(throws: PersistenceError.self) {
            try StateFolder(folder.file("file/state")).lock(profile: "museum", beacon: "entrance")
        }
        #expect(error.map { EmulatorError($0).code } == .cannotCreate)
        #expect(error?.message.contains(folder.file("file")) == true)
    }

    /// Attempts to acquire a lock that is being released succeed or fail; there is one owner at a time.
    @Test
    func lockHasOneOwnerAtATime() async throws {
        let folder = try TemporaryFolder()
        let owners = OwnerCount()
        let taken = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    var taken = 0
                    for _ in 0..<500 {
                        guard let lock = try? FileLock(folder.file("a.lock")) else { continue }
                        taken += 1
                        owners.enter()
                        owners.leave()
                        lock.release()
                    }
                    return taken
                }
            }
            return await group.reduce(0, +)
        }
        #expect(owners.most == 1)
        #expect(taken > 0)
        #expect(folder.names() == [])
    }
}
