// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Glibc
import Radio
import Testing

@testable import Emulator

/// The control socket, over a real socket.
@Suite(.timeLimit(.minutes(10)))
struct ControlServerTests {
    /// Runs a ready rig with a control socket in its folder.
    private func served(_ body: (Rig, String) async throws -> Void) async throws {
        try await withReadyRig { rig in
            let path = rig.folder.file("control/museum.sock")
            try await serving(rig, at: path) { try await body(rig, path) }
            #expect(rig.folder.names("control") == [])
        }
    }

    // MARK: - Commands

    @Test
    func listAndShowAnswerWithBeacons() async throws {
        try await served { _, path in
            try await LineClient.with(path) { client in
                let list = try await client.ask(#"{"v":1,"command":"list"}"#)
                #expect(list.error == nil)
                #expect(list.beacons?.map(\.device) == ["entrance", "exit"])
                let entrance = try #require(list.beacons?.first)
                #expect(entrance.profile == "museum")
                #expect(entrance.kind == "iot-design-shop")
                #expect(entrance.enabled)
                #expect(entrance.keepsSettings)
                #expect(entrance.uuid == "2173E519-9155-4862-AB64-7953AB146156")
                #expect(entrance.major == 2)
                #expect(entrance.minor == 3)
                #expect(entrance.measuredPower == -59)
                #expect(entrance.intervalTicks == 160)
                #expect(entrance.txPower == nil)
                #expect(entrance.services == ["2173E519-9155-4862-AB64-7953AB146156"])

                let exit = try await client.ask(#"{"v":1,"command":"show","device":"exit"}"#)
                #expect(exit.beacons?.map(\.minor) == [4])
                #expect(exit.beacons?.first?.keepsSettings == false)
            }
        }
    }

    @Test
    func setEnableAndDisableChangeTheAdvertisement() async throws {
        try await served { rig, path in
            try await LineClient.with(path) { client in
                let set = try await client.ask(
                    #"{"v":1,"command":"set","device":"entrance","values":{"major":"300","interval":"200ms"}}"#)
                #expect(set.beacons?.first?.major == 300)
                #expect(set.beacons?.first?.intervalTicks == 320)
                #expect(try await rig.advertisement("entrance", 2) != nil)
                let off = try await client.ask(#"{"v":1,"command":"disable","device":"exit"}"#)
                #expect(off.beacons?.first?.enabled == false)
                #expect(try await rig.advertisement("exit", 2) == nil)
                let on = try await client.ask(#"{"v":1,"command":"enable","device":"exit"}"#)
                #expect(on.beacons?.first?.enabled == true)
                #expect(try await rig.advertisement("exit", 3) != nil)
            }
        }
    }

    @Test
    func reloadAnswersWithChangesOrFaults() async throws {
        try await served { rig, path in
            try await LineClient.with(path) { client in
                rig.profiles.change(Samples.museum.replacing("minor: 4", with: "minor: 40"))
                let done = try await client.ask(#"{"v":1,"command":"reload"}"#)
                #expect(done.reload?.changed == ["exit"])
                #expect(done.reload?.kept == ["entrance"])
                rig.profiles.change("profile: museum")
                let broken = try await client.ask(#"{"v":1,"command":"reload"}"#)
                #expect(broken.error == "museum.yaml:1:1: \"beacons\" is missing")
                #expect(broken.diagnostics == ["museum.yaml:1:1: error: \"beacons\" is missing"])
                #expect(broken.exitCode == 65)
                #expect(broken.reload == nil)
            }
        }
    }

    @Test
    func eventsAreStreamedAsJSON() async throws {
        try await served { rig, path in
            try await LineClient.with(path) { client in
                // The subscription is not acknowledged, so events are posted until one arrives.
                try await client.send(#"{"v":1,"command":"events"}"# + "\n")
                let posting = Task {
                    while !Task.isCancelled {
                        rig.radio.emit(.connected(BeaconIdentifier("exit"), central: "phone"))
                        try await rig.settle()
                    }
                }
                defer { posting.cancel() }
                var records: [EventRecord] = []
                while !records.contains(where: { $0.event == "connected" }) {
                    records.append(try #require(EventRecord(line: try await client.line())))
                }
                #expect(records.last?.device == "exit")
                #expect(records.last?.central == "phone")
                #expect(records.last?.v == 1)
            }
        }
    }

    @Test
    func eventsAreStreamedAsSentences() async throws {
        try await withReadyRig { rig in
            let path = rig.folder.file("museum.sock")
            let server = try await ControlServer(rig.emulator, claiming: [path])
            let warning = Warning(code: "test", message: "a sentence\u{1B} on one\nline", hint: "none")
            try await serving(server) {
                try await LineClient.with(path) { client in
                    try await client.send(#"{"v":1,"command":"events","format":"text"}"# + "\n")
                    let posting = Task {
                        while !Task.isCancelled {
                            rig.emulator.events.post(.warning(warning))
                            try await Task.sleep(for: .milliseconds(10))
                        }
                    }
                    defer { posting.cancel() }
                    #expect(
                        try await client.line() == "warning: a sentence\u{FFFD} on one\u{FFFD}line [test]; none")
                }
            }
        }
    }

    @Test
    func eventsEndWithTheRun() async throws {
        let folder = try TemporaryFolder()
        let rig = try Rig(Samples.entrance, folder: folder)
        try await rig.event("ready")
        let path = folder.file("museum.sock")
        try await serving(rig, at: path) {
            try await LineClient.with(path) { client in
                try await client.send(#"{"v":1,"command":"events"}"# + "\n")
                let posting = Task { while !Task.isCancelled { try await rig.settle() } }
                _ = try await client.line()
                posting.cancel()
                try? await posting.value
                try await rig.stop()
                var last = ""
                await #expect(throws: LineClient.Closed.self) {
                    while true { last = try await client.line() }
                }
                #expect(EventRecord(line: last)?.event == "stopping")
            }
        }
    }

    @Test
    func stopEndsTheRun() async throws {
        let folder = try TemporaryFolder()
        let rig = try Rig(Samples.entrance, folder: folder)
        try await rig.event("ready")
        let path = folder.file("museum.sock")
        try await serving(rig, at: path) {
            try await LineClient.with(path) { client in
                let answer = try await client.ask(#"{"v":1,"command":"stop"}"#)
                #expect(answer.stopping == true && answer.error == nil)
                try await rig.event("stopping")
            }
        }
        try await rig.stop()
    }

    // MARK: - Invalid requests

    @Test(
        arguments: [
            ("garbage", "this is not a request"),
            ("{", "this is not a request"),
            ("[]", "this is not a request"),
            (#"{"v":1}"#, "this is not a request"),
            (
                #"{"v":1,"command":"lst"}"#,
                "there is no command \"lst\"; did you mean \"list\"? commands are list, show, "
            ),
            (#"{"v":1,"command":"set","device":5}"#, "device must be a string"),
            (
                #"{"v":1,"command":"set","device":"exit","values":{"minor":5}}"#,
                "values.minor must be a string"
            ),
            (
                #"{"v":1,"command":"mute","device":"exit","fro":"10s"}"#,
                "mute has no key \"fro\"; did you mean \"for\"? keys are device, for"
            ),
            (#"{"v":1,"command":"reload","device":"exit"}"#, "reload has no key \"device\", and no other"),
            (
                #"{"v":1,"command":"forget","device":"exit","per":"x"}"#,
                "forget has no key \"per\"; did you mean \"peer\"?"
            ),
            (#"{"v":1,"command":"disconnect","device":"exit","peer":5}"#, "peer must be a string"),
            (
                #"{"v":1,"command":"wait","conditions":[{"match":{"event":"conected"}}]}"#,
                "there is no event \"conected\"; did you mean \"connected\"? events are "
            ),
            (
                #"{"v":1,"command":"wait","conditions":[{"match":{"devise":"exit"}}]}"#,
                "events have no \"devise\"; did you mean \"device\"? keys are "
            ),
            (
                #"{"v":1,"command":"wait","conditions":[{"match":{"device":{"x":"exit"}}}]}"#,
                "\"device\" of events is not an object"
            ),
            (
                #"{"v":1,"command":"wait","conditions":[{"match":{},"cuont":0}]}"#,
                "an expectation has no key \"cuont\"; did you mean \"count\"?"
            ),
            (
                #"{"v":1,"command":"journal","types":["writen"]}"#,
                "there is no event \"writen\"; did you mean \"written\"?"
            ),
            (#"{"v":1,"command":"journal","types":[]}"#, "there are no types of events"),
            (#"{"v":2,"command":"list"}"#, "version 2 of the protocol is not known; send \"v\":1"),
            (#"{"command":"list"}"#, "this is not a request"),
            (#"{"v":1,"command":"show"}"#, "show needs a beacon; name one, see list"),
            (#"{"v":1,"command":"set"}"#, "set needs a beacon; name one, see list"),
            (#"{"v":1,"command":"enable"}"#, "enable needs a beacon; name one, see list"),
            (
                #"{"v":1,"command":"receiver","action":"rename"}"#,
                "receiver has no action \"rename\"; choose one of list, add"
            ),
            (#"{"v":1,"command":"receiver","action":"add"}"#, "receiver needs a name; give a name, such as phone"),
            (#"{"v":1,"command":"receiver","action":"add","name":"a b"}"#, "\"a b\" is not a name"),
            (
                #"{"v":1,"command":"receiver","action":"add","name":"phone","position":[1]}"#,
                "a receiver needs a position; give two or three numbers of metres"
            ),
            (
                #"{"v":1,"command":"receiver","action":"add","name":"phone"}"#,
                "scripted has no positions; run on the virtual air (--radio virtual)"
            ),
            (#"{"v":1,"command":"walk","device":"exit"}"#, "walk needs a path; give 2 to 1000 positions"),
            (
                #"{"v":1,"command":"walk","device":"exit","path":[[1,2],[1e9,2]],"over":"2s"}"#,
                "each point of a walk needs a position"
            ),
            (
                #"{"v":1,"command":"walk","device":"exit","path":[[1,2],[3,2]],"over":"soon"}"#,
                "\"soon\" is not a duration; write 10s, 500ms or 2m"
            ),
            (
                #"{"v":1,"command":"set","device":"exit","values":{"minor":"x"}}"#,
                "exit: minor: \"x\" is not a whole number from 0 to 65535"
            ),
        ])
    func invalidLineIsAnsweredAndTheNextOneServed(_ line: String, _ error: String) async throws {
        try await served { _, path in
            try await LineClient.with(path) { client in
                let answer = try await client.ask(line)
                #expect(answer.error?.hasPrefix(error) == true, "\(answer.error ?? "no error")")
                #expect(answer.exitCode == (error.contains("has no positions") ? 69 : 65))
                #expect(answer.beacons == nil)
                let list = try await client.ask(#"{"v":1,"command":"list"}"#)
                #expect(list.beacons?.count == 2)
            }
        }
    }

    @Test
    func unknownBeaconIsAUsageError() async throws {
        try await served { _, path in
            try await LineClient.with(path) { client in
                let answer = try await client.ask(#"{"v":1,"command":"disable","device":"door"}"#)
                #expect(answer.exitCode == 64)
                #expect(answer.error == "there is no beacon \"door\"; beacons are entrance, exit")
            }
        }
    }

    @Test
    func longLineIsRefusedOnce() async throws {
        try await served { _, path in
            try await LineClient.with(path) { client in
                let long = String(repeating: "x", count: 3 * ControlRequest.maximumLength)
                let answer = try await client.ask(long)
                #expect(answer.error == "a request has at most 65536 bytes")
                let list = try await client.ask(#"{"v":1,"command":"list"}"#)
                #expect(list.beacons?.count == 2)
            }
        }
    }

    @Test
    func bytesThatAreNotTextAreRefused() async throws {
        try await served { _, path in
            try await LineClient.with(path) { client in
                try await client.send([0xFF, 0x00, 0xC3, 0x0A])
                let answer = try await client.answer()
                #expect(answer.error?.hasPrefix("this is not a request") == true)
            }
        }
    }

    @Test
    func linesMayArriveInPiecesAndTogether() async throws {
        try await served { _, path in
            try await LineClient.with(path) { client in
                for piece in [#"{"v":1,"#, #""command":"#, #""list"}"#] { try await client.send(piece) }
                let list = try await client.ask("")
                #expect(list.beacons?.count == 2)
                let show = #"{"v":1,"command":"show","device":"DEVICE"}"# + "\n"
                try await client.send(
                    "\n\n" + show.replacing("DEVICE", with: "exit") + show.replacing("DEVICE", with: "entrance"))
                let first = try await client.answer()
                let second = try await client.answer()
                #expect(first.beacons?.first?.device == "exit")
                #expect(second.beacons?.first?.device == "entrance")
            }
        }
    }

    @Test
    func disconnectedClientsDoNotDisturbOthers() async throws {
        try await served { _, path in
            try await LineClient.with(path) { client in
                for _ in 0..<20 {
                    try await LineClient.with(path) { try await $0.send(#"{"v":1,"command":"#) }
                    try await LineClient.with(path) { try await $0.send(#"{"v":1,"command":"events"}"# + "\n") }
                }
                let list = try await client.ask(#"{"v":1,"command":"list"}"#)
                #expect(list.beacons?.count == 2)
            }
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
                    try await LineClient.with(path) { _ = try await $0.ask(#"{"v":1,"command":"list"}"#) }
                }
                clients.cancel()
                #expect(await clients.value.allSatisfy { $0.isEmpty || $0.hasPrefix("{") })
            }
            #expect(!rig.folder.has("museum.sock"))
        }
    }

    /// The server's answers to clients that connect as fast as they can, until the task is cancelled.
    private static func answersToClients(at path: String) async -> [String] {
        var answers: [String] = []
        while !Task.isCancelled {
            guard let client = HalfClosingClient(path), client.send("{\"v\":1,\"command\":\"list\"}\n") else {
                await Task.yield()
                continue
            }
            answers.append(await client.rest())
        }
        return answers
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
                _ = try await ControlServer(rig.emulator, claiming: [path])
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
                try await LineClient.with(path) { client in
                    let list = try await client.ask(#"{"v":1,"command":"list"}"#)
                    #expect(list.beacons?.count == 2)
                }
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
                _ = try await ControlServer(rig.emulator, claiming: [path])
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
                _ = try await ControlServer(rig.emulator, claiming: [path])
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
                    try await LineClient.with(path) { client in
                        let list = try await client.ask(#"{"v":1,"command":"list"}"#)
                        #expect(list.beacons?.count == 2)
                    }
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
                _ = try await ControlServer(rig.emulator, claiming: paths)
            }
            #expect(error?.code == .cannotCreate)
            #expect(rig.folder.text("b.sock") == "precious")
            #expect(!rig.folder.has("a.sock"))
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
        let server = try await ControlServer(rig.emulator, claiming: names.map(path), path: path)
        try await serving(server) { try await body(rig, path) }
        #expect(folder.names("control") == [])
        try await rig.stop()
    }

    @Test
    func listOfOneProfileOfTwo() async throws {
        try await servedByName(Samples.museum, Self.park) { _, path in
            try await LineClient.with(path("park")) { client in
                for (profile, devices) in [
                    ("", ["entrance", "exit", "gate"]), (#","profile":"park""#, ["gate"]),
                    (#","profile":"museum""#, ["entrance", "exit"]),
                ] {
                    let list = try await client.ask(#"{"v":1,"command":"list"\#(profile)}"#)
                    #expect(list.beacons?.map(\.device) == devices)
                }
            }
        }
    }

    @Test
    func profileThatIsRenamedIsFoundByItsNewName() async throws {
        try await servedByName(Samples.museum) { rig, path in
            rig.profiles.change(Samples.museum.replacing("profile: museum", with: "profile: gallery"))
            try await LineClient.with(path("museum")) { client in
                _ = try await client.ask(#"{"v":1,"command":"reload"}"#)
            }
            #expect(rig.folder.names("control") == ["gallery.sock"])
            try await LineClient.with(path("gallery")) { client in
                let answer = try await client.ask(#"{"v":1,"command":"list"}"#)
                #expect(answer.beacons?.first?.profile == "gallery")
            }
            rig.profiles.change(Samples.museum, Self.park)
            _ = try await rig.emulator.reload()
            #expect(rig.folder.names("control") == ["museum.sock", "park.sock"])
            try await LineClient.with(path("park")) { client in
                let answer = try await client.ask(#"{"v":1,"command":"list"}"#)
                #expect(answer.beacons?.count == 3)
            }
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
            try await LineClient.with(path("museum")) { client in
                let answer = try await client.ask(#"{"v":1,"command":"list"}"#)
                #expect(answer.beacons?.count == 2)
            }
            other.abandon()
            unlink(path("gallery"))
        }
    }

    // MARK: - Clients

    /// Like socat at the end of its input.
    @Test
    func clientThatHalfClosesIsAnswered() async throws {
        try await served { _, path in
            let client = try #require(HalfClosingClient(path))
            let requests =
                "{\"v\":1,\"command\":\"list\"}\n{\"v\":1,\"command\":\"bonds\"}\n{\"v\":1,\"command\":\"stop\"}"
            #expect(client.send(requests))
            let lines = await client.rest().split(separator: "\n").map(String.init)
            #expect(lines.count == 2, "the last line has no end, and is not obeyed")
            #expect(try ControlAnswer(parsing: lines[0]).beacons?.count == 2)
            #expect(try ControlAnswer(parsing: lines[1]).bonds == [])
        }
    }

    @Test
    func statusHasTheAdvertisementAndTheCentrals() async throws {
        try await withReadyRig(Samples.museum + "\n    position: [1, 2.5]") { rig in
            let path = rig.folder.file("museum.sock")
            try await serving(rig, at: path) {
                try await LineClient.with(path) { client in
                    let show = #"{"v":1,"command":"show","device":"entrance"}"#
                    let quiet = try #require(try await client.ask(show).beacons?.first)
                    #expect(quiet.onAir && quiet.centrals == [])
                    #expect(quiet.pdu == "ADV_IND")
                    #expect(quiet.flags == 0x06)
                    #expect(quiet.position == nil)
                    rig.connect("C0:FF:EE:00:00:02", to: "entrance")
                    try await rig.event("advertising-stopped", of: "entrance")
                    let connected = try #require(try await client.ask(show).beacons?.first)
                    #expect(!connected.onAir)
                    #expect(connected.centrals == ["C0:FF:EE:00:00:02"])
                    let list = try await client.ask(#"{"v":1,"command":"list"}"#)
                    #expect(list.beacons?.map(\.centrals.count) == [1, 0])
                    #expect(list.beacons?.last?.position == [1, 2.5, 0])
                }
            }
        }
    }

    @Test
    func settingThePresentValueSavesNothing() async throws {
        try await served { rig, path in
            try await LineClient.with(path) { client in
                let set = #"{"v":1,"command":"set","device":"entrance","values":{"major":"300"}}"#
                #expect(try await client.ask(set).beacons?.first?.changed == true)
                let bytes = rig.folder.text("state/museum/entrance.json")
                unlink(rig.folder.file("state/museum/entrance.json"))
                let again = try await client.ask(set)
                #expect(again.error == nil)
                #expect(again.beacons?.first?.changed == false)
                #expect(again.beacons?.first?.major == 300)
                #expect(bytes != nil && rig.folder.text("state/museum/entrance.json") == nil)
                try await rig.settle()
                #expect(rig.events.entries.filter { $0.event == "persisted" }.count == 1)
                let answer = try await client.ask(#"{"v":1,"command":"list"}"#)
                #expect(answer.beacons?.first?.changed == nil)
            }
        }
    }

    /// If one of two sockets cannot be created, neither is.
    @Test
    func noneOfTwoSocketsIsCreatedIfOneFails() async throws {
        try await withReadyRig { rig in
            let (first, second) = (rig.folder.file("a.sock"), rig.folder.file("b.sock"))
            let other = OtherSocket(at: second)
            let error = await #expect(throws: EmulatorError.self) {
                _ = try await ControlServer(rig.emulator, claiming: [first, second])
            }
            #expect(error?.message == "the control socket \(second) is in use by process \(getpid())")
            #expect(rig.folder.names().filter { $0.hasSuffix(".sock") } == ["b.sock"])
            other.abandon()
        }
    }

    // MARK: - The client

    @Test
    func clientReadsOneAnswer() async throws {
        try await served { _, path in
            let lines = EventLog<String>()
            try await SocketControlClient(path: path).send(.show("exit")) { lines.append($0) }
            #expect(lines.entries.count == 1)
            let answer = try ControlAnswer(parsing: try #require(lines.entries.first))
            #expect(answer.beacons?.map(\.device) == ["exit"])
        }
    }

    @Test
    func clientReportsThatNoRunListens() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("museum.sock")
        for isLeftBehind in [false, true] {
            if isLeftBehind { OtherSocket(at: path).abandon() }
            let error = await #expect(throws: EmulatorError.self) {
                try await SocketControlClient(path: path).send(.list()) { _ in }
            }
            #expect(error?.code == .inputOutput)
            #expect(error?.message == "no beaconry listens at \(path)")
        }
    }

    @Test
    func invalidAnswerIsReported() throws {
        let error = #expect(throws: EmulatorError.self) { try ControlAnswer(parsing: "hello") }
        #expect(error?.code == .inputOutput)
    }
}

/// A client that sends, closes its sending side, and reads the answers.
private final class HalfClosingClient: Sendable {
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

    /// Sends a text; returns whether the server accepted it.
    func send(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
            && shutdown(descriptor, Int32(SHUT_WR)) == 0
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
