// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Dispatch
package import Emulator
import Glibc
import Radio
package import RunAPI
import Synchronization

/// The service manager that started the process, if it takes notifications of its state (sd_notify(3)).
package struct ServiceManager: Sendable {
    private let address: String
    /// A manager that does not read blocks this queue, and nothing else.
    private let queue = DispatchQueue(label: "service manager")
    private let waiting = Waiting()
    /// The number of messages that wait for a manager that does not read; others are dropped, except the first and the last.
    private static let limit = 64
    /// Until the beacons are on the air, the status changes this often at most: there may be thousands of them.
    private static let pause = Duration.milliseconds(500)

    private final class Waiting: Sendable {
        let count = Mutex(0)
    }

    /// The time within which the manager expects a sign of life; `nil` for no limit.
    private let limit: Duration?

    /// The manager that `NOTIFY_SOCKET` names; `nil` for none.
    package init?() {
        guard let address = Environment.value("NOTIFY_SOCKET"), address.hasPrefix("/") || address.hasPrefix("@") else {
            return nil
        }
        self.address = address
        let isForThisProcess = Environment.value("WATCHDOG_PID").map { Int($0) == Int(getpid()) } ?? true
        limit =
            isForThisProcess
            ? Environment.value("WATCHDOG_USEC").flatMap { Int64($0) }.map { .microseconds($0) } : nil
    }

    /// Sends the state of a run until it ends. The service is started when its state folder and control socket are open, and the
    /// radio is, or the status has what it waits for; it may be long until the beacons are on the air.
    /// - Parameters:
    ///   - events: its events; the first one of the radio is posted when state folder and socket are open.
    ///   - summary: what is on the air; it returns when the run has done something, so it is the sign of life, too.
    ///   - versions: what runs.
    package func follow(
        _ events: AsyncStream<PostedEvent>, summary: @escaping @Sendable () async -> AirSummary,
        versions: @escaping @Sendable () async -> RunVersions
    ) async {
        let watchdog = Task {
            guard let limit else { return }
            while (try? await Task.sleep(for: limit / 2)) != nil {
                _ = await summary()
                send("WATCHDOG=1")
            }
        }
        defer { watchdog.cancel() }
        let (steps, step) = AsyncStream.makeStream(of: ServiceStatus.Step.self)
        let forwarding = Task {
            for await posted in events where ServiceStatus.concerns(posted.event) { step.yield(.event(posted.event)) }
            step.finish()
        }
        defer { forwarding.cancel() }
        var status = ServiceStatus()
        for await next in steps {
            switch status.take(next) {
            case .nothing: break
            case .pause:
                Task {
                    try? await Task.sleep(for: Self.pause)
                    step.yield(.pauseEnded)
                }
            case .report(let isImportant):
                guard let message = status.message(await summary(), await versions()) else { continue }
                send(message, isImportant: isImportant)
            case .stopping: send("STOPPING=1\nSTATUS=stopping", isImportant: true)
            }
        }
        // The process may end afterwards.
        await writeAll(within: .seconds(1))
    }

    /// Waits until all messages are written, or for a time: a manager that does not read delays no end.
    private func writeAll(within limit: DispatchTimeInterval) async {
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        queue.async { end.yield() }
        DispatchQueue.global().asyncAfter(deadline: .now() + limit) { end.yield() }
        for await _ in ends { break }
    }

    /// Sends assignments, one a line. A manager that has gone is no reason to end.
    private func send(_ state: String, isImportant: Bool = false) {
        let isAccepted = waiting.count.withLock { count in
            guard isImportant || count < Self.limit else { return false }
            count += 1
            return true
        }
        guard isAccepted else { return }
        queue.async {
            write(state)
            waiting.count.withLock { $0 -= 1 }
        }
    }

    private func write(_ state: String) {
        var socketAddress = sockaddr_un()
        var path = Array(address.utf8)
        // A name without a file begins with a zero byte.
        if path.first == UInt8(ascii: "@") { path[0] = 0 }
        guard path.count < MemoryLayout.size(ofValue: socketAddress.sun_path) else { return }
        socketAddress.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &socketAddress.sun_path) { $0.copyBytes(from: path) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + path.count)
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let bytes = Array(state.utf8)
        withUnsafePointer(to: socketAddress) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                _ = sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), address, length)
            }
        }
    }
}
