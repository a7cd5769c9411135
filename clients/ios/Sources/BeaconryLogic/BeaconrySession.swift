// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BeaconRegions
public import BeaconryStream
public import Foundation

/// The beacons of a receiver for an app: what Core Location would do with them on a phone.
///
/// It opens the receiver's streams while they are needed, keeps the receiver's regions equal to those of the app, and turns what
/// it receives into delegate calls. All methods return at once; calls come in their order on a queue of the session.
///
/// Regions are put to the receiver when they are started, and compared with the receiver's at the beginning of each connection,
/// because another run may have taken the place of the last one.
public final class BeaconrySession: Sendable {
    /// The times of a session, in seconds.
    public struct Timing: Hashable, Sendable {
        /// The time between two ranging calls while there is no connection.
        public var rangingInterval = 1.0
        /// The time after a failure before the next attempt.
        public var retryDelay = 1.0
        /// The limits of the streams.
        public var stream = BeaconryStream.Options()

        /// The default times.
        public init() {}
    }

    /// What a session reports; each is called on a queue of the session, one call at a time.
    public struct Outputs: Sendable {
        /// Gets the delegate calls.
        public var deliver: @Sendable ([Delivery]) -> Void
        /// Gets `saved` of the regions when they or their states have changed, for the next launch.
        public var save: @Sendable (Data) -> Void
        /// Gets a sentence for a log when the connection changes, or the receiver refuses something.
        public var log: @Sendable (String) -> Void

        /// Outputs to these closures.
        public init(
            deliver: @escaping @Sendable ([Delivery]) -> Void, save: @escaping @Sendable (Data) -> Void = { _ in },
            log: @escaping @Sendable (String) -> Void = { _ in }
        ) {
            self.deliver = deliver
            self.save = save
            self.log = log
        }
    }

    private enum Resource: String, CaseIterable { case ranging, monitoring }

    /// What a client gets in place of events that it read too slowly.
    private struct Loss: Decodable { var lost: Int }

    private struct Channel {
        var stream: BeaconryStream?
        /// Rises with each stream that is opened or closed: events of an earlier one are ignored.
        var generation = 0
        var isConnected = false
        /// Rises when the stream connects or disconnects: a timer of an earlier state ends.
        var phase = 0
    }

    private struct State {
        var ranging = RangingLogic()
        var monitoring: MonitoringLogic
        var channels: [Resource: Channel] = [.ranging: Channel(), .monitoring: Channel()]
        /// Streams to be closed when the lock is free.
        var closing: [BeaconryStream] = []
        /// The last sentence of each topic in the log.
        var logged: [String: String] = [:]
        /// What was saved last.
        var saved: Data
        /// Whether regions are monitored: not before a delegate can get calls.
        var isActive = false
        /// Whether the regions of the receiver may differ from the app's.
        var mustCompare = false
        var isComparing = false
        /// Whether the session closes when the receiver has no regions of the app any more.
        var isEnding = false
        var isClosed = false
    }

    private let server: BeaconryServer
    private let timing: Timing
    private let outputs: Outputs
    private let http: HTTPSession
    private let queue = DispatchQueue(label: "beaconry.session")
    private let state: Locked<State>

    /// A session with a receiver, which connects when something is ranged or monitored.
    /// - Parameter saved: what `Outputs.save` got last in an earlier launch of the app.
    public init(_ server: BeaconryServer, saved: Data? = nil, timing: Timing = Timing(), outputs: Outputs) {
        self.server = server
        self.timing = timing
        self.outputs = outputs
        http = HTTPSession(readTimeout: timing.stream.readTimeout)
        let monitoring = MonitoringLogic(saved: saved)
        state = Locked(State(monitoring: monitoring, saved: monitoring.saved))
    }

    deinit { close() }

    // MARK: - Ranging

    /// Starts a ranging request of a manager.
    public func startRanging(_ request: RangingRequest, for manager: ManagerID) {
        change { $0.ranging.start(request, for: manager) }
    }

    /// Stops a ranging request of a manager.
    public func stopRanging(_ request: RangingRequest, for manager: ManagerID) {
        change { $0.ranging.stop(request, for: manager) }
    }

    /// The ranging requests of a manager.
    public func rangingRequests(of manager: ManagerID) -> [RangingRequest] {
        state.withLock { $0.ranging.requests(of: manager) }
    }

    /// Stops all ranging requests of a manager that is no longer there. Regions stay: they are the app's.
    public func forget(_ manager: ManagerID) {
        change { $0.ranging.stopAll(for: manager) }
    }

    // MARK: - Monitoring

    /// Monitors the regions of the app from now on, also those of an earlier launch.
    public func activate() {
        change { state in
            guard !state.isActive else { return }
            state.isActive = true
            state.mustCompare = true
        }
    }

    /// Monitors a region; `MonitoringLogic.start` has the values.
    public func startMonitoring(_ region: MonitoredRegion, for manager: ManagerID, others: Int = 0) {
        change { state in
            deliver(state.monitoring.start(region, for: manager, others: others))
            save(&state)
            state.mustCompare = true
        }
    }

    /// Stops monitoring the region with this identifier.
    public func stopMonitoring(_ identifier: String) {
        change { state in
            state.monitoring.stop(identifier)
            save(&state)
            state.mustCompare = true
        }
    }

    /// Answers a manager's question for the state of a region.
    public func requestState(of region: MonitoredRegion, for manager: ManagerID) {
        change { deliver($0.monitoring.requestState(of: region, for: manager)) }
    }

    /// The regions of the app, in the order in which they were started.
    public var monitoredRegions: [MonitoredRegion] { state.withLock { $0.monitoring.regions } }

    // MARK: - The end

    /// Removes the regions of the app from the receiver, if it is connected, and closes the session.
    public func end() {
        change { state in
            state.monitoring.stopAll()
            state.isEnding = true
            state.mustCompare = true
        }
    }

    /// Closes the session at once. Regions stay at the receiver, as on a phone when an app ends.
    public func close() {
        let streams = state.withLock { state in
            state.isClosed = true
            for resource in Resource.allCases { closeStream(resource, &state) }
            return Self.takeClosing(&state)
        }
        for stream in streams { stream.close() }
        http.close()
    }

    // MARK: - Streams

    /// Makes a change, and opens or closes the streams that it makes necessary or superfluous.
    private func change(_ body: (inout State) -> Void) {
        let (closed, mustEnd) = state.withLock { state -> ([BeaconryStream], Bool) in
            guard !state.isClosed else { return ([], false) }
            body(&state)
            let isNeeded: [Resource: Bool] = [
                .ranging: !state.ranging.isIdle, .monitoring: state.isActive && !state.monitoring.isIdle,
            ]
            for resource in Resource.allCases {
                let isOpen = state.channels[resource]?.stream != nil
                switch (isNeeded[resource] ?? false, isOpen) {
                case (true, false): openStream(resource, &state)
                case (false, true): closeStream(resource, &state)
                default: break
                }
            }
            compareIfNecessary(&state)
            // Without a connection the regions cannot be removed now.
            return (Self.takeClosing(&state), state.isEnding && !state.isComparing)
        }
        for stream in closed { stream.close() }
        if mustEnd { close() }
    }

    private func openStream(_ resource: Resource, _ state: inout State) {
        var channel = state.channels[resource, default: Channel()]
        channel.generation += 1
        channel.phase += 1
        let generation = channel.generation
        channel.stream = BeaconryStream(server, resource.rawValue, options: timing.stream) { [weak self] event in
            self?.take(event, of: resource, generation)
        }
        if resource == .ranging { scheduleSilence(channel.phase) }
        state.channels[resource] = channel
    }

    private func closeStream(_ resource: Resource, _ state: inout State) {
        guard var channel = state.channels[resource], let stream = channel.stream else { return }
        channel.stream = nil
        channel.generation += 1
        channel.phase += 1
        channel.isConnected = false
        state.channels[resource] = channel
        state.closing.append(stream)
    }

    private static func takeClosing(_ state: inout State) -> [BeaconryStream] {
        defer { state.closing = [] }
        return state.closing
    }

    private func take(_ event: BeaconryStream.Event, of resource: Resource, _ generation: Int) {
        change { state in
            guard state.channels[resource]?.generation == generation else { return }
            switch event {
            case .connected:
                setConnected(true, resource, &state)
                if resource == .monitoring { state.mustCompare = true }
                log(resource.rawValue, "connected to \(server.url), receiver \(server.receiver)", &state)
            case .disconnected(let failure):
                setConnected(false, resource, &state)
                log(resource.rawValue, "not connected to \(server.url): \(failure)", &state)
            case .payload(let payload):
                if let deliveries = take(payload, of: resource, &state) {
                    deliver(deliveries)
                    save(&state)
                } else if let loss = try? JSONDecoder().decode(Loss.self, from: payload) {
                    log("\(resource.rawValue) events", "\(loss.lost) lost: the app reads too slowly", &state)
                    // A new stream begins with the states of all regions.
                    if resource == .monitoring { closeStream(resource, &state) }
                } else {
                    log("\(resource.rawValue) events", "one is malformed, and ignored", &state)
                }
            }
        }
    }

    private func take(_ payload: Data, of resource: Resource, _ state: inout State) -> [Delivery]? {
        let decoder = JSONDecoder()
        switch resource {
        case .ranging:
            return (try? decoder.decode(RangingReport.self, from: payload)).map { state.ranging.take($0) }
        case .monitoring:
            return (try? decoder.decode(RegionReport.self, from: payload)).map { state.monitoring.take($0) }
        }
    }

    private func setConnected(_ isConnected: Bool, _ resource: Resource, _ state: inout State) {
        guard var channel = state.channels[resource], channel.isConnected != isConnected else { return }
        channel.isConnected = isConnected
        channel.phase += 1
        state.channels[resource] = channel
        if resource == .ranging, !isConnected { scheduleSilence(channel.phase) }
    }

    // Ranging goes on without a connection: a phone that receives nothing reports that, once a second.
    private func scheduleSilence(_ phase: Int) {
        queue.asyncAfter(deadline: .now() + timing.rangingInterval) { [weak self] in self?.takeSilence(phase) }
    }

    private func takeSilence(_ phase: Int) {
        change { state in
            guard let channel = state.channels[.ranging], channel.phase == phase, !channel.isConnected else { return }
            deliver(state.ranging.takeSilence())
            scheduleSilence(phase)
        }
    }

    // MARK: - The regions of the receiver

    private func compareIfNecessary(_ state: inout State) {
        guard state.mustCompare, !state.isComparing, state.channels[.monitoring]?.isConnected == true else { return }
        state.isComparing = true
        // It keeps the session until the regions are equal: one that ends may have no other owner by then.
        Task {
            while let delay = await compare() {
                try? await Task.sleep(nanoseconds: UInt64(delay * 1_000_000_000))
            }
        }
    }

    /// Makes the regions of the receiver those of the app, as far as it can.
    /// - Returns: the delay in seconds after which it must be repeated, or `nil`.
    private func compare() async -> Double? {
        state.withLock { $0.mustCompare = false }
        var failure: (any Error)?
        do {
            for change in try await differences() { try await perform(change) }
        } catch {
            failure = error
        }
        var delay: Double?
        change { state in
            if let failure { log("regions", "\(failure)", &state) }
            // Without a connection, the next one begins it again. A session that ends makes one attempt.
            state.mustCompare = (state.mustCompare || failure != nil) && !(state.isEnding && failure != nil)
            if state.mustCompare, state.channels[.monitoring]?.isConnected == true {
                delay = failure == nil ? 0 : timing.retryDelay
            } else {
                state.isComparing = false
            }
        }
        return delay
    }

    private func differences() async throws -> [RegionChange] {
        let reply = try await http.send(server.request("GET", ["regions"]))
        guard reply.status == 200, let list = try? JSONDecoder().decode(RegionList.self, from: reply.body) else {
            throw RequestFailure(status: reply.status, body: reply.body)
        }
        return state.withLock { state in
            let (deliveries, changes) = state.monitoring.compare(with: list.regions)
            deliver(deliveries)
            save(&state)
            return changes
        }
    }

    private func perform(_ change: RegionChange) async throws {
        switch change {
        case .put(let region):
            let body = try JSONEncoder().encode(RegionBody(region.constraint))
            let reply = try await http.send(server.request("PUT", ["regions", region.identifier], body: body))
            guard !(200..<300).contains(reply.status) else { return }
            let failure = RequestFailure(status: reply.status, body: reply.body)
            guard failure.isRefusal || failure.code == "too-many" else { throw failure }
            state.withLock { state in
                deliver(state.monitoring.refuse(region, reason: "\(failure)"))
                save(&state)
                log("region \(region.identifier)", "\(failure)", &state)
            }
        case .delete(let identifier):
            let reply = try await http.send(server.request("DELETE", ["regions", identifier]))
            guard (200..<300).contains(reply.status) || reply.status == 404 else {
                throw RequestFailure(status: reply.status, body: reply.body)
            }
            state.withLock { $0.monitoring.takeRemoval(of: identifier) }
        }
    }

    // MARK: - Outputs, in the order of the changes

    private func deliver(_ deliveries: [Delivery]) {
        guard !deliveries.isEmpty else { return }
        queue.async { [outputs] in outputs.deliver(deliveries) }
    }

    private func save(_ state: inout State) {
        let saved = state.monitoring.saved
        guard saved != state.saved else { return }
        state.saved = saved
        queue.async { [outputs] in outputs.save(saved) }
    }

    // A server that is not there would otherwise fill the log, a line a second.
    private func log(_ topic: String, _ sentence: String, _ state: inout State) {
        guard state.logged.updateValue(sentence, forKey: topic) != sentence else { return }
        queue.async { [outputs] in outputs.log("\(topic): \(sentence)") }
    }
}
