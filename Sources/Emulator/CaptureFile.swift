// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

@preconcurrency import Dispatch
import Glibc
public import Radio

/// A capture on its way to a file. Writing happens aside, so that a slow disk holds up no radio.
public final class CaptureFile: CaptureSink {
    private let descriptor: Int32
    private let path: String
    private let queue = DispatchQueue(label: "capture")
    /// Only used on the queue.
    nonisolated(unsafe) private var failure: SystemError?

    /// Creates a file, or empties one that is there.
    /// - Throws: `EmulatorError` `.cannotCreate`.
    public init(_ path: String) throws(EmulatorError) {
        descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        self.path = path
        guard descriptor >= 0 else {
            throw EmulatorError(
                .cannotCreate, "cannot create the capture file \(path): \(String(cString: strerror(errno)))",
                cure: "choose another file (--capture FILE)")
        }
    }

    public func append(_ bytes: [UInt8]) {
        queue.async { [self] in
            guard failure == nil else { return }
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else {
                    failure = .current("write \(path)")
                    return
                }
                rest = rest.dropFirst(count)
            }
        }
    }

    /// Waits until all is written.
    /// - Throws: `EmulatorError` `.inputOutput` when not all could be.
    public func finish() throws(EmulatorError) {
        if let failure = queue.sync(execute: { failure }) {
            throw EmulatorError(
                .inputOutput, "the capture file is not complete: \(failure)", cure: "make room, or choose another file")
        }
    }

    deinit { close(descriptor) }
}
