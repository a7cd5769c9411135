// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BeaconryStream
import Foundation
import Testing

@Suite(.timeLimit(.minutes(5))) struct StreamTests {
    private var quick: BeaconryStream.Options {
        var options = BeaconryStream.Options()
        options.retryDelay = 0.05
        return options
    }

    private func payloads(_ events: [BeaconryStream.Event]) -> [String] {
        events.compactMap { if case .payload(let data) = $0 { String(decoding: data, as: UTF8.self) } else { nil } }
    }

    private func connections(_ events: [BeaconryStream.Event]) -> Int { events.filter { $0 == .connected }.count }

    private func failures(_ events: [BeaconryStream.Event]) -> [RequestFailure] {
        events.compactMap { if case .disconnected(let failure) = $0 { failure } else { nil } }
    }

    @Test func payloadsComeInTheirOrder() async throws {
        let run = try FakeRun(receivers: ["phone"])
        let events = Recorder<BeaconryStream.Event>()
        let stream = BeaconryStream(run.phone, "ranging", options: quick) { events.add($0) }
        try await wait(until: "one stream") { run.server.streamCount(FakeRun.ranging) == 1 }
        for number in 0..<500 { run.server.send("data: \(number)\n\n", to: FakeRun.ranging) }
        try await wait(until: "500 payloads") { payloads(events.all).count == 500 }
        #expect(payloads(events.all) == (0..<500).map(String.init))
        #expect(events.all.first == .connected)
        stream.close()
    }

    @Test func eventsMayBeCutAnywhere() async throws {
        let run = try FakeRun(receivers: ["phone"])
        let events = Recorder<BeaconryStream.Event>()
        let stream = BeaconryStream(run.phone, "ranging", options: quick) { events.add($0) }
        try await wait(until: "one stream") { run.server.streamCount(FakeRun.ranging) == 1 }
        for byte in Data("data: {\"name\":\"Käse 🏪\"}\n\ndata: 2\n\n".utf8) {
            run.server.send(Data([byte]), to: FakeRun.ranging)
        }
        try await wait(until: "two payloads") { payloads(events.all).count == 2 }
        #expect(payloads(events.all) == ["{\"name\":\"Käse 🏪\"}", "2"])
        stream.close()
    }

    @Test func requestHasTokenAndQuery() async throws {
        let run = try FakeRun(receivers: ["phone"], token: "0123456789abcdef")
        var server = run.phone
        server.token = "0123456789abcdef"
        let events = Recorder<BeaconryStream.Event>()
        let query = [URLQueryItem(name: "format", value: "ibeacon"), URLQueryItem(name: "major", value: "1")]
        let stream = BeaconryStream(server, "advertisements", query: query, options: quick) { events.add($0) }
        try await wait(until: "connected") { connections(events.all) == 1 }
        let request = try #require(run.server.requests.first)
        #expect(request.target == "/v1/receivers/phone/advertisements?format=ibeacon&major=1")
        #expect(request.fields["accept"] == "text/event-stream")
        stream.close()
    }

    @Test func missingTokenIsReportedWithItsDetailsAndTriedAgain() async throws {
        let run = try FakeRun(receivers: ["phone"], token: "0123456789abcdef")
        let events = Recorder<BeaconryStream.Event>()
        let stream = BeaconryStream(run.phone, "ranging", options: quick) { events.add($0) }
        try await wait(until: "two failures") { failures(events.all).count >= 2 }
        let failure = try #require(failures(events.all).first)
        #expect(failure.status == 401)
        #expect(failure.code == "missing-token")
        #expect(failure.description == "HTTP status 401: the token is missing or wrong")
        stream.close()
    }

    @Test func missingReceiverIsCreatedAndConnected() async throws {
        let run = try FakeRun()
        let events = Recorder<BeaconryStream.Event>()
        let stream = BeaconryStream(run.phone, "ranging", options: quick) { events.add($0) }
        try await wait(until: "connected") { connections(events.all) == 1 }
        #expect(run.server.requests.map(\.method) == ["GET", "PUT", "GET"])
        let put = run.server.requests[1]
        #expect(put.target == "/v1/receivers/phone")
        #expect(put.body == Data("{}".utf8))
        #expect(put.fields["content-type"] == "application/json")
        #expect(failures(events.all).isEmpty)
        stream.close()
    }

    /// The server refuses to create the receiver for now, or another client removes it as soon as it is created.
    @Test(arguments: [(503, 503), (201, 404)]) func receiverThatIsStillMissingIsCreatedAfterTheDelay(
        answer: Int, failure: Int
    ) async throws {
        let run = try FakeRun()
        run.answerOnce("PUT", "/v1/receivers/phone", .reply(status: answer, body: "{}"))
        let events = Recorder<BeaconryStream.Event>()
        let stream = BeaconryStream(run.phone, "ranging", options: quick) { events.add($0) }
        try await wait(until: "connected") { connections(events.all) == 1 }
        #expect(failures(events.all).map(\.status) == [failure])
        #expect(run.server.requests("PUT", "/v1/receivers/phone").count == 2)
        stream.close()
    }

    @Test func existingReceiverIsNotReplaced() async throws {
        let run = try FakeRun(receivers: ["phone"])
        let events = Recorder<BeaconryStream.Event>()
        let stream = BeaconryStream(run.phone, "ranging", options: quick) { events.add($0) }
        try await wait(until: "connected") { connections(events.all) == 1 }
        run.server.end(FakeRun.ranging)
        try await wait(until: "connected again") { connections(events.all) == 2 }
        #expect(Set(run.server.requests.map(\.method)) == ["GET"])
        stream.close()
    }

    @Test func receiverThatAnotherClientCreatesMeanwhileIsKept() async throws {
        let run = try FakeRun(receivers: ["phone"])
        run.answerOnce("GET", FakeRun.ranging, .reply(status: 404, body: "{}"))
        let events = Recorder<BeaconryStream.Event>()
        let stream = BeaconryStream(run.phone, "ranging", options: quick) { events.add($0) }
        try await wait(until: "connected") { connections(events.all) == 1 }
        #expect(run.server.requests("PUT", "/v1/receivers/phone").first?.fields["if-none-match"] == "*")
        #expect(failures(events.all).isEmpty)
        stream.close()
    }

    @Test func resourceThatDoesNotExistIsNotPutWithoutDelay() async throws {
        let run = try FakeRun()
        let events = Recorder<BeaconryStream.Event>()
        let stream = BeaconryStream(run.phone, "nothing", options: quick) { events.add($0) }
        try await wait(until: "three failures") { failures(events.all).count >= 3 }
        stream.close()
        let puts = run.server.requests("PUT", "/v1/receivers/phone").count
        let gets = run.server.requests("GET", "/v1/receivers/phone/nothing").count
        #expect(puts * 2 <= gets + 1)
        #expect(failures(events.all).allSatisfy { $0.status == 404 })
    }

    @Test(arguments: [500, 503, 429]) func errorOfTheServerIsTriedAgain(status: Int) async throws {
        let run = try FakeRun(receivers: ["phone"])
        run.answerOnce("GET", FakeRun.ranging, .reply(status: status, body: "busy", type: "text/plain"))
        let events = Recorder<BeaconryStream.Event>()
        let stream = BeaconryStream(run.phone, "ranging", options: quick) { events.add($0) }
        try await wait(until: "connected") { connections(events.all) == 1 }
        #expect(failures(events.all).map(\.status) == [status])
        stream.close()
    }

    @Test func answerThatIsNoStreamIsReported() async throws {
        let run = try FakeRun(receivers: ["phone"])
        run.answerOnce("GET", FakeRun.ranging, .reply(status: 200, body: "data: 1\n\n", type: "text/html"))
        let events = Recorder<BeaconryStream.Event>()
        let stream = BeaconryStream(run.phone, "ranging", options: quick) { events.add($0) }
        try await wait(until: "connected") { connections(events.all) == 1 }
        #expect(failures(events.all).map(\.message) == ["the answer is not a stream of events"])
        #expect(payloads(events.all).isEmpty)
        stream.close()
    }

    #if !canImport(FoundationNetworking)
        @Test func redirectIsNotFollowed() async throws {
            let other = FakeHTTPServer { _ in .stream() }
            try other.start()
            let location = other.url.absoluteString
            let server = FakeHTTPServer { _ in .reply(status: 302, body: "", location: location) }
            try server.start()
            let events = Recorder<BeaconryStream.Event>()
            let stream = BeaconryStream(BeaconryServer(url: server.url), "ranging", options: quick) { events.add($0) }
            try await wait(until: "a failure") { !failures(events.all).isEmpty }
            #expect(failures(events.all).first?.status == 302)
            #expect(other.requests.isEmpty)
            stream.close()
        }
    #endif

    @Test func serverThatDiesAndComesBackOnTheSamePortIsConnectedAgain() async throws {
        let run = try FakeRun(receivers: ["phone"])
        let events = Recorder<BeaconryStream.Event>()
        let stream = BeaconryStream(run.phone, "ranging", options: quick) { events.add($0) }
        try await wait(until: "one stream") { run.server.streamCount(FakeRun.ranging) == 1 }
        // A line that is not finished does not continue on the next connection.
        run.server.send("data: 1\n\ndata: 2", to: FakeRun.ranging)
        try await wait(until: "a payload") { !payloads(events.all).isEmpty }
        run.die()
        try await wait(until: "a failure to connect") { failures(events.all).count >= 2 }
        try run.restart()
        try await wait(until: "one stream") { run.server.streamCount(FakeRun.ranging) == 1 }
        run.server.send("3\n\ndata: 4\n\n", to: FakeRun.ranging)
        try await wait(until: "two payloads") { payloads(events.all).count == 2 }
        #expect(payloads(events.all) == ["1", "4"])
        stream.close()
    }

    @Test func silentConnectionIsReplaced() async throws {
        let run = try FakeRun(receivers: ["phone"])
        run.answerOnce("GET", FakeRun.ranging, .silence)
        var options = quick
        options.readTimeout = 1
        let events = Recorder<BeaconryStream.Event>()
        let stream = BeaconryStream(run.phone, "ranging", options: options) { events.add($0) }
        try await wait(until: "connected") { connections(events.all) >= 1 }
        #expect(failures(events.all).first != nil)
        stream.close()
    }

    @Test func longLineIsDropped() async throws {
        let run = try FakeRun(receivers: ["phone"])
        var options = quick
        options.maximumLineLength = 1000
        let events = Recorder<BeaconryStream.Event>()
        let stream = BeaconryStream(run.phone, "ranging", options: options) { events.add($0) }
        try await wait(until: "one stream") { run.server.streamCount(FakeRun.ranging) == 1 }
        run.server.send("data: \(String(repeating: "x", count: 100_000))\n\ndata: 2\n\n", to: FakeRun.ranging)
        try await wait(until: "a payload") { !payloads(events.all).isEmpty }
        #expect(payloads(events.all) == ["2"])
        stream.close()
    }

    @Test func closedStreamDisconnectsAndStays() async throws {
        let run = try FakeRun(receivers: ["phone"])
        let events = Recorder<BeaconryStream.Event>()
        let stream = BeaconryStream(run.phone, "ranging", options: quick) { events.add($0) }
        try await wait(until: "one stream") { run.server.streamCount(FakeRun.ranging) == 1 }
        stream.close()
        stream.close()
        try await wait(until: "no stream") { run.server.streamCount(FakeRun.ranging) == 0 }
        #expect(failures(events.all).isEmpty)
        #expect(run.server.requests.count == 1)
    }

    @Test func streamThatIsReleasedDisconnects() async throws {
        let run = try FakeRun(receivers: ["phone"])
        var stream: BeaconryStream? = BeaconryStream(run.phone, "ranging", options: quick) { _ in }
        try await wait(until: "one stream") { run.server.streamCount(FakeRun.ranging) == 1 }
        #expect(stream != nil)
        stream = nil
        try await wait(until: "no stream") { run.server.streamCount(FakeRun.ranging) == 0 }
    }

    @Test(arguments: [
        ("http://localhost:8080", "http://localhost:8080/v1/receivers/phone/regions/"),
        ("http://host/air/", "http://host/air/v1/receivers/phone/regions/"),
    ])
    func partsOfThePathAreEncoded(base: String, expected: String) throws {
        let server = BeaconryServer(url: try #require(URL(string: base)))
        let url = server.request("PUT", ["regions", "a/b ?#%ä🏪"]).url
        #expect(url?.absoluteString == expected + "a%2Fb%20%3F%23%25%C3%A4%F0%9F%8F%AA")
    }
}
