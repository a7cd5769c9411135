// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// The exports of a connection by path: objects, and handlers that serve a whole path.
struct ExportTable: Sendable {
    private struct Export: Sendable {
        let identifier: UInt64
        let mailbox: Mailbox
        /// `nil` for a handler.
        let object: ExportedObject?
    }

    private var exports: [ObjectPath: Export] = [:]

    /// Adds an export, and ends the queue of the one before at its path.
    /// - Parameter identifier: unique on the connection.
    mutating func add(_ mailbox: Mailbox, _ object: ExportedObject?, at path: ObjectPath, identifier: UInt64) {
        exports[path]?.mailbox.finish()
        exports[path] = Export(identifier: identifier, mailbox: mailbox, object: object)
    }

    /// Removes the export at a path, and ends its queue.
    /// - Returns: its object; `nil` if there was none.
    mutating func remove(at path: ObjectPath) -> ExportedObject? {
        guard let export = exports.removeValue(forKey: path) else { return nil }
        export.mailbox.finish()
        return export.object
    }

    /// Removes all exports, and cancels their handlers.
    mutating func removeAll() {
        closeAll()
        exports = [:]
    }

    /// Cancels the handlers of all exports.
    func closeAll() {
        for export in exports.values { export.mailbox.close() }
    }

    /// Whether this export is still at its path.
    func contains(_ identifier: UInt64, at path: ObjectPath) -> Bool { exports[path]?.identifier == identifier }

    /// The queue of the export at a path.
    func mailbox(at path: ObjectPath) -> Mailbox? { exports[path]?.mailbox }

    /// The objects below a path, in the order of their paths.
    func objects(below path: ObjectPath) -> [ExportedObject] {
        exports.values.compactMap(\.object).filter { $0.path.isDescendant(of: path) }
            .sorted { $0.path.rawValue < $1.path.rawValue }
    }

    /// The paths of the object managers above a path.
    func managers(above path: ObjectPath) -> [ObjectPath] {
        exports.values.compactMap(\.object).filter { $0.isObjectManager && path.isDescendant(of: $0.path) }
            .map(\.path)
    }

    /// The sorted names of the children of a path: the components below it on the way to an export.
    func children(of path: ObjectPath) -> [String] {
        let prefix = path.childPrefix
        let components = exports.keys.filter { $0.isDescendant(of: path) }.compactMap { path in
            path.rawValue.dropFirst(prefix.count).split(separator: "/").first.map(String.init)
        }
        return Set(components).sorted()
    }
}

/// The queue of method calls for one export, which handles them one after another.
///
/// The order matters: bluetoothd writes a long value in several calls.
final class Mailbox: Sendable {
    /// The maximum number of waiting calls; further calls get an error.
    static let capacity = 1024

    private let continuation: AsyncStream<MethodCall>.Continuation
    private let task: Task<Void, Never>

    init(serve: @escaping @Sendable (MethodCall) async -> Void) {
        let (stream, continuation) = AsyncStream.makeStream(
            of: MethodCall.self, bufferingPolicy: .bufferingOldest(Self.capacity))
        self.continuation = continuation
        task = Task.detached {
            for await call in stream { await serve(call) }
        }
    }

    /// Appends a call.
    /// - Returns: `false` if the queue is full.
    func put(_ call: MethodCall) -> Bool {
        if case .enqueued = continuation.yield(call) { true } else { false }
    }

    /// Ends the queue after the waiting calls.
    func finish() {
        continuation.finish()
    }

    /// Ends the queue, and cancels the running handler.
    func close() {
        continuation.finish()
        task.cancel()
    }
}
