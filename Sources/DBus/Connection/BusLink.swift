// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import CDBus
import Concurrency
import DBusLibrary
import Dispatch

/// A private connection of libdbus, and the event sources of its socket.
///
/// Used on one queue only, but for its release, which closes the connection and may happen on any thread: libdbus locks for
/// that.
final class BusLink: @unchecked Sendable {
    /// The maximum number of bytes that wait for the bus to read them; further sending fails.
    static let maximumOutgoing = 64 << 20
    /// The time that closing waits for the bus to read the remaining bytes, in milliseconds.
    static let closingTime = 500

    let uniqueName: String
    private let connection: OpaquePointer
    private let queue: DispatchQueue
    // libdbus closes its descriptor at the end of the connection, while the event sources still watch it, so they watch
    // this duplicate. It keeps the socket open, so `close` releases it.
    private var watched: DBusFileDescriptor?
    private var readSource: (any DispatchSourceRead)?
    private var writeSource: (any DispatchSourceWrite)?
    private var onActivity: (@Sendable () -> Void)?
    private var isClosed = false

    /// Connects and registers with the bus. Blocks for at most the 25 s of libdbus.
    init(to bus: Bus, queue: DispatchQueue) throws(DBusError) {
        // libdbus would ignore SIGPIPE in the whole process. It writes with MSG_NOSIGNAL, so that is not needed.
        dbus_connection_set_change_sigpipe(0)
        let connection = try Self.open(bus)
        dbus_connection_set_exit_on_disconnect(connection, 0)
        var number: Int32 = -1
        guard let name = dbus_bus_get_unique_name(connection),
            dbus_connection_get_unix_fd(connection, &number) != 0
        else {
            Self.closeAndRelease(connection)
            throw bus.connectionFailed(name: nil, message: "the bus closed the connection")
        }
        do throws(DBusError) {
            watched = try DBusFileDescriptor(duplicating: number)
        } catch {
            Self.closeAndRelease(connection)
            throw error
        }
        uniqueName = String(cString: name)
        self.connection = connection
        self.queue = queue
    }

    deinit {
        close(within: 0)
        dbus_connection_unref(connection)
    }

    /// Calls `onActivity` on the queue whenever there may be something to read, to write or to pop.
    func start(onActivity: @escaping @Sendable () -> Void) {
        guard !isClosed, readSource == nil, let watched else { return }
        self.onActivity = onActivity
        let source = DispatchSource.makeReadSource(fileDescriptor: watched.rawValue, queue: queue)
        readSource = source
        Self.activate(source, keeping: watched, onActivity)
        // More messages may have been read with the reply to the registration.
        queue.async(execute: DispatchWorkItem(block: onActivity))
    }

    /// Sends a message, or queues it until the socket is writable.
    /// - Returns: the serial.
    func send(_ message: borrowing MessageHandle) throws(DBusError) -> UInt32 {
        guard !isClosed, dbus_connection_get_is_connected(connection) != 0 else { throw .notConnected() }
        guard dbus_connection_get_outgoing_size(connection) < Self.maximumOutgoing else {
            throw .limitExceeded("the bus does not read what is sent: \(Self.maximumOutgoing) bytes wait")
        }
        if dbus_message_contains_unix_fds(message.pointer) != 0 {
            guard dbus_connection_can_send_type(connection, TypeCode.unixFileDescriptor.code) != 0 else {
                throw .invalidArgument("the bus does not carry file descriptors")
            }
        }
        var serial: UInt32 = 0
        guard dbus_connection_send(connection, message.pointer, &serial) != 0 else { throw .outOfMemory() }
        watchForWriting()
        if dbus_connection_get_dispatch_status(connection) == DBUS_DISPATCH_DATA_REMAINS, let onActivity {
            queue.async(execute: DispatchWorkItem(block: onActivity))
        }
        return serial
    }

    /// Reads and writes as far as possible without waiting.
    func transfer() {
        guard !isClosed else { return }
        dbus_connection_read_write(connection, 0)
        watchForWriting()
    }

    /// The next received message.
    func popMessage() -> MessageHandle? {
        guard !isClosed, let pointer = dbus_connection_pop_message(connection) else { return nil }
        return MessageHandle(owning: pointer)
    }

    /// Whether a message is the local signal of libdbus that the connection has ended. No peer can send it.
    static func isEnd(_ message: borrowing MessageHandle) -> Bool {
        dbus_message_is_signal(message.pointer, DBusMessage.localInterface, "Disconnected") != 0
    }

    /// Writes the queued messages, within a time in milliseconds, and closes. Further calls have no effect.
    func close(within milliseconds: Int = closingTime) {
        guard !isClosed else { return }
        isClosed = true
        readSource?.cancel()
        writeSource?.cancel()
        readSource = nil
        writeSource = nil
        onActivity = nil
        watched = nil
        let deadline = DispatchTime.now() + .milliseconds(milliseconds)
        while dbus_connection_has_messages_to_send(connection) != 0, DispatchTime.now() < deadline,
            dbus_connection_read_write(connection, 10) != 0
        {}
        dbus_connection_close(connection)
    }

    private func watchForWriting() {
        let isWaiting = dbus_connection_has_messages_to_send(connection) != 0
        if isWaiting, writeSource == nil, let watched, let onActivity {
            let source = DispatchSource.makeWriteSource(fileDescriptor: watched.rawValue, queue: queue)
            writeSource = source
            Self.activate(source, keeping: watched, onActivity)
        } else if !isWaiting, let source = writeSource {
            writeSource = nil
            source.cancel()
        }
    }

    /// Starts a source; the descriptor stays open until the source is cancelled.
    private static func activate(
        _ source: some DispatchSourceProtocol, keeping watched: DBusFileDescriptor,
        _ onActivity: @escaping @Sendable () -> Void
    ) {
        source.setEventHandler(handler: onActivity)
        source.setCancelHandler { withExtendedLifetime(watched) {} }
        source.activate()
    }

    private static func open(_ bus: Bus) throws(DBusError) -> OpaquePointer {
        guard beaconry_has_dbus() else {
            throw .notConnected("libdbus-1 is not installed; install it (apt install libdbus-1-3)")
        }
        var libraryError = LibraryError()
        let connection: OpaquePointer?
        switch bus {
        case .system: connection = dbus_bus_get_private(DBUS_BUS_SYSTEM, &libraryError.error)
        case .session: connection = dbus_bus_get_private(DBUS_BUS_SESSION, &libraryError.error)
        case .address(let address):
            guard !address.utf8.contains(0) else { throw .invalidArgument("a bus address contains a NUL character") }
            connection = dbus_connection_open_private(address, &libraryError.error)
            if let connection, dbus_bus_register(connection, &libraryError.error) == 0 {
                closeAndRelease(connection)
                throw bus.connectionFailed(name: libraryError.name, message: libraryError.message)
            }
        }
        guard let connection else {
            throw bus.connectionFailed(name: libraryError.name, message: libraryError.message)
        }
        return connection
    }

    private static func closeAndRelease(_ connection: OpaquePointer) {
        dbus_connection_close(connection)
        dbus_connection_unref(connection)
    }
}

/// Opens a link on the queue of the future connection, since libdbus blocks until it is registered.
actor BusConnector {
    private nonisolated let executor: QueueExecutor

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(executor: QueueExecutor) {
        self.executor = executor
    }

    func connect(to bus: Bus) throws(DBusError) -> BusLink {
        try BusLink(to: bus, queue: executor.queue)
    }
}

/// A message bus to connect to.
///
/// D-Bus Specification, "Message Bus Specification", "Well-known Message Bus Instances".
package enum Bus: Sendable, Hashable {
    /// The bus of the machine, which BlueZ uses. The environment variable `DBUS_SYSTEM_BUS_ADDRESS` has another address.
    case system
    /// The bus of the user's login. The environment variable `DBUS_SESSION_BUS_ADDRESS` has its address.
    case session
    /// A bus at an address such as `unix:path=/run/dbus/system_bus_socket`. D-Bus Specification, "Server Addresses".
    case address(String)
}

extension Bus: CustomStringConvertible {
    /// The name of the bus in a sentence.
    package var description: String {
        switch self {
        case .system: "the system bus"
        case .session: "the session bus"
        case .address(let address): "the bus at \(address)"
        }
    }
}

extension Bus {
    private var hint: String {
        switch self {
        case .system: "start it (systemctl start dbus), or set DBUS_SYSTEM_BUS_ADDRESS to its address"
        case .session: "start one (dbus-run-session), or set DBUS_SESSION_BUS_ADDRESS to its address"
        case .address: "check the address, and that a bus listens there"
        }
    }

    /// The error of a connection that failed.
    func connectionFailed(name: String?, message: String?) -> DBusError {
        DBusError(
            kind: .connectionFailed, name: name ?? DBusError.standardPrefix + "NoServer",
            message: "cannot connect to \(self): \(message ?? "no reason given"); \(hint)")
    }
}
