// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
@preconcurrency import Dispatch
import Glibc
import Persistence
import Radio
import Synchronization
import SystemPackage

/// Writes a capture to a file, on its own queue, so that a slow disk does not block the radio.
///
/// The queue is bounded: if the file is too slow, records are dropped and counted. Only its owner may read the file,
/// since it contains keys that hosts and controllers exchange.
package final class CaptureFile: CaptureSink {
    /// The limit of the queue, in bytes.
    static let capacity = 4 << 20
    /// The size of a btsnoop file without records.
    private static let headerSize = 16

    /// Time limits of `finish()`.
    struct Patience {
        /// For a file that accepts no bytes.
        var stalled = Duration.seconds(2)
        /// For a file that is slow.
        var slow = Duration.seconds(10)
    }

    private struct State {
        /// The bytes that are or will be in the file.
        var acceptedBytes = 0
        var waitingBytes = 0
        var waitingRecords = 0
        var writtenRecords = 0
        var droppedRecords = 0
        var failure: SystemError?
        var warn: (@Sendable (Warning) -> Void)?
    }

    private let descriptor: FileDescriptor
    private let path: String
    /// Whether the file did not exist before.
    private let isNew: Bool
    private let patience: Patience
    private let queue = DispatchQueue(label: "capture")
    private let state = Mutex(State())

    /// Creates a file, or truncates a file of this user, or opens a FIFO. `/dev/stdout`, `/dev/fd/N` and the like are
    /// the open files with these numbers; other symbolic links are not followed, but to devices.
    /// - Throws: `EmulatorError` `.cannotCreate`.
    package convenience init(_ path: String) throws(EmulatorError) { try self.init(path, patience: Patience()) }

    init(_ path: String, patience: Patience) throws(EmulatorError) {
        self.path = path
        self.patience = patience
        isNew = !Folder.exists(path)
        do throws(SystemError) {
            descriptor = try Self.open(path)
        } catch {
            throw EmulatorError(
                .cannotCreate, "cannot create the capture file \(path): \(error.cause)",
                hint: "choose another file (--capture FILE)")
        }
    }

    private static func open(_ path: String) throws(SystemError) -> FileDescriptor {
        let attempt = "create \(path)"
        if let descriptor = try OutputFile.openFile(named: path, attempt) { return descriptor }
        let descriptor: FileDescriptor
        var options: FileDescriptor.OpenOptions = [.create, .closeOnExec, .noFollow, .noControllingTerminal]
        // Nothing of another user is behind a link to a device.
        if (try? FilePath(path).stat().type) == .characterSpecial { options.remove(.noFollow) }
        do {
            descriptor = try FileDescriptor.open(
                FilePath(path), .writeOnly, options: options, permissions: .ownerReadWrite)
        } catch {
            throw SystemError(opening: error, attempt: attempt)
        }
        do {
            try claim(descriptor, attempt)
        } catch {
            try? descriptor.close()
            throw error
        }
        return descriptor
    }

    /// Verifies that a file or a FIFO belongs to this user, and empties a file.
    private static func claim(_ descriptor: FileDescriptor, _ attempt: String) throws(SystemError) {
        do {
            let status = try descriptor.stat()
            let owner = status.userID.rawValue
            // In /tmp, another user may have created a file or a FIFO of that name, to read the capture.
            if [.regular, .fifo].contains(status.type), owner != geteuid() {
                throw SystemError(
                    .permissionDenied, attempt: attempt, reason: "it exists already and belongs to user \(owner)")
            }
            guard status.type == .regular else { return }
            // An existing file has kept its mode and its content.
            guard fchmod(descriptor.rawValue, 0o600) == 0 else { throw SystemError.current(attempt) }
            try descriptor.resize(to: 0)
        } catch {
            throw error as? SystemError ?? SystemError(thrown: error, attempt: attempt)
        }
    }

    /// Sets a function that receives a warning when the first record is dropped.
    package func onIncomplete(_ warn: @escaping @Sendable (Warning) -> Void) { state.withLock { $0.warn = warn } }

    package func append(_ bytes: [UInt8]) {
        let (isAccepted, warning) = state.withLock { state -> (Bool, (@Sendable (Warning) -> Void)?) in
            guard state.failure == nil else {
                state.droppedRecords += 1
                return (false, nil)
            }
            guard state.waitingBytes + bytes.count <= Self.capacity else {
                state.droppedRecords += 1
                return (false, state.droppedRecords == 1 ? state.warn : nil)
            }
            state.acceptedBytes += bytes.count
            state.waitingBytes += bytes.count
            state.waitingRecords += 1
            return (true, nil)
        }
        warning?(incomplete("\(path) is too slow for the number of packets"))
        guard isAccepted else { return }
        queue.async { self.write(bytes) }
    }

    /// Runs on the queue.
    private func write(_ bytes: [UInt8]) {
        var failure = state.withLock(\.failure)
        let hadFailed = failure != nil
        if !hadFailed {
            do { try descriptor.writeAll(bytes) } catch {
                failure = SystemError(thrown: error, attempt: "write \(path)")
            }
        }
        let warn = state.withLock { state in
            state.waitingBytes -= bytes.count
            state.waitingRecords -= 1
            state.writtenRecords += 1
            if failure != nil { state.droppedRecords += 1 }
            state.failure = failure
            return state.warn
        }
        if let failure, !hadFailed { warn?(incomplete("\(failure)")) }
    }

    private func incomplete(_ reason: String) -> Warning {
        Warning(
            code: "capture-incomplete", message: "the capture is incomplete from now on: \(reason)",
            hint: "make room, or choose a faster file (--capture FILE)")
    }

    /// Waits until all records are written, or the time limit has passed.
    /// - Throws: `EmulatorError` `.inputOutput` if records are missing.
    package func finish() async throws(EmulatorError) {
        let clock = ContinuousClock()
        let start = clock.now
        var (lastChange, lastCount) = (start, -1)
        var missing = 0
        while true {
            let state = state.withLock { ($0.waitingRecords, $0.writtenRecords, $0.droppedRecords) }
            missing = state.0 + state.2
            if state.1 != lastCount { (lastChange, lastCount) = (clock.now, state.1) }
            let isOver = clock.now - lastChange >= patience.stalled || clock.now - start >= patience.slow
            if state.0 == 0 || isOver { break }
            try? await Task.sleep(for: .milliseconds(5))
        }
        let failure = state.withLock(\.failure)
        guard missing > 0 || failure != nil else { return }
        let reason = failure.map { "\($0)" } ?? "\(path) is too slow for the number of packets"
        throw EmulatorError(
            .inputOutput, "the capture file is incomplete, \(missing) records are missing: \(reason)",
            hint: "make room, or choose another file")
    }

    /// Removes a file that was created for a run that did not start, and has no records. It does not wait for the medium.
    package func discard() {
        guard isNew, state.withLock({ $0.acceptedBytes <= Self.headerSize }) else { return }
        unlink(path)
    }

    deinit { try? descriptor.close() }
}
