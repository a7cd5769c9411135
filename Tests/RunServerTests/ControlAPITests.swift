// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Devices
import Dispatch
import Emulator
import Glibc
import HCIRadio
import NIOCore
import Profiles
import RunAPI
import TestTraits
import Testing

@testable import RunServer

@Suite(.realTime, .timeLimit(.minutes(10))) struct ControlAPITests {
    @Test(
        arguments: [
            ("127.0.0.1:8080", "127.0.0.1", 8080), ("[::1]:0", "::1", 0), ("::1:80", nil, nil), ("8080", nil, nil),
            (":80", nil, nil), ("host:65536", nil, nil), ("unix:", nil, nil),
        ])
    func addressIsParsed(_ text: String, _ host: String?, _ port: Int?) {
        let address = ControlAddress(text)
        #expect(address?.host == host && address?.port == port)
    }

    @Test func onlyAddressesOfThisMachineNeedNoToken() {
        #expect(ControlAddress("localhost:1")?.isLocal == true)
        #expect(ControlAddress("127.9.9.9:1")?.isLocal == true)
        #expect(ControlAddress("127.example.com:1")?.isLocal == false)
        #expect(ControlAddress("0.0.0.0:1")?.isLocal == false)
        #expect(ControlAddress("[::]:1")?.isLocal == false)
    }

    /// A connection to a server, in which calls wait for 60 s at most.
    private final class Client {
        private let descriptor: Int32

        init(_ path: String) throws {
            descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            var limit = timeval(tv_sec: 60, tv_usec: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
            let status = withUnsafePointer(to: address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            try #require(status == 0)
        }

        deinit { close(descriptor) }

        func send(_ text: String) {
            _ = Array(text.utf8).withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, 0) }
        }

        /// Ends the side of the client.
        func endRequests() { shutdown(descriptor, Int32(SHUT_WR)) }

        /// Waits until the server has closed the connection, without reading.
        func waitForEnd() async {
            let descriptor = descriptor
            await withCheckedContinuation { continuation in
                DispatchQueue.global().async {
                    var end = pollfd(fd: descriptor, events: 0, revents: 0)
                    while poll(&end, 1, -1) != 1 {}
                    continuation.resume()
                }
            }
        }

        /// What arrives next; empty at the end of the connection, `nil` after 60 s.
        func receive() async -> String? {
            let descriptor = descriptor
            return await withCheckedContinuation { continuation in
                // It blocks, and the server needs the threads of tasks.
                DispatchQueue.global().async {
                    var bytes = [UInt8](repeating: 0, count: 65536)
                    let count = recv(descriptor, &bytes, bytes.count, 0)
                    if count >= 0 {
                        continuation.resume(returning: String(decoding: bytes[..<count], as: UTF8.self))
                    } else {
                        continuation.resume(returning: errno == ECONNRESET ? "" : nil)
                    }
                }
            }
        }

        /// Everything until the end of the connection; `nil` if there is no end within 60 s of silence.
        func receiveAll() async -> String? {
            var all = ""
            while let text = await receive() {
                if text.isEmpty { return all }
                all += text
            }
            return nil
        }
    }

    private static let request = "GET /v1/version HTTP/1.1\r\nHost: run\r\n\r\n"

    /// Serves on a Unix socket while a body runs.
    /// - Parameter events: The number of events in the journal.
    private func serve(
        _ limits: APILimits, events: Int = 0, _ body: (String) async throws -> Void
    ) async throws {
        let path = "/tmp/beaconry-api-\(getpid())-\(UInt32.random(in: 0 ... .max)).sock"
        let radio = VirtualAirRadio(VirtualAirOptions(servers: []))
        let emulator = Emulator(Emulator.Configuration(profiles: []) { () throws(ProfileFaults) in [] }, radio: radio)
        let api = try await ControlSocket(RunContext(emulator, version: "1"), claiming: [path], limits: limits)
        for _ in 0..<events { emulator.events.post(.stopping) }
        do {
            try await body(path)
        } catch {
            await api.close()
            throw error
        }
        await api.close()
    }

    @Test func requestThatDoesNotArriveInTimeEndsItsConnection() async throws {
        var limits = APILimits()
        (limits.headTime, limits.bodyTime, limits.idleTime) = (.milliseconds(50), .milliseconds(50), .milliseconds(50))
        try await serve(limits) { path in
            let silent = try Client(path)
            #expect(await silent.receiveAll() == "")
            let head = try Client(path)
            head.send("GET /v1/version HTTP/1.1\r\nHost:")
            #expect(await head.receiveAll() == "")
            let body = try Client(path)
            body.send(
                "POST /v1/reload HTTP/1.1\r\nHost: run\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{")
            #expect(await body.receiveAll()?.hasPrefix("HTTP/1.1 200") == false)
        }
        // Only what is idle after an answer ends; the request itself has time.
        (limits.headTime, limits.bodyTime) = (.seconds(300), .seconds(300))
        try await serve(limits) { path in
            let idle = try Client(path)
            idle.send(Self.request)
            #expect(await idle.receiveAll()?.hasPrefix("HTTP/1.1 200") == true)
        }
    }

    @Test func connectionBeyondTheLimitIsAnsweredAndClosed() async throws {
        var limits = APILimits()
        (limits.connections, limits.refusals) = (2, 1)
        // Connections stay, however late this test continues.
        limits.refusalTime = .seconds(86_400)
        (limits.headTime, limits.idleTime) = (.seconds(86_400), .seconds(86_400))
        try await serve(limits) { path in
            var clients: [Client] = []
            for _ in 0..<2 {
                let client = try Client(path)
                client.send(Self.request)
                #expect(await client.receive()?.hasPrefix("HTTP/1.1 200") == true)
                clients.append(client)
            }
            // The second one waits until the first one is closed.
            let refused = (try Client(path), try Client(path))
            for client in [refused.0, refused.1] {
                client.send(Self.request)
                let answer = try #require(await client.receiveAll())
                #expect(answer.hasPrefix("HTTP/1.1 503") && answer.contains("as many connections as it can serve"))
                #expect(answer.contains("Connection: close"))
            }
            clients.removeFirst()
            while true {
                let client = try Client(path)
                client.send(Self.request)
                if await client.receive()?.hasPrefix("HTTP/1.1 200") == true { break }
            }
        }
    }

    private static let journal = "GET /v1/journal HTTP/1.1\r\nHost: run\r\n\r\n"

    /// A request that compares the journal with conditions of events that there are not.
    private static func wait(conditions: Int, within: String?) -> String {
        let list = (0..<conditions).map { #"{"match":{"event":"stopping","time":"\#($0)"}}"# }.joined(separator: ",")
        let body = #"{"conditions":[\#(list)]\#(within.map { #","within":"\#($0)""# } ?? "")}"#
        return "POST /v1/journal/wait HTTP/1.1\r\nHost: run\r\nContent-Type: application/json\r\n"
            + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    /// A reply that is cut is no shorter document: it has no last chunk.
    @Test func replyThatIsNotReadEndsItsConnection() async throws {
        var limits = APILimits()
        (limits.readingTime, limits.idleTime) = (.milliseconds(50), .seconds(86_400))
        try await serve(limits, events: 10_000) { path in
            let client = try Client(path)
            client.send(Self.journal)
            await client.waitForEnd()
            let reply = try #require(await client.receiveAll())
            #expect(reply.hasPrefix("HTTP/1.1 200"))
            #expect(reply.lowercased().contains("\r\ntransfer-encoding: chunked\r\n"))
            #expect(!reply.hasSuffix("\r\n0\r\n\r\n"))
        }
        limits.readingTime = .seconds(86_400)
        try await serve(limits, events: 10_000) { path in
            let client = try Client(path)
            client.send(Self.journal)
            var reply = ""
            while !reply.hasSuffix("\r\n0\r\n\r\n") { reply += try #require(await client.receive()) }
            #expect(reply.contains(#""sequence":1,"#) && reply.contains(#""sequence":10000,"#))
        }
    }

    /// A client that has closed its side has left, if its reply takes longer than the limit.
    @Test func clientThatHasLeftEndsItsConnection() async throws {
        var limits = APILimits()
        limits.departureTime = .milliseconds(50)
        try await serve(limits, events: 10_000) { path in
            let client = try Client(path)
            client.send(Self.wait(conditions: 600, within: nil))
            client.endRequests()
            #expect(await client.receiveAll() == "")
        }
        limits.departureTime = .seconds(86_400)
        try await serve(limits) { path in
            // A wait goes on: its reply has begun.
            let waiting = try Client(path)
            waiting.send(Self.wait(conditions: 1, within: "24h"))
            waiting.endRequests()
            // However its parts arrive: the head, and the two line feeds by which the server finds out whether it has left.
            var reply = ""
            while !reply.hasSuffix("\r\n\r\n1\r\n\n\r\n1\r\n\n\r\n") {
                let part = try #require(await waiting.receive())
                try #require(!part.isEmpty, "the connection has ended after \(reply)")
                reply += part
            }
            #expect(reply.hasPrefix("HTTP/1.1 200"))
        }
        try await serve(limits) { path in
            let client = try Client(path)
            client.send(Self.request)
            client.endRequests()
            #expect(await client.receiveAll()?.contains(#""version":"1""#) == true)
        }
    }

    @Test func streamsOfEventsAreLimited() async throws {
        var limits = APILimits()
        limits.streams = 1
        (limits.headTime, limits.idleTime) = (.seconds(86_400), .seconds(86_400))
        let request = "GET /v1/events HTTP/1.1\r\nHost: run\r\n\r\n"
        try await serve(limits) { path in
            var reader: Client? = try Client(path)
            reader?.send(request)
            #expect(await reader?.receive()?.hasPrefix("HTTP/1.1 200") == true)
            let refused = try Client(path)
            refused.send(request)
            #expect(await refused.receive()?.hasPrefix("HTTP/1.1 503") == true)
            reader = nil
            // The place is free when the server has noticed the end.
            while true {
                let next = try Client(path)
                next.send(request)
                if await next.receive()?.hasPrefix("HTTP/1.1 200") == true { break }
            }
        }
    }
}
