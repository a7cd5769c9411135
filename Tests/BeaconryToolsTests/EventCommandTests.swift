// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TestTraits
import Testing

@testable import BeaconryTools

@Suite(.realTime, .timeLimit(.minutes(10)))
struct EventCommandTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A script of the shell as a command. It is not a file that was just written: while another test starts a process, that
    /// process may have the file open for writing, and the system refuses to execute it.
    private static func shell(_ script: String) -> [String] { ["/bin/sh", "-c", script, "script"] }

    private func run(_ arguments: [String], timeout: Duration = .seconds(300), input: String = "") async throws {
        try await EventCommand(arguments: arguments, timeout: timeout).run(
            environment: ["BEACONRY_EVENT": "entered", "BEACONRY_MESSAGE": "a; $(b)"], input: input)
    }

    @Test func eventIsInTheEnvironmentAndOnStandardInput() async throws {
        let out = folder.file("out")
        let script = Self.shell(
            "echo \"$BEACONRY_EVENT|$BEACONRY_MESSAGE|$#|$1|${HOME:+home}\" > \(out); cat >> \(out)")
        try await run(script + ["x; y"], input: "{\"v\":1}\n")
        #expect(folder.text(of: "out") == "entered|a; $(b)|1|x; y|home\n{\"v\":1}\n")
    }

    @Test func programsAreLookedUpInPATH() async throws {
        try await run(["true"])
        await #expect(throws: EventCommand.Trouble.failed(1)) { try await run(["false"]) }
    }

    @Test func commandThatDoesNotReadItsInputSucceeds() async throws {
        try await run(["true"], input: String(repeating: "x", count: 4000))
    }

    @Test func exitCodesAndSignalsAreReported() async throws {
        let failing = Self.shell("exit 3")
        await #expect(throws: EventCommand.Trouble.failed(3)) { try await run(failing) }
        let killed = Self.shell("kill -9 $$")
        await #expect(throws: EventCommand.Trouble.killed(9)) { try await run(killed) }
    }

    @Test func missingProgramCannotBeStarted() async throws {
        for program in [folder.file("none"), "beaconry-no-such-program"] {
            do {
                try await run([program])
                Issue.record("\(program) was started")
            } catch EventCommand.Trouble.notStarted(let reason) {
                #expect(!reason.isEmpty)
            }
        }
    }

    @Test func fileThatIsNotExecutableIsNamed() async throws {
        let file = try folder.write("#!/bin/sh\nexit 0\n", to: "script", mode: 0o644)
        await #expect(
            throws: EventCommand.Trouble.notStarted("\(file) is not executable; make it so (chmod +x \(file))")
        ) { try await run([file]) }
    }

    @Test func timeLimitEndsTheWholeGroup() async throws {
        let pids = folder.file("pids")
        let script = Self.shell(
            "trap '' TERM\nsleep 300 &\necho $$ $! > \(pids).new; mv \(pids).new \(pids)\nwait; sleep 300")
        await #expect(throws: EventCommand.Trouble.tookTooLong) { try await run(script, timeout: .seconds(20)) }
        let started = try #require(folder.text(of: "pids")).split(whereSeparator: \.isWhitespace).compactMap {
            pid_t($0)
        }
        #expect(started.count == 2)
        // The orphan is reaped by another process, which takes a moment.
        for pid in started { while isRunning(pid) { try await Task.sleep(for: .milliseconds(10)) } }
    }

    /// Whether a process exists that is not a zombie.
    private func isRunning(_ pid: pid_t) -> Bool {
        guard let status = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8) else { return false }
        return !status.contains(") Z ")
    }

    @Test func cancellationEndsTheCommand() async throws {
        let script = Self.shell("sleep 300")
        let start = ContinuousClock.now
        let task = Task { try await run(script) }
        try await Task.sleep(for: .milliseconds(200))
        task.cancel()
        await #expect(throws: EventCommand.Trouble.tookTooLong) { try await task.value }
        #expect(start.duration(to: .now) < .seconds(250))
    }

    @Test func openFilesAreNotInherited() async throws {
        let descriptor = open("/dev/null", O_RDONLY)
        defer { close(descriptor) }
        let out = folder.file("out")
        try await run(Self.shell("ls /proc/self/fd | wc -l > \(out)"))
        // The three streams, the redirected output aside, and the folder that ls reads.
        let text = try #require(folder.text(of: "out"))
        let count = try #require(Int(text.filter(\.isNumber)))
        #expect(count == 4)
    }

    @Test func inputBeyondThePipeIsRefused() async throws {
        do {
            try await run(["true"], input: String(repeating: "x", count: 1 << 21))
            Issue.record("the input was accepted")
        } catch EventCommand.Trouble.notStarted {}
    }
}
