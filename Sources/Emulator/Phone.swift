// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
package import Bluetooth
import Concurrency
import Devices
package import Persistence
package import Profiles
package import Radio

/// An emulated phone that serves notifications (ANCS) to an accessory.
///
/// The phone scans for an accessory that solicits the notification service, connects to it, pairs if its profile requires
/// that, and serves until the connection ends; then it scans again. Meanwhile the script of its profile adds and
/// removes notifications.
package actor Phone {
    /// The events of the phone.
    package nonisolated let events = EventHub()
    private let profile: PhoneProfile
    private let clock: Timekeeper
    private var provider: ANCSProvider
    private let vault: BondVault
    private var lock: FileLock?
    private var radio: (any ServingRadio)?
    private var wakeUp: (deadline: Duration, task: Task<Void, Never>)?
    /// The queue of work on the present connection; `nil` without a connection.
    private var work: AsyncStream<Work>.Continuation?
    private var accessory: RemoteAddress?

    /// The smallest ATT MTU (Core 5.4, Vol 3, Part G, 5.2.1).
    private static let minimumTransmissionUnit = 23

    /// An item of work on a connection.
    private enum Work: Sendable {
        case respond(ServedRequest, AttributeResponse)
        case output(ANCSProvider.Output)
    }

    /// A phone that does not run yet.
    package init(_ profile: PhoneProfile, clock: any Clock<Duration> = Simulation.clock) {
        self.profile = profile
        self.clock = Timekeeper(clock)
        provider = ANCSProvider(profile.script)
        vault = BondVault { [events] in events.post(.beacon($0, $1)) }
    }

    /// The phone's ATT MTU, in bytes. Its radio must be opened with this limit.
    package nonisolated var maximumTransmissionUnit: UInt16 { profile.maximumTransmissionUnit }

    /// Reads the phone's saved bonds. Without this call, bonds are not saved.
    /// - Parameter resets: Whether to remove saved bonds first.
    /// - Throws: `EmulatorError` `.cannotCreate` if another process uses the bonds, `.inputOutput` if their file exists
    ///   and cannot be read.
    package func openBonds(in state: StateFolder, resets: Bool) throws(EmulatorError) {
        guard profile.needsPairing else { return }
        do throws(PersistenceError) {
            lock = try state.lock(phone: profile.name)
        } catch {
            throw EmulatorError(error)
        }
        do throws(SystemError) {
            try vault.open(identifier, state.bonds(phone: profile.name), resets: resets)
        } catch {
            throw EmulatorError(.inputOutput, "\(error)", hint: StateFolder.hint(for: error, in: state.path))
        }
    }

    /// Sets the bond store of a radio that is not open yet.
    package func introduce(to radio: any CentralRadio) async {
        await (radio as? any BondStoringCentralRadio)?.storeBonds(in: vault, as: identifier)
    }

    private nonisolated var identifier: BeaconIdentifier { BeaconIdentifier(profile.name) }

    /// Runs until it is cancelled, or the radio is closed.
    /// - Throws: `RadioError` if the radio cannot scan or serve attributes.
    package func run(on radio: any CentralRadio) async throws(RadioError) {
        guard let server = radio as? any ServingRadio else {
            throw RadioError(
                .unsupported, "\(radio.name) cannot serve attributes to the devices that it connects to",
                hint: RadioError.useOwnHost)
        }
        self.radio = server
        await (radio as? any SecurityRequestRadio)?.setSecurityRequestHandler(
            profile.needsPairing ? .pairing(Self.pairing) : .refusing)
        defer {
            wakeUp?.task.cancel()
            lock?.release()
            lock = nil
            events.finish()
        }
        try await server.serve(attributes(withService: true))
        while !Task.isCancelled {
            post(.looking)
            guard let found = try await lookForAccessory(on: radio) else { return }
            post(.accessoryFound(found.device, advertisingData: found.data))
            do throws(RadioError) {
                let link = try await radio.connect(to: found.device, timeout: .seconds(20))
                // Do not repeat a failed pairing at once.
                if await !serve(over: link) { await clock.sleep(for: .seconds(1)) }
            } catch {
                post(.connectionFailed(found.device, error))
                await clock.sleep(for: .seconds(1))
            }
        }
    }

    /// The first advertisement of an accessory; `nil` if the scan ends without one.
    private func lookForAccessory(on radio: any CentralRadio) async throws(RadioError) -> Sighting? {
        let sightings = try await radio.scan(ScanParameters())
        for await sighting in sightings where Self.solicits(sighting) {
            await radio.stopScanning()
            return sighting
        }
        return nil
    }

    private static func solicits(_ sighting: Sighting) -> Bool {
        switch sighting.pdu {
        case .connectableScannable, .extended, nil: break
        default: return false
        }
        return AdvertisingData(verbatim: sighting.data).solicitedServices.contains(ANCSService.uuid)
    }

    private func attributes(withService isPresent: Bool) -> ServedAttributes {
        let security: AttributeSecurity = profile.needsPairing ? .encryption : []
        return ServedAttributes(
            name: profile.displayName, services: isPresent ? [ANCSService.declaration(security: security)] : [])
    }

    // MARK: - One connection

    /// Serves until the connection ends.
    /// - Returns: `false` if the connection must be encrypted and could not be, else `true`.
    private func serve(over link: any RemoteLink) async -> Bool {
        accessory = link.device
        post(.connected)
        let (stream, continuation) = AsyncStream.makeStream(of: Work.self)
        work = continuation
        let performing = Task {
            for await work in stream { await self.perform(work, over: link) }
        }
        let isSecured = await withTaskCancellationHandler {
            guard await secure(link) else { return false }
            if let link = link as? any ServingLink {
                for await event in link.served { await take(event, over: link) }
            }
            return true
        } onCancel: {
            Task { await link.disconnect() }
        }
        await link.disconnect()
        let reason = await link.waitForEnd()
        queue(provider.disconnect())
        continuation.finish()
        work = nil
        await performing.value
        post(.disconnected(reason: reason))
        accessory = nil
        return isSecured
    }

    /// The settings of a phone with a screen, whose user accepts each comparison.
    private static let pairing = PairingSettings(inputOutput: .displayYesNo, comparison: .accept)

    private func secure(_ link: any RemoteLink) async -> Bool {
        guard profile.needsPairing else { return true }
        do throws(PairingError) {
            guard let link = link as? any PairingLink else { throw PairingError(.unsupported) }
            let protection = try await link.pair(Self.pairing) { _ in .cancel }
            post(.encrypted(protection))
            return true
        } catch {
            post(.pairingFailed(error, hint: hint(of: error)))
            return false
        }
    }

    private func hint(of error: PairingError) -> String {
        guard [.keyMissing, .keyMismatch].contains(error.code) else { return error.hint }
        return "remove the phone's bond, too (start beaconry phone again with --factory-reset), then pair again"
    }

    private func take(_ event: ServedEvent, over link: any RemoteLink) async {
        switch event {
        case .subscribed(let characteristic, let configuration):
            queue(provider.subscribe(characteristic.uuid, !configuration.isEmpty, at: clock.deviceTime))
        case .request(let request):
            guard case .write(let offset, let value) = request.operation,
                request.characteristic.uuid == ANCSService.controlPoint
            else { return queue(.respond(request, .failure(.readNotPermitted))) }
            guard offset == 0 else { return queue(.respond(request, .failure(.invalidOffset))) }
            // The accessory may exchange the MTU at any time.
            let unit = (try? await link.maximumTransmissionUnit()) ?? Self.minimumTransmissionUnit
            let (answer, outputs) = provider.write(value, maximumLength: unit - 3)
            queue(.respond(request, answer.map { [] }))
            queue(outputs)
        }
        wakeAtDeadline()
    }

    private func queue(_ outputs: [ANCSProvider.Output]) {
        for output in outputs { queue(.output(output)) }
    }

    private func queue(_ item: Work) {
        if let work {
            work.yield(item)
        } else if case .output(.report(let report)) = item {
            post(.service(report))
        } else if case .output(.setService(let isPresent)) = item {
            Task { await self.setService(isPresent) }
        }
    }

    private func perform(_ work: Work, over link: any RemoteLink) async {
        switch work {
        case .respond(let request, let response): await (link as? any ServingLink)?.respond(to: request, response)
        case .output(.notify(let characteristic, let value)):
            if await !notify(value, of: CharacteristicIdentifier(characteristic), over: link) {
                post(.notNotified(characteristic, value: value))
            }
        case .output(.setService(let isPresent)): await setService(isPresent)
        case .output(.report(let report)): post(.service(report))
        }
    }

    /// Sends a notification. While the queue of the link is full, retries for two seconds.
    /// - Returns: Whether the notification was sent.
    private func notify(
        _ value: [UInt8], of characteristic: CharacteristicIdentifier, over link: any RemoteLink
    ) async -> Bool {
        guard let link = link as? any ServingLink else { return false }
        for _ in 0..<100 {
            do throws(RemoteError) {
                try await link.notify(value, of: characteristic)
                return true
            } catch {
                if case .disconnected = error { return false }
            }
            await clock.sleep(for: .milliseconds(20))
        }
        return false
    }

    private func setService(_ isPresent: Bool) async {
        do throws(RadioError) {
            try await radio?.serve(attributes(withService: isPresent))
            post(.serviceChanged(isPresent: isPresent))
        } catch {
            post(.serviceFailed(error))
        }
    }

    // MARK: - Time

    private func wakeAtDeadline() {
        guard let deadline = provider.nextDeadline, wakeUp?.deadline != deadline else { return }
        wakeUp?.task.cancel()
        let task = Task { [clock] in
            await clock.sleep(for: deadline - clock.now())
            guard !Task.isCancelled else { return }
            self.wake()
        }
        wakeUp = (deadline, task)
    }

    private func wake() {
        wakeUp = nil
        queue(provider.advance(to: clock.deviceTime))
        wakeAtDeadline()
    }

    // MARK: - Events

    private func post(_ event: PhoneEvent) { events.post(.phone(identifier, accessory: accessory, event)) }

    /// The meaning of an error of the notification service, as a clause; `nil` for other errors.
    package static func meaning(of error: ATTError) -> String? {
        switch error {
        case .ancsUnknownCommand: "the command is unknown"
        case .ancsInvalidCommand: "the command is malformed"
        case .ancsInvalidParameter: "the notification or app does not exist in this session"
        case .ancsActionFailed: "the action cannot be performed"
        default: nil
        }
    }
}
