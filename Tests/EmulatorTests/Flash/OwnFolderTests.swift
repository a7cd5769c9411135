// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import RunClient
import Sockets
import TestTraits
import Testing

@testable import Emulator
@testable import Persistence

/// Folders that a run trusts with its sockets, locks and ledgers.
@Suite(.realTime, .timeLimit(.minutes(10)))
struct OwnFolderTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("run")
    }

    private func reason(user: uid_t = geteuid()) -> String? {
        do throws(SystemError) {
            try Folder.createOwn(path, user: user)
            return nil
        } catch {
            return error.reason ?? "\(error)"
        }
    }

    private func make(_ mode: mode_t, in parentMode: mode_t = 0o755) throws {
        try #require(mkdir(path, mode) == 0 && chmod(path, mode) == 0 && chmod(folder.path, parentMode) == 0)
    }

    @Test
    func newFolderIsForThisUserOnly() throws {
        #expect(reason() == nil)
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o700)
        #expect(reason() == nil)
    }

    /// Like /tmp, where any user may create the folder first.
    @Test(arguments: [0o755, 0o750, 0o701, 0o777] as [mode_t])
    func folderInASharedFolderMustBePrivate(_ mode: mode_t) throws {
        try make(mode, in: 0o1777)
        #expect(reason() == "other users have access to it (mode \(String(mode, radix: 8)))")
        try #require(chmod(path, 0o700) == 0)
        #expect(reason() == nil)
    }

    /// Like a folder that systemd creates in /run.
    @Test
    func folderInAPrivateFolderMayBeReadable() throws {
        try make(0o755)
        #expect(reason() == nil)
        try #require(chmod(path, 0o775) == 0)
        #expect(reason() == "other users have access to it (mode 775)")
    }

    @Test
    func folderOfAnotherUserIsRefused() throws {
        try make(0o700)
        let other = geteuid() + 1
        #expect(reason(user: other) == "it belongs to user \(geteuid()), and this process runs as user \(other)")
    }

    @Test(arguments: ["", "/"])
    func linkIsRefused(_ suffix: String) throws {
        try #require(mkdir(folder.file("target"), 0o700) == 0)
        try #require(symlink(folder.file("target"), path) == 0)
        #expect(throws: SystemError.self) { try Folder.createOwn(path + suffix) }
        #expect(reason() == "it is a symbolic link")
    }

    @Test
    func fileIsRefused() throws {
        try folder.write("", to: "run")
        #expect(reason() == "it is not a folder")
    }

    // MARK: - Folders that can be used

    @Test
    func folderThatCanBeCreatedIsUsable() throws {
        #expect(Folder.isUsableAsOwn(path))
        #expect(Folder.isUsableAsOwn("\(path)/above/below"))
        #expect(folder.names("") == [])
        try Folder.createOwn(path)
        #expect(Folder.isUsableAsOwn(path))
    }

    /// What `createOwn` refuses is not usable; nor is what is below a file.
    @Test
    func folderThatIsRefusedIsNotUsable() throws {
        try make(0o775)
        #expect(!Folder.isUsableAsOwn(path))
        try #require(symlink(folder.path, folder.file("link")) == 0)
        try #require(symlink(folder.file("nothing"), folder.file("broken")) == 0)
        try folder.write("", to: "file")
        for name in ["link", "broken", "file", "file/below"] {
            #expect(!Folder.isUsableAsOwn(folder.file(name)), "\(name)")
        }
    }

    // MARK: - State folders

    @Test
    func linkedStateFolderIsRefused() throws {
        try folder.write("", to: "elsewhere/file")
        try #require(symlink(folder.file("elsewhere"), folder.file("museum")) == 0)
        let error = #expect(throws: PersistenceError.self) {
            try StateFolder(folder.path).lock(profile: "museum", beacon: "entrance")
        }
        #expect(error.map { EmulatorError($0).code } == .cannotCreate)
        #expect(error?.message == "cannot use \(folder.file("museum")): it is a symbolic link")
        #expect(folder.names("elsewhere") == ["file"])
    }

    @Test
    func stateFolderThatEveryUserCanWriteToIsRefused() throws {
        try #require(mkdir(folder.file("museum"), 0o777) == 0 && chmod(folder.file("museum"), 0o777) == 0)
        let error = #expect(throws: PersistenceError.self) {
            try StateFolder(folder.path).lock(profile: "museum", beacon: "entrance")
        }
        #expect(error?.message == "cannot use \(folder.file("museum")): every user can write to it")
    }

    // MARK: - Leftovers

    @Test
    func lockRemovesWhatAKilledWriteHasLeft() throws {
        let state = StateFolder(folder.file("state"))
        try state.lock(profile: "museum", beacon: "entrance").release()
        let names = ["entrance.json.new", "entrance.bonds.new", "other.json.new", "entrance.json"]
        for name in names { try Data().write(to: URL(filePath: folder.file("state/museum/\(name)"))) }
        try state.lock(profile: "museum", beacon: "entrance").release()
        #expect(folder.names("state/museum") == ["entrance.json", "other.json.new"])
    }

    @Test
    func newestDamagedFilesAreKept() throws {
        let state = StateFolder(folder.file("state"))
        let lock = try state.lock(profile: "museum", beacon: "entrance")
        let flash = state.flash(profile: "museum", beacon: "entrance", kind: "iot-design-shop")
        for number in 1...13 {
            try Data("\(number)".utf8).write(to: URL(filePath: flash.path))
            #expect(try flash.setAside() == "\(flash.path).damaged-\(number)")
        }
        lock.release()
        let kept = folder.names("state/museum").compactMap { Int($0.split(separator: "-").last ?? "") }.sorted()
        #expect(kept == Array(4...13))
        #expect(folder.text("state/museum/entrance.json.damaged-4") == "4")
    }

    // MARK: - Trusted servers

    @Test(arguments: [(1000, 1000, true), (0, 1000, true), (65534, 1000, false), (0, 0, true), (65534, 0, false)])
    func serverOfTheSameUserOrRootIsTrusted(_ server: uid_t, _ client: uid_t, _ isTrusted: Bool) {
        #expect(PeerCredentials.isTrusted(server: server, by: client, socket: "\(path)/a.sock") == isTrusted)
    }

    /// The temporary folder is not in one that only root can write to; /proc is on any machine.
    @Test
    func rootTrustsTheOwnerOfAFolderThatRootCreated() throws {
        var status = stat()
        try #require(stat("/proc/self", &status) == 0)
        let folder = "/proc/\(getpid())"
        #expect(PeerCredentials.isTrusted(server: status.st_uid, by: 0, socket: "\(folder)/a.sock"))
        #expect(!PeerCredentials.isTrusted(server: status.st_uid + 1, by: 0, socket: "\(folder)/a.sock"))
    }
}
