// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RunAPI
import Testing

@testable import RunServer

/// Which requests of browsers are performed: every path of the server, by every way in which a page can send a request, by every method.
@Suite struct RequestGuardTests {
    /// Where a request comes from.
    private enum Sender: CaseIterable {
        /// A program, or an old browser.
        case program
        /// The address line of a browser, or a bookmark.
        case user
        /// The page of the server.
        case page
        /// An image, a link or a frame in a page of another port of this machine, and of another machine.
        case elementOfThisMachine, elementOfAnother
        /// A script of such a page.
        case scriptOfThisMachine, scriptOfAnother
        /// A script of an origin that is allowed, and an element of its page.
        case allowedScript, allowedElement

        var fields: HTTPFields {
            var fields = HTTPFields()
            fields[HTTPField.Name("Sec-Fetch-Site")!] =
                switch self {
                case .program: nil
                case .user: "none"
                case .page: "same-origin"
                case .elementOfThisMachine, .scriptOfThisMachine: "same-site"
                case .elementOfAnother, .scriptOfAnother, .allowedScript, .allowedElement: "cross-site"
                }
            fields[.origin] =
                switch self {
                case .scriptOfThisMachine: "http://localhost:3000"
                case .scriptOfAnother: "https://evil.example"
                case .allowedScript: "capacitor://localhost"
                default: nil
                }
            return fields
        }

        func mayRequest(_ path: String, _ method: HTTPRequest.Method, isPage: Bool) -> Bool {
            switch self {
            case .program, .user, .page: true
            // As a link to the page.
            case .elementOfThisMachine, .elementOfAnother, .allowedElement: isPage
            case .scriptOfThisMachine, .scriptOfAnother: false
            case .allowedScript: path.hasPrefix("/v1/receivers") && [.get, .head, .options].contains(method)
            }
        }
    }

    private static let methods: [HTTPRequest.Method] = [.get, .head, .put, .post, .patch, .delete, .options]
    private static let host = "127.0.0.1:8080"
    private static let requestGuard = RequestGuard(
        hosts: ["127.0.0.1"], token: nil, origins: ["capacitor://localhost"])

    /// The paths of all operations with a name in each place, and of the files of the page.
    private static let paths: [(path: String, isPage: Bool)] = {
        let operations = Set(Operations.all.map(\.path)).sorted().map { path in
            path.split(separator: "/").map { $0.hasPrefix("{") ? "name" : String($0) }.joined(separator: "/")
        }
        return operations.map { ("/\($0)", false) } + PageFile.all.map { ("/\($0.path)", true) }
    }()

    private static func isPerformed(
        _ path: String, _ method: HTTPRequest.Method, from sender: Sender, isPage: Bool, over guardian: RequestGuard
    ) -> Bool {
        let head = HTTPRequest(
            method: method, scheme: "http", authority: host, path: path, headerFields: sender.fields)
        do throws(Problem) {
            try guardian.check(head, queryToken: nil, isPage: isPage)
            return true
        } catch {
            #expect(error.status == 403 && error.code == "foreign-origin")
            return false
        }
    }

    @Test func requestsOfOtherOriginsAreRefused() {
        #expect(Self.paths.count > 60 && Self.paths.contains { $0.isPage })
        for (path, isPage) in Self.paths {
            for method in Self.methods {
                for sender in Sender.allCases {
                    #expect(
                        Self.isPerformed(path, method, from: sender, isPage: isPage, over: Self.requestGuard)
                            == sender.mayRequest(path, method, isPage: isPage),
                        "\(method) \(path) from \(sender)")
                }
            }
        }
    }

    @Test func unixSocketsHaveNoBrowsers() {
        let guardian = RequestGuard(hosts: nil, token: nil)
        for sender in [Sender.program, .user, .elementOfAnother] {
            #expect(Self.isPerformed("/v1/stop", .post, from: sender, isPage: false, over: guardian))
        }
    }

    @Test(
        arguments: [
            (nil, "no-token"), ("Bearer", "no-token"), ("Basic 0123456789abcdef", "no-token"),
            ("Bearer 0123456789abcdeg", "wrong-token"), ("Bearer 0123456789abcde", "wrong-token"),
            ("bearer 0123456789abcdef", nil),
        ] as [(String?, String?)])
    func missingAndWrongTokensAreDifferentProblems(authorization: String?, code: String?) {
        let guardian = RequestGuard(hosts: ["127.0.0.1"], token: "0123456789abcdef")
        var fields = HTTPFields()
        fields[.authorization] = authorization
        let head = HTTPRequest(
            method: .get, scheme: "http", authority: Self.host, path: "/v1/beacons", headerFields: fields)
        do throws(Problem) {
            try guardian.check(head, queryToken: nil)
            #expect(code == nil)
        } catch {
            #expect(error.status == 401 && error.code == code)
        }
    }

    @Test func preflightOfAnAllowedOriginIsAnswered() {
        func head(_ path: String, _ origin: String) -> HTTPRequest {
            var fields: HTTPFields = [.origin: origin]
            fields[HTTPField.Name("Sec-Fetch-Site")!] = "cross-site"
            fields[HTTPField.Name("Access-Control-Request-Method")!] = "GET"
            return HTTPRequest(method: .options, scheme: "http", authority: Self.host, path: path, headerFields: fields)
        }
        #expect(Self.requestGuard.isPreflight(head("/v1/receivers/app/ranging", "capacitor://localhost")))
        #expect(!Self.requestGuard.isPreflight(head("/v1/receivers/app/ranging", "https://evil.example")))
        #expect(!Self.requestGuard.isPreflight(head("/v1/beacons", "capacitor://localhost")))
    }
}
