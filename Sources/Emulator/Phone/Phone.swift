// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import BluetoothCore
import Devices
package import Persistence
package import Profiles
package import Radio

/// A phone that tells its notifications: it looks for an accessory that solicits them, connects to it, and serves.
///
/// There is one accessory at a time. When it is gone, the phone looks again; what happens on the phone goes on meanwhile.
package actor Phone {
    /// Everything that happens, for whoever listens.
    package nonisolated let events = EventHub()
    private let profile: PhoneProfile
    private let clock: DeviceClock
    private var provider: ANCSProvider
    private let vault: BondVault
    private var lock: FileLock?
    private var radio: (any ServingRadio)?
    private var wakeUp: (deadline: Duration, task: Task<Void, Never>)?
    /// What is to be done on the connection that there is, in order.
    private var work: AsyncStream<PhoneLink.Work>.Continuation?
    private var accessory: RemoteAddress?

    /// A phone as its profile has it; nothing happens before `run(on:)`.
    package init(_ profile: PhoneProfile, clock: any Clock<Duration> = ContinuousClock()) {
        self.profile = profile
        self.clock = DeviceClock(clock)
        provider = ANCSProvider(profile.script)
        vault = BondVault { [events] in events.post($0) }
    }

    /// The longest attribute protocol PDU that it takes, in octets; its radio must keep to that.
    package nonisolated var maximumTransmissionUnit: UInt16 { profile.maximumTransmissionUnit }

    /// Takes the phone's bonds from where they are kept; without this they last as long as the phone. A phone that does
    /// not pair has none.
    /// - Parameter resets: whether to forget them first.
    /// - Throws: `EmulatorError` `.cannotCreate` when another process uses them, `.inputOutput` when they are there and
    ///   cannot be read.
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
            throw EmulatorError(
                .inputOutput, "\(error)", hint: "check the state folder, or use another one (--state DIR)")
        }
    }

    /// Tells a radio that is not open yet who the phone is, and has it keep the phone's bonds.
    package func introduce(to radio: any CentralRadio) async {
        await (radio as? any BondStoringCentralRadio)?.storeBonds(in: vault, as: identifier)
    }

    private nonisolated var identifier: BeaconIdentifier { BeaconIdentifier(profile.name) }

    /// Runs until it is cancelled, or the radio cannot be used any more.
    /// - Throws: `RadioError` when the radio cannot be used so.
    package func run(on radio: any CentralRadio) async throws(RadioError) {
        guard let server = radio as? any ServingRadio else {
            throw RadioError(
                .unsupported, "\(radio.name) cannot serve attributes to the devices that it connects to",
                hint: RadioError.useOwnHost)
        }
        self.radio = server
        defer {
            wakeUp?.task.cancel()
            lock?.release()
            lock = nil
            events.finish()
        }
        try await server.serve(attributes(withService: true))
        while !Task.isCancelled {
            post("looking") { _ in }
            guard let found = try await lookForAccessory(on: radio) else { return }
            post("accessory-found") {
                $0.address = found.address.description
                $0.advertisingData = Hexadecimal.string(found.data)
            }
            do throws(RadioError) {
                let link = try await radio.connect(to: found.device, timeout: .seconds(20))
                // Whoever is refused is not refused again at once.
                if await !serve(over: link) { try? await clock.sleep(for: .seconds(1)) }
            } catch {
                post("connection-failed") {
                    $0.address = found.address.description
                    $0.message = error.message
                    $0.hint = error.hint
                }
                try? await clock.sleep(for: .seconds(1))
            }
        }
    }

    private struct Found {
        let device: RemoteAddress
        let data: [UInt8]
        var address: BluetoothAddress { device.address }
    }

    /// The first accessory heard; `nil` when nothing is heard any more.
    private func lookForAccessory(on radio: any CentralRadio) async throws(RadioError) -> Found? {
        let sightings = try await radio.scan(ScanParameters())
        for await sighting in sightings where Self.solicits(sighting) {
            await radio.stopScanning()
            return Found(device: sighting.device, data: sighting.data)
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

    private func attributes(withService isThere: Bool) -> ServedAttributes {
        let security: AttributeSecurity = profile.needsPairing ? .encryption : []
        return ServedAttributes(
            name: profile.displayName, services: isThere ? [ANCSService.declaration(security: security)] : [])
    }

    // MARK: - One connection

    /// Serves until the connection ends; whether the accessory could be served.
    private func serve(over link: any RemoteLink) async -> Bool {
        accessory = link.device
        post("connected") { _ in }
        let (stream, continuation) = AsyncStream.makeStream(of: PhoneLink.Work.self)
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
        post("disconnected") { $0.reason = reason }
        accessory = nil
        return isSecured
    }

    private func secure(_ link: any RemoteLink) async -> Bool {
        guard profile.needsPairing else { return true }
        // Phones have a screen, and users who say yes.
        let settings = PairingSettings(inputOutput: .displayYesNo, comparison: .accept)
        do throws(PairingError) {
            guard let link = link as? any PairingLink else { throw PairingError(.unsupported) }
            let protection = try await link.pair(settings) { _ in .cancel }
            post("encrypted") {
                $0.authenticated = protection.isAuthenticated
                $0.keySize = protection.keySize
            }
            return true
        } catch {
            post("pairing-failed") {
                $0.code = error.code.rawValue
                $0.message = error.message
                $0.hint = hint(of: error)
            }
            return false
        }
    }

    private func hint(of error: PairingError) -> String {
        guard [.keyMissing, .keyMismatch].contains(error.code) else { return error.hint }
        return "have the phone forget too (start it again with --factory-reset); then the two pair anew"
    }

    private func take(_ event: ServedEvent, over link: any RemoteLink) async {
        switch event {
        case .subscribed(let characteristic, let configuration):
            queue(provider.subscribe(characteristic.uuid, !configuration.isEmpty, at: clock.now))
        case .request(let request):
            guard case .write(let offset, let value) = request.operation,
                request.characteristic.uuid == ANCSService.controlPoint
            else { return queue(.respond(request, .failure(.readNotPermitted))) }
            guard offset == 0 else { return queue(.respond(request, .failure(.invalidOffset))) }
            // It is asked each time: an accessory agrees on longer packets when it likes.
            let octets = (try? await link.maximumTransmissionUnit()) ?? PhoneLink.minimumTransmissionUnit
            let (answer, outputs) = provider.write(value, maximumLength: octets - 3)
            queue(.respond(request, answer.map { [] }))
            queue(outputs)
        }
        wakeAtDeadline()
    }

    private func queue(_ outputs: [ANCSProvider.Output]) {
        for output in outputs { queue(.output(output)) }
    }

    private func queue(_ item: PhoneLink.Work) {
        if let work {
            work.yield(item)
        } else if case .output(.report(let report)) = item {
            post(report)
        } else if case .output(.setService(let isThere)) = item {
            // Whoever connects next finds it so.
            Task { await self.setService(isThere) }
        }
    }

    private func perform(_ work: PhoneLink.Work, over link: any RemoteLink) async {
        switch work {
        case .respond(let request, let response): await (link as? any ServingLink)?.respond(to: request, response)
        case .output(.tell(let characteristic, let value)):
            guard await PhoneLink.notify(value, of: CharacteristicIdentifier(characteristic), over: link, clock) else {
                post("not-told") {
                    $0.characteristic = characteristic.description
                    $0.value = Hexadecimal.string(value)
                    $0.reason = "the accessory does not want to be told, or is gone"
                }
                return
            }
        case .output(.setService(let isThere)): await setService(isThere)
        case .output(.report(let report)): post(report)
        }
    }

    private func setService(_ isThere: Bool) async {
        do throws(RadioError) {
            try await radio?.serve(attributes(withService: isThere))
            post(isThere ? "service-back" : "service-away") { _ in }
        } catch {
            post("warning") {
                $0.code = error.code.rawValue
                $0.message = error.message
                $0.hint = error.hint
            }
        }
    }

    // MARK: - Time

    private func wakeAtDeadline() {
        guard let deadline = provider.nextDeadline, wakeUp?.deadline != deadline else { return }
        wakeUp?.task.cancel()
        let task = Task { [clock] in
            try? await clock.sleep(for: deadline - clock.now.uptime)
            guard !Task.isCancelled else { return }
            self.wake()
        }
        wakeUp = (deadline, task)
    }

    private func wake() {
        wakeUp = nil
        queue(provider.advance(to: clock.now))
        wakeAtDeadline()
    }

    // MARK: - Events

    private func post(_ report: ANCSProvider.Report) {
        var record = EventRecord(report, phone: profile.name)
        record.central = accessory?.address.description
        events.post(record)
    }

    private func post(_ event: String, _ fill: (inout EventRecord) -> Void) {
        var record = EventRecord(event, device: profile.name)
        record.central = accessory?.address.description
        fill(&record)
        events.post(record)
    }
}
