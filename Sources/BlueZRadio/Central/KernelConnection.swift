// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import KernelBluetooth
import Radio

/// A connection of bluetoothd as the kernel's management interface reports it.
struct KernelConnection {
    /// The controller: N of hciN.
    let index: UInt16
    /// The peer.
    let device: RemoteAddress

    /// Reads the RSSI of the peer (mgmt-api, Get Connection Information).
    /// - Throws: `RemoteError.impossible` without CAP_NET_ADMIN, or when the kernel has no value.
    func readRSSI() async throws(RemoteError) -> RSSI {
        guard ProcessRights.current.networkAdministration, let channel = try? ManagementChannel() else {
            throw .impossible(
                "bluetoothd does not report the RSSI of a connected device, and the kernel requires CAP_NET_ADMIN")
        }
        var parameters = device.address.serialized()
        parameters.append(device.isRandom ? 2 : 1)
        let reply: [UInt8]
        do throws(ManagementError) {
            reply = try await channel.command(.getConnectionInformation, index: index, parameters: parameters)
            await channel.close()
        } catch {
            await channel.close()
            throw .impossible("the kernel does not report the RSSI of the device (\(error))")
        }
        guard reply.count >= 8, case let rssi = RSSI(Int8(bitPattern: reply[7])), rssi != .unavailable else {
            throw .impossible("the controller has no RSSI of the device")
        }
        return rssi
    }
}
