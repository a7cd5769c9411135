// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Devices
import Foundation
import Glibc
import JSON
import Radio
import RunAPI
import RunClient
import TestTraits
import Testing

@testable import Emulator
@testable import RunServer

/// The control socket, over real sockets.
@Suite(.realTime, .timeLimit(.minutes(10)))
struct ControlSocketTests {
    /// Runs a ready rig with a control socket in its folder.
    private func served(_ body: (Rig, String) async throws -> Void) async throws {
        try await withReadyRig { rig in
            let path = rig.folder.file("control/museum.sock")
            try await serving(rig, at: path) { try await body(rig, path) }
            #expect(rig.folder.names("control") == [])
        }
    }

    /// The names of the beacons that a run lists.
    private static func beacons(at path: String, of profile: String? = nil) async throws -> [String] {
        try await ControlClient(path: path).send(ListBeacons { $0.profile = profile }).elements.map(\.id)
    }

    /// A change of the settings of a beacon.
    private static func change(_ beacon: String, _ settings: [String: String]) -> ChangeBeacon {
        ChangeBeacon {
            $0.beacon = BeaconName(beacon)
            $0.change.settings = settings
        }
    }

    // MARK: - Operations

    @Test
    func listAndShowAnswerWithBeacons() async throws {
        try await served { _, path in
            let client = ControlClient(path: path)
            let list = try await client.send(ListBeacons()).elements
            #expect(list.map(\.id) == ["entrance", "exit"])
            let entrance = try #require(list.first)
            #expect(entrance.profile == "museum")
            #expect(entrance.kind == "iot-design-shop")
            #expect(entrance.enabled)
            #expect(entrance.keepsSettings)
            let settings: [String: SettingValue.Content] = [
                "uuid": .text("2173E519-9155-4862-AB64-7953AB146156"), "major": .integer(2), "minor": .integer(3),
                "measured-power": .integer(-59), "interval": .text("100ms"), "tx-power": .text("default"),
            ]
            #expect(entrance.settings == settings)
            #expect(entrance.services == ["2173E519-9155-4862-AB64-7953AB146156"])

            let exit = try await client.send(ShowBeacon { $0.beacon = BeaconName("exit") })
            #expect(exit.settings["minor"] == .integer(4))
            #expect(!exit.keepsSettings)
        }
    }

    @Test
    func setEnableAndDisableChangeTheAdvertisement() async throws {
        try await served { rig, path in
            let client = ControlClient(path: path)
            let set = try await client.send(Self.change("entrance", ["major": "300", "interval": "200ms"]))
            #expect(set.settings["major"] == .integer(300) && set.settings["interval"] == .text("200ms"))
            #expect(try await rig.advertisement("entrance", 2) != nil)
            func enable(_ isEnabled: Bool) async throws -> Bool {
                let change = ChangeBeacon {
                    $0.beacon = BeaconName("exit")
                    $0.change.isEnabled = isEnabled
                }
                return try await client.send(change).enabled
            }
            #expect(try await enable(false) == false)
            #expect(try await rig.advertisement("exit", 2) == nil)
            #expect(try await enable(true))
            #expect(try await rig.advertisement("exit", 3) != nil)
        }
    }

    @Test
    func reloadAnswersWithChangesOrFaults() async throws {
        try await served { rig, path in
            let client = ControlClient(path: path)
            rig.profiles.change(Samples.museum.replacing("minor: 4", with: "minor: 40"))
            let done = try await client.send(Reload())
            #expect(done.changed == ["exit"])
            #expect(done.kept == ["entrance"])
            rig.profiles.change("profile: museum")
            let broken = await #expect(throws: RefusedRequest.self) { try await client.send(Reload()) }
            #expect(broken?.status == 422 && broken?.exitCode == 65)
            #expect(broken?.faults.map(\.message) == ["\"beacons\" is missing"])
            #expect(broken?.faults.map(\.file) == ["museum.yaml"] && broken?.faults.map(\.line) == [1])
        }
    }

    /// The end of a stream that a test does not follow any more.
    private struct Enough: Error {}

    @Test
    func eventsAreStreamedAsJSON() async throws {
        try await served { rig, path in
            // The subscription is not acknowledged, so events are posted until one arrives.
            let posting = Task {
                while !Task.isCancelled {
                    rig.radio.emit(.connected(BeaconIdentifier("exit"), central: "phone"))
                    try await rig.settle()
                }
            }
            defer { posting.cancel() }
            var last: EventRecord?
            await #expect(throws: Enough.self) {
                try await ControlClient(path: path).follow(FollowEvents()) { line in
                    last = EventRecord(line: line)
                    if last?.event == "connected" { throw Enough() }
                }
            }
            #expect(last?.device == "exit" && last?.central == "phone" && last?.v == 1)
        }
    }

    @Test
    func eventsHaveTheirSentences() async throws {
        try await served { rig, path in
            let warning = Warning(code: "test", message: "a sentence\u{1B} on one\nline", hint: "none")
            let posting = Task {
                while !Task.isCancelled {
                    rig.emulator.events.post(.warning(warning))
                    try await Task.sleep(for: .milliseconds(10))
                }
            }
            defer { posting.cancel() }
            var text: String?
            await #expect(throws: Enough.self) {
                try await ControlClient(path: path).follow(FollowEvents { $0.hasText = true }) { line in
                    text = try JSONValue(parsing: Array(line.utf8)).members?["text"]?.string
                    throw Enough()
                }
            }
            #expect(text.map { SafeText.line($0) } == "warning: a sentence\u{FFFD} on one\u{FFFD}line [test]; none")
        }
    }

    @Test
    func eventsEndWithTheRun() async throws {
        let folder = try TemporaryFolder()
        let rig = try Rig(Samples.entrance, folder: folder)
        try await rig.event("ready")
        let path = folder.file("museum.sock")
        try await serving(rig, at: path) {
            let posting = Task { while !Task.isCancelled { try await rig.settle() } }
            let ending = Task {
                try await rig.stop()
                posting.cancel()
            }
            var events: [EventRecord] = []
            let stream = FollowEvents { $0.after = EventNumber(0) }
            try await ControlClient(path: path).follow(stream) { line in
                if let event = EventRecord(line: line) { events.append(event) }
            }
            // The radio may still report something until it is closed.
            let end = try #require(events.firstIndex { $0.event == "stopping" })
            #expect(events[(end + 1)...].allSatisfy { $0.event == "warning" })
            try await ending.value
        }
    }

    @Test
    func stopAnswersWhenTheRunHasEnded() async throws {
        let folder = try TemporaryFolder()
        let rig = try Rig(Samples.entrance, folder: folder)
        try await rig.event("ready")
        let path = folder.file("museum.sock")
        let run = RunContext(rig.emulator, version: "1")
        try await serving(try await ControlSocket(run, claiming: [path])) {
            async let answer = ControlClient(path: path).send(Stop())
            try await rig.event("stopping")
            run.end.finish()
            _ = try await answer
        }
        try await rig.stop()
    }

    @Test
    func invalidOperationIsRefusedAndTheNextOneServed() async throws {
        try await served { _, path in
            let client = ControlClient(path: path)
            let error = await #expect(throws: RefusedRequest.self) {
                try await client.send(Self.change("exit", ["minor": "x"]))
            }
            #expect(error?.exitCode == 65)
            #expect(error?.message == "exit: minor: \"x\" is not a whole number from 0 to 65535")
            let unknown = await #expect(throws: RefusedRequest.self) { try await client.send(Self.change("door", [:])) }
            #expect(unknown?.exitCode == 64 && unknown?.status == 404)
            #expect(unknown?.description == "there is no beacon \"door\"; beacons are entrance, exit")
            let listed = try await Self.beacons(at: path)
            #expect(listed.count == 2)
        }
    }

    @Test
    func disconnectedClientsDoNotDisturbOthers() async throws {
        try await served { _, path in
            for _ in 0..<20 {
                let half = try #require(RawClient(path))
                #expect(half.send("GET /v1/beac", closes: false))
                let stream = try #require(RawClient(path))
                #expect(stream.send("GET /v1/events HTTP/1.1\r\nHost: run\r\n\r\n", closes: false))
            }
            let listed = try await Self.beacons(at: path)
            #expect(listed.count == 2)
        }
    }

    /// A client may connect at the moment when the run ends: an accepted connection that no task takes is closed.
    @Test
    func clientsConnectWhileTheServerEnds() async throws {
        try await withReadyRig { rig in
            let path = rig.folder.file("museum.sock")
            for _ in 0..<100 {
                let clients = Task { await Self.answersToClients(at: path) }
                defer { clients.cancel() }
                try await serving(rig, at: path) {
                    _ = try await Self.beacons(at: path)
                }
                clients.cancel()
                #expect(await clients.value.allSatisfy { $0.isEmpty || $0.hasPrefix("HTTP/1.1 200") })
            }
            #expect(!rig.folder.has("museum.sock"))
        }
    }

    private static let listRequest = "GET /v1/beacons HTTP/1.1\r\nHost: run\r\n\r\n"

    /// The server's answers to clients that connect as fast as they can, until the task is cancelled.
    private static func answersToClients(at path: String) async -> [String] {
        var answers: [String] = []
        while !Task.isCancelled {
            guard let client = RawClient(path), client.send(listRequest) else {
                await Task.yield()
                continue
            }
            answers.append(await client.rest())
        }
        return answers
    }

    /// Like socat at the end of its input.
    @Test
    func clientThatHalfClosesIsAnswered() async throws {
        try await served { _, path in
            let client = try #require(RawClient(path))
            #expect(client.send(Self.listRequest + Self.listRequest + "POST /v1/stop HTTP/1.1\r\nHost: run\r\n"))
            let responses = await client.rest().split(separator: "HTTP/1.1 ")
            #expect(responses.prefix(2).map { $0.prefix(3) } == ["200", "200"])
            #expect(!responses.dropFirst(2).contains { $0.hasPrefix("200") }, "a head without its end is not performed")
        }
    }

    /// The first answer comes three seconds after the malformed request.
    @Test
    func slowAnswerPrecedesTheEndOfAMalformedRequest() async throws {
        try await served { _, path in
            let client = try #require(RawClient(path))
            let wait = #"{"conditions":[{"match":{"event":"muted"},"count":1}],"within":"3s"}"#
            let request =
                "POST /v1/journal/wait HTTP/1.1\r\nHost: run\r\nContent-Type: application/json\r\n"
                + "Content-Length: \(wait.utf8.count)\r\n\r\n\(wait)"
            #expect(client.send(request + Self.listRequest + "POST /v1/stop HTTP/1.1\r\nHost: run\r\n"))
            let responses = await client.rest().split(separator: "HTTP/1.1 ")
            #expect(responses.prefix(2).map { $0.prefix(3) } == ["200", "200"])
            #expect(!responses.dropFirst(2).contains { $0.hasPrefix("200") }, "a head without its end is not performed")
        }
    }

    // MARK: - The socket

    @Test
    func onlyItsUserMayConnect() async throws {
        try await served { _, path in
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            #expect(attributes[.type] as? FileAttributeType == .typeSocket)
            let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
            #expect(try FileManager.default.attributesOfItem(atPath: folder)[.posixPermissions] as? Int == 0o700)
        }
    }

    @Test
    func socketInUseIsNotReplaced() async throws {
        try await withReadyRig { rig in
            let path = rig.folder.file("museum.sock")
            let other = OtherSocket(at: path)
            let error = await #expect(throws: EmulatorError.self) {
                _ = try await ControlSocket(rig.emulator, claiming: [path])
            }
            #expect(error?.code == .cannotCreate)
            #expect(error?.message == "the control socket \(path) is in use by process \(getpid())")
            #expect(error?.hint.contains("beaconry ctl stop --control \(path)") == true)
            #expect(rig.folder.has("museum.sock"))
            other.abandon()
        }
    }

    @Test
    func abandonedSocketIsReplaced() async throws {
        try await withReadyRig { rig in
            let path = rig.folder.file("museum.sock")
            OtherSocket(at: path).abandon()
            #expect(rig.folder.has("museum.sock"))
            try await serving(rig, at: path) {
                let listed = try await Self.beacons(at: path)
                #expect(listed.count == 2)
            }
            #expect(!rig.folder.has("museum.sock"))
        }
    }

    @Test
    func otherFileIsNotReplaced() async throws {
        try await withReadyRig { rig in
            try rig.folder.write("precious", to: "museum.sock")
            let path = rig.folder.file("museum.sock")
            let error = await #expect(throws: EmulatorError.self) {
                _ = try await ControlSocket(rig.emulator, claiming: [path])
            }
            #expect(error?.code == .cannotCreate)
            #expect(rig.folder.text("museum.sock") == "precious")
        }
    }

    @Test
    func pathThatIsTooLongIsReported() async throws {
        try await withReadyRig { rig in
            let path = rig.folder.file(String(repeating: "x", count: 120))
            let error = await #expect(throws: EmulatorError.self) {
                _ = try await ControlSocket(rig.emulator, claiming: [path])
            }
            #expect(error?.code == .cannotCreate)
            #expect(error?.hint == "choose another control socket (--control PATH)")
        }
    }

    @Test
    func allSocketsServeTheSameRun() async throws {
        try await withReadyRig { rig in
            let paths = [rig.folder.file("a.sock"), rig.folder.file("b.sock")]
            try await serving(rig, at: paths[0], paths[1]) {
                for path in paths {
                    let listed = try await Self.beacons(at: path)
                    #expect(listed.count == 2)
                }
            }
            #expect(rig.folder.names().filter { $0.hasSuffix(".sock") } == [])
        }
    }

    @Test
    func otherFileAtASecondPathIsNotReplaced() async throws {
        try await withReadyRig { rig in
            try rig.folder.write("precious", to: "b.sock")
            let paths = [rig.folder.file("a.sock"), rig.folder.file("b.sock")]
            let error = await #expect(throws: EmulatorError.self) {
                _ = try await ControlSocket(rig.emulator, claiming: paths)
            }
            #expect(error?.code == .cannotCreate)
            #expect(rig.folder.text("b.sock") == "precious")
            #expect(!rig.folder.has("a.sock"))
        }
    }

    /// If one of two sockets cannot be created, neither is.
    @Test
    func noneOfTwoSocketsIsCreatedIfOneFails() async throws {
        try await withReadyRig { rig in
            let (first, second) = (rig.folder.file("a.sock"), rig.folder.file("b.sock"))
            let other = OtherSocket(at: second)
            let error = await #expect(throws: EmulatorError.self) {
                _ = try await ControlSocket(rig.emulator, claiming: [first, second])
            }
            #expect(error?.message == "the control socket \(second) is in use by process \(getpid())")
            #expect(rig.folder.names().filter { $0.hasSuffix(".sock") } == ["b.sock"])
            other.abandon()
        }
    }

    // MARK: - Profiles

    private static let park = Samples.entrance.replacing("museum", with: "park").replacing(
        "id: entrance", with: "id: gate")

    /// Serves at sockets with the names of the profiles.
    private func servedByName(_ profiles: String..., body: (Rig, (String) -> String) async throws -> Void) async throws
    {
        let folder = try TemporaryFolder()
        let rig =
            try profiles.count == 1
            ? Rig(profiles[0], folder: folder) : Rig(profiles[0], profiles[1], folder: folder)
        try await rig.event("ready")
        let path = { @Sendable (name: String) in folder.file("control/\(name).sock") }
        let names = profiles.count == 1 ? ["museum"] : ["museum", "park"]
        let server = try await ControlSocket(rig.emulator, claiming: names.map(path), path: path)
        try await serving(server) { try await body(rig, path) }
        #expect(folder.names("control") == [])
        try await rig.stop()
    }

    @Test
    func listOfOneProfileOfTwo() async throws {
        try await servedByName(Samples.museum, Self.park) { _, path in
            for (profile, expected) in [
                (nil, ["entrance", "exit", "gate"]), ("park", ["gate"]), ("museum", ["entrance", "exit"]),
            ] {
                let listed = try await Self.beacons(at: path("park"), of: profile)
                #expect(listed == expected)
            }
        }
    }

    @Test
    func profileThatIsRenamedIsFoundByItsNewName() async throws {
        try await servedByName(Samples.museum) { rig, path in
            rig.profiles.change(Samples.museum.replacing("profile: museum", with: "profile: gallery"))
            _ = try await ControlClient(path: path("museum")).send(Reload())
            #expect(rig.folder.names("control") == ["gallery.sock"])
            let renamed = try await ControlClient(path: path("gallery")).send(ListBeacons()).elements
            #expect(renamed.first?.profile == "gallery")
            rig.profiles.change(Samples.museum, Self.park)
            _ = try await rig.emulator.reload()
            #expect(rig.folder.names("control") == ["museum.sock", "park.sock"])
            #expect(try await Self.beacons(at: path("park")).count == 3)
        }
    }

    @Test
    func newNameInUseKeepsTheOldOne() async throws {
        try await servedByName(Samples.museum) { rig, path in
            let other = OtherSocket(at: path("gallery"))
            rig.profiles.change(Samples.museum.replacing("profile: museum", with: "profile: gallery"))
            _ = try await rig.emulator.reload()
            let warning = try await rig.warning("control-socket-kept")
            #expect(warning.message?.contains("process \(getpid())") == true)
            #expect(try await Self.beacons(at: path("museum")).count == 2)
            other.abandon()
            unlink(path("gallery"))
        }
    }

    // MARK: - Status

    @Test
    func statusHasTheAdvertisementAndTheCentrals() async throws {
        try await withReadyRig(Samples.museum + "\n    position: [1, 2.5]") { rig in
            let show = ShowBeacon { $0.beacon = BeaconName("entrance") }
            let quiet = try await rig.perform(show)
            #expect(quiet.onAir && quiet.centrals == [])
            #expect(quiet.effective?.pdu == "ADV_IND")
            #expect(quiet.effective?.flags == 0x06)
            #expect(quiet.position == nil)
            rig.connect("C0:FF:EE:00:00:02", to: "entrance")
            try await rig.event("advertising-stopped", of: "entrance")
            let connected = try await rig.perform(show)
            #expect(!connected.onAir)
            #expect(connected.centrals == ["C0:FF:EE:00:00:02"])
            let list = try await rig.perform(ListBeacons()).elements
            #expect(list.map(\.centrals.count) == [1, 0])
            #expect(list.last?.position == [1, 2.5, 0])
        }
    }

    @Test
    func settingThePresentValueSavesNothing() async throws {
        try await withReadyRig { rig in
            let change = Self.change("entrance", ["major": "300"])
            #expect(try await rig.perform(change).changed == true)
            let bytes = rig.folder.text("state/museum/entrance.json")
            unlink(rig.folder.file("state/museum/entrance.json"))
            let again = try await rig.perform(change)
            #expect(again.changed == false)
            #expect(again.settings["major"] == .integer(300))
            #expect(bytes != nil && rig.folder.text("state/museum/entrance.json") == nil)
            try await rig.settle()
            #expect(rig.events.entries.filter { $0.event == "settings-saved" }.count == 1)
            #expect(try await rig.perform(ListBeacons()).elements.first?.changed == nil)
        }
    }

    // MARK: - The client

    @Test
    func clientReportsThatNoRunListens() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("museum.sock")
        for isLeftBehind in [false, true] {
            if isLeftBehind { OtherSocket(at: path).abandon() }
            let error = await #expect(throws: EmulatorError.self) {
                try await ControlClient(path: path).send(ListBeacons())
            }
            #expect(error?.code == .inputOutput)
            #expect(error?.message == "no beaconry listens at \(path)")
        }
    }
}

/// A client that sends arbitrary text.
private final class RawClient: Sendable {
    private let descriptor: Int32

    /// Connects, unless no server listens.
    init?(_ path: String) {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        self.descriptor = descriptor
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else { return nil }
    }

    deinit { close(descriptor) }

    /// Sends a text, and closes the sending side unless that is not requested.
    /// - Returns: Whether the server accepted it.
    func send(_ text: String, closes: Bool = true) -> Bool {
        let bytes = Array(text.utf8)
        return Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
            && (!closes || shutdown(descriptor, Int32(SHUT_WR)) == 0)
    }

    /// All bytes until the server closes the connection, read on a separate thread.
    func rest() async -> String {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { [self] in
                var bytes: [UInt8] = []
                var buffer = [UInt8](repeating: 0, count: 65_536)
                while case let count = read(descriptor, &buffer, buffer.count), count > 0 { bytes += buffer[..<count] }
                continuation.resume(returning: String(decoding: bytes, as: UTF8.self))
            }
        }
    }
}
