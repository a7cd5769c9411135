// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BeaconryStream
import Foundation

/// The receivers of a run, as its HTTP interface presents them; what they receive is what a test sends.
final class FakeRun: Sendable {
    private struct State {
        var receivers: Set<String> = []
        /// The regions of all receivers by their paths, in their order.
        var regions: [(path: String, region: [String: any Sendable])] = []
        var answers: [(method: String, path: String, answer: FakeHTTPServer.Answer)] = []
    }

    let server: FakeHTTPServer
    private let state: Locked<State>

    /// A run with these receivers, which listens.
    init(receivers: Set<String> = [], token: String? = nil) throws {
        let state = Locked(State(receivers: receivers))
        self.state = state
        server = FakeHTTPServer { request in
            if let token, request.fields["authorization"] != "Bearer \(token)" {
                return Self.problem(401, "missing-token", "the token is missing or wrong")
            }
            return state.withLock { Self.answer(request, &$0) }
        }
        try server.start()
    }

    /// The receiver `phone` of this run.
    var phone: BeaconryServer { BeaconryServer(url: server.url) }

    static let ranging = "/v1/receivers/phone/ranging"
    static let monitoring = "/v1/receivers/phone/monitoring"
    static let regions = "/v1/receivers/phone/regions"

    /// The identifiers of the regions of all receivers.
    var identifiers: [String] {
        state.withLock { $0.regions.compactMap { $0.region["identifier"] as? String } }
    }

    /// Answers the next request with this method and path with this instead.
    func answerOnce(_ method: String, _ path: String, _ answer: FakeHTTPServer.Answer) {
        state.withLock { $0.answers.append((method, path, answer)) }
    }

    /// The end of the process; `restart` begins another run on the same port, in which nothing is as it was.
    func die() {
        server.kill()
        state.withLock { $0 = State() }
    }

    func restart() throws { try server.start() }

    /// Changes the state of a region, and reports it, unless the event is `nil`.
    func change(_ identifier: String, to state: String, event: String?) {
        let text = self.state.withLock { run -> String? in
            guard let index = run.regions.firstIndex(where: { $0.region["identifier"] as? String == identifier }) else {
                return nil
            }
            run.regions[index].region["state"] = state
            return event.map { Self.event(run.regions[index].region, $0) }
        }
        if let text { server.send(text, to: Self.monitoring) }
    }

    /// Sends a ranging report.
    func report(_ beacons: [String]) {
        server.send(
            "data: {\"v\":1,\"time\":\"2026-01-31T12:00:00.000Z\",\"beacons\":[\(beacons.joined(separator: ","))]}\n\n",
            to: Self.ranging)
    }

    private static func answer(_ request: FakeHTTPServer.Request, _ state: inout State) -> FakeHTTPServer.Answer {
        let path = String(request.target.prefix { $0 != "?" })
        if let index = state.answers.firstIndex(where: { $0.method == request.method && $0.path == path }) {
            return state.answers.remove(at: index).answer
        }
        let parts = path.split(separator: "/").map { String($0).removingPercentEncoding ?? "" }
        guard parts.count >= 3, parts[..<2] == ["v1", "receivers"] else { return problem(404, "no-resource", path) }
        let receiver = parts[2]
        if parts.count == 3 {
            guard request.method == "PUT" else { return problem(405, "method", request.method) }
            if request.fields["if-none-match"] == "*", state.receivers.contains(receiver) {
                return problem(412, "exists", "the receiver exists")
            }
            state.receivers.insert(receiver)
            return .reply(status: 201, body: "{}")
        }
        guard state.receivers.contains(receiver) else {
            return problem(404, "no-receiver", "there is no receiver \(receiver)", hint: "PUT creates it")
        }
        switch (request.method, parts[3], parts.count) {
        case ("GET", "ranging", 4), ("GET", "advertisements", 4):
            return .stream([": \n\n"])
        case ("GET", "monitoring", 4):
            return .stream([": \n\n"] + state.regions.map { event($0.region, "state") })
        case ("GET", "regions", 4):
            return .reply(status: 200, body: text(["regions": state.regions.map(\.region)]))
        case ("PUT", "regions", 5):
            let index = state.regions.firstIndex { $0.path == path }
            guard index != nil || state.regions.count < 20 else {
                return problem(409, "too-many-regions", "there are 20 regions already")
            }
            guard var region = (try? JSONSerialization.jsonObject(with: request.body)) as? [String: any Sendable] else {
                return problem(400, "not-json", "the body is not JSON")
            }
            region["v"] = 1
            region["identifier"] = parts[4]
            region["state"] = "unknown"
            if let index {
                let former = state.regions[index].region
                let isSame = ["uuid", "major", "minor"].allSatisfy { "\(former[$0] ?? "")" == "\(region[$0] ?? "")" }
                if isSame { region["state"] = former["state"] }
                state.regions[index].region = region
            } else {
                state.regions.append((path, region))
            }
            return .reply(status: index == nil ? 201 : 200, body: text(region))
        case ("DELETE", "regions", 5):
            state.regions.removeAll { $0.path == path }
            return .reply(status: 200, body: "{}")
        default:
            return problem(404, "no-resource", path)
        }
    }

    private static func problem(
        _ status: Int, _ code: String, _ detail: String, hint: String? = nil
    ) -> FakeHTTPServer.Answer {
        var body: [String: any Sendable] = ["status": status, "title": "Problem", "detail": detail, "code": code]
        body["hint"] = hint
        return .reply(status: status, body: text(body), type: "application/problem+json")
    }

    private static func event(_ region: [String: any Sendable], _ event: String) -> String {
        var object = region
        object["event"] = event
        object["time"] = "2026-01-31T12:00:00.000Z"
        return "data: \(text(object))\n\n"
    }

    private static func text(_ object: Any) -> String {
        let data = try? JSONSerialization.data(withJSONObject: object, options: [.sortedKeys, .withoutEscapingSlashes])
        return String(decoding: data ?? Data(), as: UTF8.self)
    }
}
