// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Radio

/// What the kernel's management interface tells of a connection, beside bluetoothd.
struct KernelConnection {
    /// The controller: N of hciN.
    let index: UInt16
    /// The peer.
    let device: RemoteAddress

    /// How strongly the peer is heard (mgmt-api, Get Connection Information).
    /// - Throws: `RemoteError.impossible` without CAP_NET_ADMIN, or when the kernel does not know.
    func readRSSI() async throws(RemoteError) -> RSSI {
        guard ProcessRights.current.networkAdministration, let channel = try? ManagementChannel() else {
            throw .impossible(
                "bluetoothd does not tell how strongly a connected device is heard, and the kernel does only with "
                    + "CAP_NET_ADMIN")
        }
        var parameters = device.address.serialized()
        parameters.append(device.isRandom ? 2 : 1)
        let reply: [UInt8]
        do throws(ManagementError) {
            reply = try await channel.command(.getConnectionInformation, index: index, parameters: parameters)
            await channel.close()
        } catch {
            await channel.close()
            throw .impossible("the kernel does not tell how strongly the device is heard (\(error))")
        }
        guard reply.count >= 8, case let rssi = RSSI(Int8(bitPattern: reply[7])), rssi != .unavailable else {
            throw .impossible("the controller does not know how strongly the device is heard")
        }
        return rssi
    }
}
