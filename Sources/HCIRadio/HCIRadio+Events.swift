// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import BluetoothCore
import HCI
import HostStack
import Radio

extension HCIRadio {
    /// What a host has to tell.
    func take(_ notice: ControllerHost.Notice, of host: HostIdentifier) {
        switch notice {
        case .event(let event): take(event, of: host)
        case .ended(let reason):
            lose(RadioError(.noAdapter, "\(name) is gone: \(reason)", hint: "start who serves it again"), of: host)
        }
    }

    private func take(_ event: LEHostEvent, of host: HostIdentifier) {
        if host == central.host, takeAsCentral(event) { return }
        if takeAsLink(event, of: host) { return }
        switch event {
        case .ready(let capabilities): finishOpening(.success(capabilities))
        case .failed(let failure):
            lose(RadioError(.refused, "\(name): \(failure)", hint: "check the controller"), of: host)
        case .advertising(let set, let effective): report(effective, of: host, set)
        case .advertisingStopped(let set, let end): stopped(set, on: host, end)
        case .advertisingFailed(let set, let failure):
            guard let beacon = beacon(on: host, set) else { return }
            continuation.yield(
                .refused(
                    beacon,
                    RadioError(.refused, "\(name) does not advertise \(beacon): \(failure)", hint: "see the reason")
                ))
        case .connected(let connection): connected(connection, on: host)
        case .disconnected(let connection, let reason):
            if let error = PairingError(endOfLink: reason) { tell(.failed(error), of: connection.id, on: host) }
            disconnected(connection.id, on: host, "\(reason)")
        case .connectionUpdated(let connection): connectionUpdated(connection, on: host)
        case .attributeRequest(let request): answer(request, on: host)
        case .attributeRefused(let connection, let handle, let value, let error):
            refused(connection, on: host, handle, write: value, error)
        case .subscriptionChanged(let connection, _, let handle, _, let configuration):
            subscribed(connection, on: host, to: handle, configuration)
        default: takePairing(event, of: host)
        }
    }

    private func stopped(_ set: AdvertisingSetIdentifier, on host: HostIdentifier, _ end: AdvertisingEnd) {
        guard let beacon = beacon(on: host, set) else { return }
        switch end {
        case .requested: break
        case .connected: continuation.yield(.stopped(beacon, reason: "a central is connected"))
        case .controller(let status):
            continuation.yield(.stopped(beacon, reason: "the controller stopped it: \(status)"))
        }
    }

    private func finishOpening(_ result: Result<LEHostCapabilities, RadioError>) {
        // Here rather than where the result is awaited: what the host advertises again is reported after it.
        if recovery != nil, case .success(let found) = result {
            capabilities = found
            continuation.yield(.ready(described()))
        }
        opening?.resume(returning: result)
        opening = nil
    }

    private func lose(_ error: RadioError, of host: HostIdentifier) {
        if opening != nil { return finishOpening(.failure(error)) }
        guard !isClosed, case .controller(let transport) = place else { return }
        endCentral(error)
        for (name, central) in centrals {
            central.link.end(error.message)
            continuation.yield(.disconnected(central.beacon, central: name))
        }
        centrals = [:]
        for (beacon, _) in beacons.filter({ $1.wanted != nil }).sorted(by: { $0.key < $1.key }) {
            continuation.yield(.stopped(beacon, reason: error.message))
        }
        continuation.yield(.lost(error))
        hosts[host]?.close()
        recover(transport)
    }

    private func beacon(on host: HostIdentifier, _ set: AdvertisingSetIdentifier) -> BeaconIdentifier? {
        occupants[Seat(host: host, set: set)]?.identifier
    }

    private func report(_ effective: EffectiveAdvertising, of host: HostIdentifier, _ set: AdvertisingSetIdentifier) {
        guard let beacon = occupants[Seat(host: host, set: set)], let requested = beacon.wanted else { return }
        continuation.yield(.advertising(beacon.identifier, AdvertisingStatus(effective, for: requested)))
    }

    // MARK: - Centrals

    private func connected(_ connection: LEConnection, on host: HostIdentifier) {
        guard let set = connection.advertisingSet, let beacon = beacon(on: host, set) else { return }
        // One peer may be connected to several beacons.
        let address = connection.peerAddress.description
        var (name, number) = (address, 1)
        while centrals[name] != nil {
            number += 1
            name = "\(address)#\(number)"
        }
        let peer = RemoteAddress(PeerAddress(connection.peerAddress, type: connection.peerAddressType))
        centrals[name] = ConnectedCentral(
            beacon: beacon, link: HCIRemoteLink(peer, connection.id, on: host, radio: self))
        continuation.yield(.connected(beacon, central: name))
        if beacons[beacon]?.plan.pairing?.asksOnConnection == true { askForSecurity(of: name) }
        connectionUpdated(connection, on: host)
    }

    private func connectionUpdated(_ connection: LEConnection, on host: HostIdentifier) {
        guard let (name, central) = connectedCentral(connection.id, on: host) else { return }
        let timing = ConnectionParameters(
            interval: connection.interval...connection.interval, latency: connection.latency,
            supervisionTimeout: connection.supervisionTimeout)
        continuation.yield(.connectionUpdated(central.beacon, central: name, timing))
    }

    private func disconnected(_ connection: ConnectionIdentifier, on host: HostIdentifier, _ reason: String) {
        guard let (name, central) = connectedCentral(connection, on: host) else { return }
        centrals[name] = nil
        central.link.end(reason)
        continuation.yield(.disconnected(central.beacon, central: name))
    }

    func connectedCentral(
        _ connection: ConnectionIdentifier, on host: HostIdentifier
    ) -> (name: String, central: ConnectedCentral)? {
        centrals.first { $1.host == host && $1.connection == connection }.map { ($0.key, $0.value) }
    }

    /// A central subscribed to a characteristic, or ended its subscription.
    func subscribed(
        _ connection: ConnectionIdentifier, on host: HostIdentifier, to handle: AttributeHandle,
        _ configuration: ClientCharacteristicConfiguration
    ) {
        guard let (name, central) = connectedCentral(connection, on: host),
            let characteristic = beacons[central.beacon]?.characteristics?.characteristic(at: handle)
        else { return }
        continuation.yield(.subscribed(central.beacon, central: name, characteristic, configuration))
    }

    private func refused(
        _ connection: ConnectionIdentifier, on host: HostIdentifier, _ handle: AttributeHandle, write value: [UInt8]?,
        _ error: ATTError
    ) {
        guard let (name, central) = connectedCentral(connection, on: host),
            let characteristic = beacons[central.beacon]?.characteristics?.characteristic(at: handle)
        else { return }
        let request = AttributeRequest(
            beacon: central.beacon, characteristic: characteristic, central: name,
            operation: value.map { .write(offset: 0, value: $0) } ?? .read(offset: 0))
        continuation.yield(.refusedRequest(request, error))
    }

    private func answer(_ request: AttributeServerRequest, on host: HostIdentifier) {
        guard let (name, central) = connectedCentral(request.connection, on: host), let attributes,
            let characteristic = beacons[central.beacon]?.characteristics?.characteristic(at: request.handle)
        else { return respond(to: request, on: host, .failure(.unlikely)) }
        let operation: AttributeRequest.Operation =
            switch request.operation {
            case .read(let offset): .read(offset: offset)
            case .write(let offset, let value, _): .write(offset: offset, value: value)
            }
        let asked = AttributeRequest(
            beacon: central.beacon, characteristic: characteristic, central: name, operation: operation)
        switch attributes(asked) {
        case .now(let response): respond(to: request, on: host, response)
        case .later(let response): Task { respond(to: request, on: host, await response()) }
        }
    }

    private func respond(to request: AttributeServerRequest, on host: HostIdentifier, _ response: AttributeResponse) {
        hosts[host]?.change { $0.respond(to: request.token, of: request.connection, with: response) }
    }
}

extension AdvertisingStatus {
    /// What a controller acknowledged, beside what was asked.
    init(_ effective: EffectiveAdvertising, for requested: Advertisement) {
        let onAir = EffectiveAdvertisement(
            pdu: .known(effective.pdu), advertisingData: .known(effective.advertisingData),
            scanResponse: .known(effective.scanResponse), interval: .known(effective.interval...effective.interval),
            transmitPower: effective.transmitPower.map { .known($0) }
                ?? .unknown("the controller does not tell its power"),
            address: .known(effective.address))
        let differences = onAir.differences(from: requested)
        self.init(
            requested: requested, effective: onAir, differences: differences,
            warnings: AdvertisingField.allCases.filter(differences.contains).compactMap {
                effective.warning(of: $0, for: requested)
            })
    }
}

extension EffectiveAdvertising {
    fileprivate func warning(of field: AdvertisingField, for requested: Advertisement) -> Warning? {
        switch field {
        case .interval where turns > 1:
            Warning(
                code: "time-shared",
                message: "\(turns) beacons take turns on the controller's only advertiser: this one comes every "
                    + "\(interval) on average instead of every \(requested.interval)",
                hint: "use a controller with advertising sets (Bluetooth 5), or one controller a beacon")
        case .interval:
            Warning(
                code: "interval-forced",
                message: "this controller advertises such PDUs every \(interval), not every \(requested.interval)",
                hint: "use a Bluetooth 5 controller, or a connectable device")
        case .transmitPower:
            Warning(
                code: "tx-power-changed",
                message:
                    "the controller radiates \(transmitPower.map { "\($0.decibelMilliwatts)" } ?? "?") dBm instead of "
                    + "\(requested.transmitPower.map { "\($0.decibelMilliwatts)" } ?? "?") dBm",
                hint: "ask for a power that it has")
        case .address:
            Warning(
                code: "address-not-settable",
                message:
                    "\(requested.address?.description ?? "the address") is not a static random address, and a public "
                    + "one cannot be given to a controller: it advertises from \(address)",
                hint: "give an address whose first octet is C0 or more, or leave address out")
        case .pdu, .advertisingData, .scanResponse: nil
        }
    }
}
