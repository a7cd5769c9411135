// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Radio
import Synchronization

/// A capture in memory, which ends when it is full.
final class MemoryCapture: CaptureSink {
    private struct State {
        /// The file, in blocks that readers share; all but the last have `blockSize` bytes or more.
        var blocks: [[UInt8]] = []
        var size = 0
        var records = 0
        var isFull = false
        var isStopped = false
    }

    private static let blockSize = 65_536

    /// The limit of its size, in bytes.
    let limit: Int
    private let state = Mutex(State())

    /// An empty capture.
    init(limit: Int) { self.limit = limit }

    /// The records so far, as a btsnoop file.
    var blocks: [[UInt8]] { state.withLock(\.blocks) }

    func append(_ bytes: [UInt8]) {
        state.withLock { state in
            guard !state.isFull, !state.isStopped else { return }
            guard state.size + bytes.count <= limit else {
                state.isFull = true
                return
            }
            // The first is the header of the file.
            if state.size > 0 { state.records += 1 }
            state.size += bytes.count
            if state.blocks.last.map({ $0.count >= Self.blockSize }) ?? true { state.blocks.append([]) }
            state.blocks[state.blocks.count - 1] += bytes
        }
    }

    /// Accepts no more records.
    func stop() { state.withLock { $0.isStopped = true } }

    /// The capture as JSON.
    func record(id: Int) -> CaptureRecord {
        state.withLock {
            CaptureRecord(
                id: id, state: $0.isFull ? .full : $0.isStopped ? .stopped : .running, records: $0.records,
                bytes: $0.size, limit: limit)
        }
    }
}

/// A capture of a run as JSON.
package struct CaptureRecord: Codable, Hashable, Sendable {
    /// Whether a capture takes records.
    package enum State: String, Codable, CaseIterable, Sendable {
        /// It takes records.
        case running
        /// It was stopped.
        case stopped
        /// It has reached its limit, and takes no more records.
        case full
    }

    /// The version of the format.
    package var v = 1
    /// The number of the capture, from 1.
    package let id: Int
    package let state: State
    /// The number of records.
    package let records: Int
    /// The size of the btsnoop file.
    package let bytes: Int
    /// The limit of that size.
    package let limit: Int
}

/// The captures of a run in memory. Confined to the actor of the run.
package final class RunCaptures {
    /// The limit of their number.
    package static let maximum = 16
    /// The limit of the sum of the limits of their sizes, in bytes.
    package static let maximumSize = 1 << 28
    /// The limits of the size of a capture, in bytes.
    package static let sizes = 1024...(1 << 27)
    /// The limit of the size of a capture for which none was requested, in bytes.
    package static let usualSize = 1 << 24

    private var captures: [Int: (capture: MemoryCapture, number: Int)] = [:]
    /// The limits of the sizes of captures that are about to begin.
    private var reserved: [Int] = []
    private var lastID = 0

    /// The captures, oldest first.
    var records: [CaptureRecord] { captures.sorted { $0.key < $1.key }.map { $0.value.capture.record(id: $0.key) } }

    /// Reserves the place of another one; `add` follows.
    /// - Parameter limit: the limit of its size, in bytes.
    /// - Throws: `EmulatorError` `.cannotCreate` if there are too many, or they would be too large.
    func reserve(_ limit: Int) throws(EmulatorError) {
        guard captures.count + reserved.count < Self.maximum else {
            throw EmulatorError(
                .cannotCreate, "there are \(Self.maximum) captures already", hint: "remove those that are not needed")
        }
        let size = captures.values.reduce(limit + reserved.reduce(0, +)) { $0 + $1.capture.limit }
        guard size <= Self.maximumSize else {
            throw EmulatorError(
                .cannotCreate,
                "the captures would have up to \(size) bytes in all, and \(Self.maximumSize) is the limit",
                hint: "remove those that are not needed, or give a lower limit")
        }
        reserved.append(limit)
    }

    /// Adds a capture with its number at the radio, at a reserved place.
    /// - Returns: its id.
    func add(_ capture: MemoryCapture, number: Int) -> Int {
        if let place = reserved.firstIndex(of: capture.limit) { reserved.remove(at: place) }
        lastID += 1
        captures[lastID] = (capture, number)
        return lastID
    }

    /// A capture, and its number at the radio.
    /// - Throws: `EmulatorError` `.unknownCapture`.
    subscript(id: Int) -> (capture: MemoryCapture, number: Int) {
        get throws(EmulatorError) {
            if let found = captures[id] { return found }
            throw EmulatorError(
                .unknownCapture, "there is no capture \(id)", hint: "beaconry ctl capture list shows all")
        }
    }

    /// Removes a capture.
    func remove(_ id: Int) { captures[id] = nil }
}

extension Emulator {
    /// The captures in memory, oldest first.
    package var captureRecords: [CaptureRecord] { captures.records }

    /// Begins a capture in memory.
    /// - Parameter limit: the limit of its size, in bytes; `nil` for 16 MiB.
    /// - Throws: `EmulatorError` `.badProfile` for a limit out of range, `.cannotCreate` for captures that are too many or too
    ///   large, or `.unsupported` for a radio that has none.
    package func startCapture(limit: Int?) async throws(EmulatorError) -> CaptureRecord {
        let limit = limit ?? RunCaptures.usualSize
        guard RunCaptures.sizes.contains(limit) else {
            throw EmulatorError(
                .badProfile, "\(limit) is not the limit of a capture",
                hint: "give a number of bytes from \(RunCaptures.sizes.lowerBound) to \(RunCaptures.sizes.upperBound)")
        }
        let radio = try capturingRadio()
        try captures.reserve(limit)
        let capture = MemoryCapture(limit: limit)
        let number = await radio.beginCapture(capture)
        let id = captures.add(capture, number: number)
        return capture.record(id: id)
    }

    /// Ends a capture; what it has stays.
    /// - Throws: `EmulatorError` `.unknownCapture`.
    package func stopCapture(_ id: Int) async throws(EmulatorError) -> CaptureRecord {
        let (capture, number) = try captures[id]
        capture.stop()
        await (try capturingRadio()).endCapture(number)
        return capture.record(id: id)
    }

    /// The records of a capture so far, as a btsnoop file in blocks.
    /// - Throws: `EmulatorError` `.unknownCapture`.
    package func captureBlocks(_ id: Int) throws(EmulatorError) -> [[UInt8]] { try captures[id].capture.blocks }

    /// The state of a capture.
    /// - Throws: `EmulatorError` `.unknownCapture`.
    package func captureRecord(_ id: Int) throws(EmulatorError) -> CaptureRecord {
        try captures[id].capture.record(id: id)
    }

    /// Ends and removes a capture.
    /// - Throws: `EmulatorError` `.unknownCapture`.
    package func removeCapture(_ id: Int) async throws(EmulatorError) -> CaptureRecord {
        let record = try await stopCapture(id)
        captures.remove(id)
        return record
    }

    private func capturingRadio() throws(EmulatorError) -> any CapturingRadio {
        if let radio = radio as? any CapturingRadio { return radio }
        throw EmulatorError(
            .unsupported, "\(radio.name) has no captures",
            hint: "record its traffic with btmon -w FILE, or run on the virtual air (--radio virtual)")
    }
}
