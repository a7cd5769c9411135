// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Advertising
package import Bluetooth
package import HCI

/// The host of one LE controller, as central and as peripheral. It performs no input or output itself.
///
/// ## Inputs and outputs
///
/// The owner calls methods, gives the controller's packets to `receive(_:at:)`, and calls `advance(to:)` at
/// `nextDeadline`. After each call it takes the outputs: packets for the controller and events for the owner, in order.
/// Time is the duration since a moment that the owner chose, and never goes back. A call without a time is made at the
/// latest time that the host was given.
///
/// ## States
///
///     idle --(start)--> initialising --(all replies)--> ready
///     initialising or ready --(a refused reset, no replies, or a hardware error)--> failed --(start)--> initialising
///
/// `start(at:)` resets the controller in any state: connections are gone, with an event each. What the owner requested
/// before or meanwhile (advertising sets, a scan, connections to make) is carried out when the host is ready. Commands
/// are sent one at a time (`CommandQueue`), and each reply goes to the part of the host that sent the command.
///
/// ## Parts
///
/// Each part is a struct with private state in its own file. It appends commands and events to the `HostContext`,
/// and returns what concerns other parts. Only the host calls parts, here and in LEHostConnections.swift, and passes on what one
/// has for another:
///
/// | part | state | affects |
/// |---|---|---|
/// | `ControllerInitialisation` | the step whose reply is due | the capabilities |
/// | `AdvertisingManager` | the advertising sets, or the turns on a legacy controller | the scan, for a new address |
/// | `ScanManager` | the requested scan, and the controller's | what waits until the scan rests |
/// | `ConnectionInitiator` | the connections to make as central | the scan, if the controller cannot do both |
/// | `CentralAddress` | the private address as central | the scan, for a new address |
/// | `ConnectionTable` | the connections and the buffers for their data | advertising sets, when one begins or ends |
/// | `HostConnection` | the channels of one connection | its `ConnectionSecurity` |
/// | `SecurityRegistry`, in the context | pairing settings and bonds | - |
///
/// What is requested of a part and not acknowledged yet is a difference between two states. Each part sends one command
/// to reduce it, waits for the reply, and begins again; the functions whose names begin with `continue` do this step.
package struct LEHost: Sendable {
    /// The state of the controller.
    private enum Phase {
        case idle
        // Indirect: most hosts are ready most of the time, and the initialisation is large.
        indirect case initialising(ControllerInitialisation)
        case ready
        case failed
    }

    var context: HostContext
    private var phase = Phase.idle
    var advertising = AdvertisingManager()
    // Most hosts are for beacons, which neither scan nor connect.
    private var scanning = OnDemand<ScanManager>()
    private var connecting = OnDemand<ConnectionInitiator>()
    private var centralAddress = CentralAddress()
    /// The attributes that a peripheral finds in this host.
    var centralDatabase: AttributeDatabase?
    var connections = ConnectionTable()
    var lastToken: UInt64 = 0

    /// A host that has not started its controller yet.
    /// - Parameter random: the source of keys, passkeys and private addresses.
    package init(configuration: LEHostConfiguration = LEHostConfiguration(), random: RandomSource = RandomSource()) {
        self.init(sharing: Boxed(configuration), random: random)
    }

    /// A host that has not started its controller yet, with the configuration of others.
    package init(sharing configuration: Boxed<LEHostConfiguration>, random: RandomSource) {
        context = HostContext(configuration: configuration, random: random)
    }

    /// The settings that the host was created with.
    package var configuration: LEHostConfiguration { context.configuration }

    /// What the controller can do; `nil` until it is ready.
    package var capabilities: LEHostCapabilities? { context.capabilities }

    private var isReady: Bool {
        if case .ready = phase { true } else { false }
    }
}

// MARK: - Time and packets

extension LEHost {
    /// Resets the controller and reads what it can do; `.ready` or `.failed` reports the outcome.
    ///
    /// It may be called again at any time, when the controller has been replaced or has failed: connections are then
    /// gone, with an event each, and advertising sets and the scan are started again.
    package mutating func start(at time: Duration) {
        context.advance(to: time)
        resetParts()
        let initialisation = ControllerInitialisation()
        phase = .initialising(initialisation)
        perform(initialisation.start())
        flush()
    }

    /// Takes a packet from the controller. Packets that are malformed or not known are ignored.
    package mutating func receive(_ packet: HCIPacket, at time: Duration) {
        context.advance(to: time)
        switch packet {
        case .event(let event): receive(event)
        case .acl(let data): receive(data)
        case .command, .synchronous, .isochronous: break
        }
        flush()
    }

    /// The earliest time at which `advance(to:)` has something to do; `nil` if nothing is due without an event.
    package var nextDeadline: Duration? {
        context.commands.deadline.orEarlier(isReady ? advertising.deadline : nil).orEarlier(connecting.value.deadline)
            .orEarlier(connections.pending.deadline).orEarlier(connections.deadline)
            .orEarlier(advertising.addressDeadline).orEarlier(centralAddressDeadline)
    }

    /// Does what is due up to this time.
    package mutating func advance(to time: Duration) {
        context.advance(to: time)
        if let expired = context.commands.expire(at: context.now, timeout: configuration.commandTimeout) {
            finish(expired)
            verifyController(after: expired)
        }
        if context.commands.isStalled(at: context.now) { fail(.noRoom(for: configuration.commandTimeout)) }
        if advertising.takesTurns { continueAdvertising() }
        if connecting.isMade, connecting.value.advance(&context) { continueAfterConnecting() }
        advancePendingLinks()
        connections.advance(&context)
        while let set = advertising.renewAddress(&context) { continueAdvertising(set) }
        continueCentralAddress()
        flush()
    }

    /// The outputs since the last call, in order.
    package mutating func takeOutputs() -> [LEHostOutput] { context.takeOutputs() }

    /// Sends what the controller has room for. Every input ends here.
    mutating func flush() {
        updateSearch()
        connections.noteDeadlines()
        connections.sendData(&context)
        context.flushCommands()
    }

    /// Drops what is known of the controller, but nothing that the owner requested.
    private mutating func resetParts() {
        for var connection in connections.reset() {
            connection.close(reason: .connectionTerminatedByLocalHost, &context)
        }
        context.capabilities = nil
        context.commands = CommandQueue()
        advertising.reset()
        if scanning.isMade { scanning.value.reset() }
        if connecting.isMade { connecting.value.restart(&context) }
        centralAddress.reset()
    }
}

// MARK: - The controller

extension LEHost {
    private mutating func perform(_ action: ControllerInitialisation.Action) {
        switch action {
        case .send(let packet, let step): context.send(packet, then: .initialisation(step))
        case .setRandomAddress:
            centralAddress.prepare(&context)
            let address = centralAddress.randomAddress(configuration) ?? configuration.substituteAddress
            context.send(LESetRandomAddress(randomAddress: address), then: .initialisation(.randomAddress))
        case .finish(let capabilities):
            context.capabilities = capabilities
            phase = .ready
            connections.start(dataPackets: capabilities.dataPackets)
            advertising.start(capabilities, configuration)
            context.emit(.ready(capabilities))
            continueAdvertising()
            continueScanning()
            continueConnecting()
        case .fail(let failure): fail(failure)
        }
    }

    /// Ends the use of the controller until it is started again.
    private mutating func fail(_ failure: LEHostFailure) {
        phase = .failed
        context.commands = CommandQueue()
        context.emit(.failed(failure))
    }

    /// After a command without a reply, finds out whether the controller replies to any: a second silence is a failure.
    private mutating func verifyController(after expired: CommandQueue.Completion) {
        guard isReady, let failure = expired.reply.failure else { return }
        if context.commands.silences > 1 { return fail(failure) }
        if !context.commands.isBusy { context.send(ReadLocalVersionInformation(), then: .unattended) }
    }

    /// What else the controller does that explains why it refused a command for this purpose; `nil` if nothing does.
    private func conflict(with purpose: LEActivity?, _ status: HCIStatus?) -> LEActivity? {
        guard let purpose else { return nil }
        switch status {
        case .connectionLimitExceeded, .rejectedLimitedResources: return connections.indices.isEmpty ? nil : .connection
        case .commandDisallowed: break
        default: return nil
        }
        if !connections.indices.isEmpty { return .connection }
        if purpose != .connecting, connecting.value.isBusy { return .connecting }
        if purpose != .scanning, scanning.value.isOn { return .scanning }
        if purpose != .advertising, advertising.isAdvertising { return .advertising }
        return nil
    }

    /// Gives a reply to the part that sent the command.
    private mutating func finish(_ completion: CommandQueue.Completion) {
        let reply = completion.reply.explained(
            by: conflict(with: completion.continuation.activity, completion.reply.status))
        if let failure = reply.failure, !completion.continuation.expects(failure) {
            context.emit(.commandFailed(failure))
        }
        switch completion.continuation {
        case .initialisation(let step): finish(step, reply)
        case .advertisingSet(let set, let step):
            let hasRoom = advertising.finish(step, of: set, reply, &context)
            continueAdvertising(hasRoom ? nil : set)
        case .legacyAdvertising(let set, let step):
            if step.changesRandomAddress { resumeScanning(after: .addressChange) }
            advertising.finishTurn(step, of: set, reply, &context)
            continueAdvertising()
        case .scanning(let step):
            scanning.value.finish(step, reply, &context)
            if scanning.value.cannotSearch { connecting.value.endSearch(&context) }
            continueScanning()
            if !scanning.value.isOn, !scanning.value.isRequested { _ = advertising.retry(after: .scanning) }
            if !scanning.value.isOn { continueAfterScanning() }
        case .connecting(let step): finish(step, reply)
        case .centralAddress(let address):
            centralAddress.finishChange(to: address, reply, at: context.now)
            resumeScanning(after: .addressChange)
            continueConnecting()
        case .connection(let connection, let step):
            guard let index = connections.index(of: connection) else { return }
            connections[index].finish(step, reply, &context)
        case .unattended: break
        }
    }

    private mutating func finish(_ step: InitialisationStep, _ reply: CommandReply) {
        guard case .initialising(var initialisation) = phase,
            let action = initialisation.receive(reply, to: step, &context)
        else { return }
        phase = .initialising(initialisation)
        perform(action)
    }

    /// Takes an event; one that is malformed or not known is ignored.
    private mutating func receive(_ packet: HCIEventPacket) {
        switch packet.code {
        case HCICommandComplete.eventCode: read(packet) { $0.receive($1 as HCICommandComplete) }
        case CommandStatus.eventCode: read(packet) { $0.receive($1 as CommandStatus) }
        case NumberOfCompletedPackets.eventCode:
            read(packet) { $0.connections.receive($1 as NumberOfCompletedPackets) }
        case DisconnectionComplete.eventCode: read(packet) { $0.receive($1 as DisconnectionComplete) }
        case EncryptionChange.eventCode: read(packet) { $0.receive($1 as EncryptionChange) }
        case EncryptionKeyRefreshComplete.eventCode: read(packet) { $0.receive($1 as EncryptionKeyRefreshComplete) }
        case HardwareError.eventCode: read(packet) { $0.receive($1 as HardwareError) }
        case HCIEventPacket.lowEnergyMetaCode: receiveMeta(packet)
        default: break
        }
    }

    private mutating func receiveMeta(_ packet: HCIEventPacket) {
        // Until the controller is ready, such an event is from before its reset.
        guard isReady else { return }
        switch packet.subeventCode {
        case LEConnectionComplete.subeventCode:
            read(packet) { $0.receive(LinkDetails($1 as LEConnectionComplete), $1.status) }
        case LEEnhancedConnectionComplete.subeventCode:
            read(packet) { $0.receive(LinkDetails($1 as LEEnhancedConnectionComplete), $1.status) }
        case LEAdvertisingSetTerminated.subeventCode: read(packet) { $0.receive($1 as LEAdvertisingSetTerminated) }
        case LEConnectionUpdateComplete.subeventCode: read(packet) { $0.receive($1 as LEConnectionUpdateComplete) }
        case LERemoteConnectionParameterRequest.subeventCode:
            read(packet) { $0.receive($1 as LERemoteConnectionParameterRequest) }
        case LELongTermKeyRequest.subeventCode: read(packet) { $0.receive($1 as LELongTermKeyRequest) }
        case LEAdvertisingReport.subeventCode:
            if let report = LEAdvertisingReport.Report(only: packet.parameters) { return receive(report) }
            read(packet) { host, event in
                for report in (event as LEAdvertisingReport).reports { host.receive(report) }
            }
        case LEExtendedAdvertisingReport.subeventCode:
            if let report = LEExtendedAdvertisingReport.Report(only: packet.parameters) { return receive(report) }
            read(packet) { host, event in
                for report in (event as LEExtendedAdvertisingReport).reports { host.receive(report) }
            }
        default: break
        }
    }

    private mutating func read<Event: HCIEvent>(_ packet: HCIEventPacket, _ body: (inout LEHost, Event) -> Void) {
        // Bytes after the known parameters are ignored: later versions of the specification may add some.
        var reader = ByteReader(packet.parameters)
        guard let event = try? Event(parsing: &reader) else { return }
        body(&self, event)
    }

    private mutating func receive(_ event: HCICommandComplete) {
        if let completion = context.commands.receive(event) { finish(completion) }
    }

    private mutating func receive(_ event: CommandStatus) {
        if let completion = context.commands.receive(event) { finish(completion) }
    }

    private mutating func receive(_ event: HardwareError) {
        switch phase {
        case .initialising, .ready: fail(.hardware(code: event.hardwareCode))
        case .idle, .failed: break
        }
    }
}

// MARK: - Advertising

extension LEHost {
    /// Advertises, or changes what a set advertises; `.advertising` or `.advertisingFailed` reports the outcome.
    ///
    /// It may be called before the host is ready. Data is replaced while the set is on the air; other values need a
    /// short break.
    /// - Parameter whileConnected: whether the set advertises again at once when a central has connected to it, instead
    ///   of when the connection has ended.
    package mutating func setAdvertising(
        _ advertisement: Advertisement, for set: AdvertisingSetIdentifier, address: OwnAddress,
        whileConnected: Bool = false
    ) {
        let problems = advertisement.problems
        guard problems.isEmpty else { return context.emit(.advertisingFailed(set, .malformed(problems))) }
        if let random = address.randomAddress, !random.isStaticRandom {
            return context.emit(.advertisingFailed(set, .notStaticRandom(random)))
        }
        advertising.request(advertisement, for: set, address: address, whileConnected: whileConnected, &context)
        continueAdvertising(set)
        flush()
    }

    /// Stops advertising; `.advertisingStopped` reports when the set is off the air.
    package mutating func stopAdvertising(_ set: AdvertisingSetIdentifier) {
        guard advertising.stop(set) else { return }
        continueAdvertising(set)
        flush()
    }

    /// Sets the attributes that centrals find; `nil` for only the services that every device has.
    ///
    /// Connections to the set get the new attributes at once: clients that subscribed to Service Changed get an
    /// indication of the affected handles, and requests that were checked against the old attributes are refused.
    /// - Returns: the subscriptions that ended, by the handles of the old attributes.
    @discardableResult
    package mutating func setDatabase(
        _ database: AttributeDatabase?, for set: AdvertisingSetIdentifier
    ) -> [EndedSubscription] {
        advertising.setDatabase(database, for: set)
        guard let database = database ?? .empty else { return [] }
        var ended: [EndedSubscription] = []
        for index in connections.indices where connections[index].link.advertisingSet == set {
            ended += connections[index].replaceDatabase(database, &context)
            flush()
        }
        return ended
    }

    /// Whether any set is on the air, as far as the controller acknowledged it.
    package var isAdvertising: Bool { advertising.isAdvertising }

    /// Does what is next for an advertising set, or for all of them.
    private mutating func continueAdvertising(_ set: AdvertisingSetIdentifier? = nil) {
        guard isReady else { return }
        let next = advertising.next(
            for: set, isConnecting: connecting.value.isBusy, isScanning: scanning.value.isBusy, &context)
        switch next {
        case .nothing: break
        case .pauseScanning: pauseScanning(for: .addressChange)
        case .proceed(let step):
            // The scan rests until the controller has the random address.
            if step?.changesRandomAddress != true { resumeScanning(after: .addressChange) }
            advertising.proceed(with: step, &context)
        }
    }

    private mutating func receive(_ event: LEAdvertisingSetTerminated) {
        guard let set = AdvertisingSetIdentifier(event.advertisingHandle) else { return }
        if event.status == .success { return assign(set, to: event.connectionHandle) }
        if advertising.end(set, event.status, &context) { continueAdvertising(set) }
    }
}

// MARK: - Scanning

extension LEHost {
    /// Scans, or changes the parameters of the scan; `.scanning` or `.scanFailed` reports the outcome.
    ///
    /// It may be called before the host is ready.
    package mutating func startScanning(_ parameters: ScanParameters = ScanParameters()) {
        guard parameters.isValid else { return context.emit(.scanFailed(.invalidParameters)) }
        scanning.value.start(parameters)
        continueScanning()
        flush()
    }

    /// Stops the scan; `.scanning(nil)` reports when it has ended.
    package mutating func stopScanning() {
        guard scanning.isMade, scanning.value.stop() else { return }
        continueScanning()
        flush()
    }

    private mutating func continueScanning() {
        guard isReady, scanning.isMade else { return }
        scanning.value.proceed(ownAddressType: centralAddressType, &context)
    }

    private mutating func pauseScanning(for reason: ScanManager.Pause) {
        scanning.value.pause(for: reason)
        continueScanning()
    }

    private mutating func resumeScanning(after reason: ScanManager.Pause) {
        if scanning.isMade, scanning.value.resume(after: reason) { continueScanning() }
    }

    /// Scans while peers are searched for.
    private mutating func updateSearch() {
        guard connecting.isMade, scanning.isMade || connecting.value.isSearching,
            scanning.value.setSearching(connecting.value.isSearching)
        else { return }
        continueScanning()
    }

    private mutating func receive(_ report: LEAdvertisingReport.Report) {
        if let received = scanning.value.receive(report, &context) { search(received) }
    }

    private mutating func receive(_ report: LEExtendedAdvertisingReport.Report) {
        if let received = scanning.value.receive(report, &context) { search(received) }
    }

    /// Connects to the advertiser of this report if it was searched for.
    private mutating func search(_ report: ScanReport) {
        let peer = PeerAddress(report.address, type: report.addressType)
        guard report.kind.isConnectable, let identity = context.registry.identity(ofAdvertiser: peer),
            connecting.value.receive(peer, of: identity, &context)
        else { return }
        continueConnecting()
    }

    /// Continues what may have waited for the scan to rest.
    private mutating func continueAfterScanning() {
        continueCentralAddress()
        continueAdvertising()
        continueConnecting()
    }
}

// MARK: - Connecting as central

extension LEHost {
    /// Connects to a peer, beside the peers that were requested before; `.connected` or `.connectionFailed` reports the
    /// outcome.
    ///
    /// The address may be any that the key of the central's bond with the peer resolves, or its identity address: the host
    /// scans until it receives the peer, and connects to the address that the peer has then.
    /// - Parameter timeout: the time limit for the peer; `nil` for the time limit of the configuration.
    package mutating func connect(
        to address: BluetoothAddress, type: AddressType, parameters: ConnectionParameters = ConnectionParameters(),
        timeout: Duration? = nil
    ) {
        let peer = PeerAddress(address, type: type)
        guard parameters.isValid else { return context.emit(.connectionFailed(peer, .invalidParameters)) }
        connecting.value.connect(
            to: peer, identity: context.registry.privatePeer(peer), parameters: parameters,
            timeout: timeout ?? configuration.connectionTimeout, &context)
        continueConnecting()
        flush()
    }

    /// Cancels all requests for this peer; `.connectionFailed` follows for each, unless it is too late.
    package mutating func cancelConnecting(to address: BluetoothAddress, type: AddressType) {
        connecting.value.cancel(PeerAddress(address, type: type), &context)
        flush()
    }

    /// Begins the next connection; if there is none, lets the scan continue.
    private mutating func continueConnecting() {
        guard isReady, connecting.value.canBegin else {
            if !connecting.value.isBusy { resumeScanning(after: .connecting) }
            return
        }
        let isScanEnding = scanning.value.isOn && scanning.value.isPaused(for: .connecting)
        guard !centralAddress.isChanging, !isScanEnding else { return }
        connecting.value.begin(ownAddressType: centralAddressType, &context)
    }

    private mutating func finish(_ step: InitiatorStep, _ reply: CommandReply) {
        let canPauseScanning = scanning.value.isOn && !scanning.value.isPaused(for: .connecting)
        switch connecting.value.finish(step, reply, canPauseScanning: canPauseScanning, &context) {
        case .nothing: break
        case .pauseScanning: pauseScanning(for: .connecting)
        case .ended: continueAfterConnecting()
        }
    }

    /// Continues what may have waited for a connection to be made.
    private mutating func continueAfterConnecting() {
        continueCentralAddress()
        continueConnecting()
        if !connecting.value.isBusy { _ = advertising.retry(after: .connecting) }
        continueAdvertising()
    }

    // MARK: The address of the central

    /// The type of the address in scan requests and connection requests.
    ///
    /// If advertising changes the controller's only random address, the central uses the public address, where there is
    /// one. It does so instead of a private address, too, which could not be replaced on such a controller.
    private var centralAddressType: OwnAddressType {
        let configured = configuration.centralAddress(on: context.knownCapabilities)
        guard advertising.takesTurns, context.knownCapabilities.address != nil else { return configured.type }
        return configured.identity != nil || advertising.usesOnlyRandomAddress ? .public : configured.type
    }

    /// Whether the private address of the central can change once the scan rests.
    private var canChangeAddress: Bool { isReady && !advertising.takesTurns && !connecting.value.isBusy }

    /// When the private address of the central can and should change.
    private var centralAddressDeadline: Duration? {
        canChangeAddress && !scanning.value.isPaused(for: .addressChange) ? centralAddress.deadline : nil
    }

    /// Replaces the private address of the central when its time is over and the scan rests.
    private mutating func continueCentralAddress() {
        guard canChangeAddress, let deadline = centralAddress.deadline, deadline <= context.now else { return }
        if scanning.value.isBusy { return pauseScanning(for: .addressChange) }
        centralAddress.change(&context)
    }
}

// MARK: - Connections

extension LEHost {
    /// The connections, in the order in which they were made.
    package var currentConnections: [LEConnection] { connections.links }

    /// Takes a connection that the controller made, or could not make.
    private mutating func receive(_ details: LinkDetails, _ status: HCIStatus) {
        guard status == .success else {
            if connecting.value.fail(status, of: details.peer, &context) { continueAfterConnecting() }
            return
        }
        if let index = connections.index(of: details.handle) {
            // Some controllers report a connection in both events.
            if details.describes(connections[index].link) { return }
            removeConnection(at: index, reason: .unspecifiedError)
        }
        switch details.role {
        case .central: beginAsCentral(details)
        case .peripheral: beginAsPeripheral(details)
        }
    }

    private mutating func beginAsCentral(_ details: LinkDetails) {
        let isUnwanted = !connecting.value.expectsConnection(to: details.peer)
        if let index = begin(details, set: nil, isUnwanted: isUnwanted), isUnwanted {
            connections[index].end(reason: .remoteUserTerminatedConnection, &context)
        }
        connecting.value.complete(details.peer, &context)
        continueAfterConnecting()
    }

    private mutating func beginAsPeripheral(_ details: LinkDetails) {
        if advertising.takesTurns {
            begin(details, set: advertising.endTurnForConnection())
            continueAdvertising()
        } else if let set = connections.pending.takeSet(of: details.handle) ?? advertising.onlyConnectableSet {
            begin(details, set: set)
        } else {
            connections.pending.hold(details, at: context.now)
        }
    }

    /// Takes the set that a central connected to.
    private mutating func assign(_ set: AdvertisingSetIdentifier, to handle: ConnectionHandle) {
        if let link = connections.pending.takeLink(handle) {
            begin(link, set: set)
        } else if connections.index(of: handle) == nil {
            connections.pending.hold(set, of: handle)
        }
    }

    /// Begins connections whose set the controller did not report in time.
    private mutating func advancePendingLinks() {
        while let link = connections.pending.takeOverdueLink(at: context.now) {
            begin(link, set: advertising.likelyConnectedSet)
        }
    }

    private mutating func begin(_ link: PendingLinks.Link, set: AdvertisingSetIdentifier?) {
        begin(link.details, set: set)
        for data in link.data { receive(data) }
    }

    /// Begins a connection and notifies the owner.
    /// - Returns: the index of the connection; `nil` if there are too many, so that it is disconnected.
    @discardableResult
    private mutating func begin(
        _ details: LinkDetails, set: AdvertisingSetIdentifier?, isUnwanted: Bool = false
    ) -> Int? {
        guard connections.hasRoom else {
            _ = context.request(Disconnect(connectionHandle: details.handle), then: .unattended)
            return nil
        }
        let identity = context.registry.bond(of: details.peer, for: set)?.peer
        let link = LEConnection(
            id: connections.makeIdentifier(), role: details.role, peerAddress: details.peer.address,
            peerAddressType: details.peer.type, advertisingSet: set, identity: identity,
            security: LinkSecurity(hasKey: identity != nil), interval: details.interval, latency: details.latency,
            supervisionTimeout: details.supervisionTimeout)
        let index = connections.append(
            HostConnection(
                handle: details.handle, ownAddress: ownAddress(as: details.role, of: set), link: link,
                database: details.role == .central ? centralDatabase : set.flatMap { advertising.database(of: $0) },
                mtu: configuration.maximumTransmissionUnit, isUnwanted: isUnwanted))
        if let set, advertising.suspend(set, for: link.id, &context) { continueAdvertising(set) }
        if !isUnwanted {
            context.emit(.connected(link))
            connections[index].requestDataLength(&context)
        }
        return index
    }

    /// The address of this end of a connection.
    private func ownAddress(as role: LEConnection.Role, of set: AdvertisingSetIdentifier?) -> PeerAddress {
        let random: BluetoothAddress? =
            switch role {
            case .central where centralAddressType == .random:
                // The only random address of a legacy controller is the last one of its advertising sets.
                advertising.legacyRandomAddress ?? centralAddress.randomAddress(configuration)
                    ?? configuration.substituteAddress
            case .central: nil
            case .peripheral: advertising.randomAddress(of: set)
            }
        if let random { return PeerAddress(random, type: .random) }
        return PeerAddress(context.knownCapabilities.address ?? .zero, type: .public)
    }

    private mutating func receive(_ event: DisconnectionComplete) {
        guard event.status == .success else { return }
        _ = connections.pending.takeSet(of: event.connectionHandle)
        // A connection that ended before its set was reported begins and ends now, because the set is off the air.
        if let link = connections.pending.takeLink(event.connectionHandle) { begin(link.details, set: nil) }
        guard let index = connections.index(of: event.connectionHandle) else { return }
        removeConnection(at: index, reason: event.reason)
    }

    private mutating func removeConnection(at index: Int, reason: HCIStatus) {
        var connection = connections.remove(at: index)
        connection.close(reason: reason, &context)
        for set in advertising.identifiers where advertising.resume(set, after: connection.link.id) {
            continueAdvertising(set)
            advertising.removeIfUnused(set)
        }
        resumeScanning(after: .connection)
    }

    private mutating func receive(_ event: LEConnectionUpdateComplete) {
        guard let index = connections.index(of: event.connectionHandle) else { return }
        connections[index].receive(event, &context)
    }

    /// Answers a peer's request in the link layer: possible parameters are accepted.
    private mutating func receive(_ event: LERemoteConnectionParameterRequest) {
        guard connections.index(of: event.connectionHandle) != nil else { return }
        let request = ConnectionParameterUpdateRequest(
            minimumInterval: event.minimumConnectionInterval, maximumInterval: event.maximumConnectionInterval,
            latency: event.maximumLatency, timeout: event.supervisionTimeout)
        if request.isPossible {
            _ = context.request(
                LERemoteConnectionParameterRequestReply(
                    connectionHandle: event.connectionHandle, minimumConnectionInterval: request.minimumInterval,
                    maximumConnectionInterval: request.maximumInterval, maximumLatency: request.latency,
                    supervisionTimeout: request.timeout),
                then: .unattended)
        } else {
            _ = context.request(
                LERemoteConnectionParameterRequestNegativeReply(connectionHandle: event.connectionHandle),
                then: .unattended)
        }
    }

    private mutating func receive(_ data: ACLDataPacket) {
        guard let index = connections.index(of: data.handle) else { return connections.pending.hold(data) }
        guard !connections[index].isUnwanted else { return }
        for case .frame(let frame) in connections[index].reassemble(data) {
            switch frame.channel {
            case .attribute: connections[index].receiveAttributes(frame.payload, &context)
            case .signalling: connections[index].receiveSignals(frame.payload, &context)
            case .securityManager:
                let identity = localIdentity(in: connections[index].link)
                connections[index].receiveSecurity(frame.payload, identity: identity, &context)
            default: break
            }
        }
    }
}

// MARK: - Encryption

extension LEHost {
    private mutating func receive(_ event: LELongTermKeyRequest) {
        guard let index = connections.index(of: event.connectionHandle) else { return }
        connections[index].receive(event, &context)
    }

    private mutating func receive(_ event: EncryptionChange) {
        guard let index = connections.index(of: event.connectionHandle) else { return }
        let identity = localIdentity(in: connections[index].link)
        connections[index].receive(event, identity: identity, &context)
    }

    private mutating func receive(_ event: EncryptionKeyRefreshComplete) {
        guard let index = connections.index(of: event.connectionHandle) else { return }
        let identity = localIdentity(in: connections[index].link)
        connections[index].finishEncryption(event.status, identity: identity, &context)
    }
}
