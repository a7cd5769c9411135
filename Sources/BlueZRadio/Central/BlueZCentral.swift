// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import DBus
public import Radio

/// One of the machine's adapters as a receiver and a central, through bluetoothd.
///
/// Advertisements come from the kernel's monitor where this process may use it (CAP_NET_RAW), else from bluetoothd, which
/// tells less of them; `openCentral` says what. Connections and attributes are bluetoothd's in both cases.
///
/// A loop finds the daemon and the adapter, and finds them again when they were lost; another keeps discovery as it is
/// wanted. Both are woken by signals of the bus, and every other second in case that one was missed.
public actor BlueZCentral: CentralRadio, BondingCentralRadio, ServingRadio, LinkOwner {
    public nonisolated let name: String

    /// Which adapter is meant; once found, that controller by its address.
    var selector: AdapterSelector
    /// The bus, while there is one.
    var connection: DBusConnection?
    /// The daemon and adapter in use; `nil` while the radio is not usable.
    var attachment: Attachment?
    var state = CentralRadioState.unavailable(notOpen)
    var observers: [AsyncStream<CentralRadioState>.Continuation] = []
    var isClosed = false

    var scan: Scan?
    var discovery = Discovery()
    var connecting: Set<ObjectPath> = []
    var links: [ObjectPath: BlueZRemoteLink] = [:]
    var serving = Serving()
    /// How many connections are being made with an agent on the bus.
    var agentUsers = 0

    let wakeUp: AsyncStream<Void>.Continuation
    let discoveryWakeUp: AsyncStream<Void>.Continuation
    private let wakeUps: AsyncStream<Void>
    private let discoveryWakeUps: AsyncStream<Void>
    private var tasks: [Task<Void, Never>] = []
    private(set) var loops: [Task<Void, Never>] = []

    /// A daemon and an adapter.
    struct Attachment {
        let daemon: BlueZDaemon
        let adapter: BlueZAdapter
    }

    /// A receiver on the adapter that is meant; nothing is touched before `openCentral`.
    public init(_ selector: AdapterSelector) {
        self.selector = selector
        name = selector.description
        (wakeUps, wakeUp) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        (discoveryWakeUps, discoveryWakeUp) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    public func openCentral(waits: Bool) async throws(RadioError) -> ReceivingCapabilities {
        guard loops.isEmpty else { return capabilities() }
        while true {
            do throws(RadioError) {
                try await attach()
                break
            } catch {
                guard waits, !Task.isCancelled, !isClosed else {
                    await close()
                    throw error
                }
                setState(.unavailable(error))
                try? await Task.sleep(for: .seconds(1))
            }
        }
        guard loops.isEmpty else { return capabilities() }
        loops.append(Task { [weak self, wakeUps] in for await _ in wakeUps { await self?.reconcile() } })
        loops.append(
            Task { [weak self, discoveryWakeUps] in for await _ in discoveryWakeUps { await self?.reconcileDiscovery() }
            })
        keep(
            Task { [weak self] in
                while !Task.isCancelled {
                    await self?.tick()
                    try? await Task.sleep(for: .seconds(1))
                }
            })
        return capabilities()
    }

    public func states() -> AsyncStream<CentralRadioState> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: CentralRadioState.self, bufferingPolicy: .bufferingNewest(1))
        continuation.yield(state)
        if isClosed { continuation.finish() } else { observers.append(continuation) }
        return stream
    }

    public func close() async {
        guard !isClosed else { return }
        isClosed = true
        endScan()
        for task in tasks { task.cancel() }
        wakeUp.finish()
        await withTaskGroup { group in
            for link in links.values { group.addTask { await link.disconnect() } }
        }
        // What the loop does at its end is to stop discovery.
        await settleDiscovery()
        discoveryWakeUp.finish()
        for loop in loops { await loop.value }
        await stopServing()
        loseAll(Self.closed)
        attachment = nil
        await connection?.close()
        for observer in observers { observer.finish() }
        observers = []
    }

    static let notOpen = RadioError(.refused, "the radio is not open", hint: "open it first")
    static let closed = RadioError(.refused, "the radio was closed", hint: "open another one")

    /// Runs something for as long as the radio is open.
    func keep(_ task: Task<Void, Never>) {
        tasks.append(task)
    }

    /// Tells whether the radio can be used.
    func setState(_ new: CentralRadioState) {
        guard state != new else { return }
        state = new
        for observer in observers { observer.yield(new) }
    }

    /// The daemon and the adapter, if the radio can be used.
    /// - Throws: `RadioError` that says why it cannot.
    func usable() throws(RadioError) -> Attachment {
        if isClosed { throw Self.closed }
        if let attachment { return attachment }
        if case .unavailable(let error) = state { throw error }
        throw Self.notOpen
    }
}
