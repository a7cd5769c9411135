// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Glibc
import Radio
import Sockets

/// A serial line with a controller that speaks H4 (Core 5.4, Vol 4, Part A): eight data bits, no parity, one stop bit,
/// hardware flow control.
enum SerialLine {
    /// The supported speeds, in baud.
    static let speeds: [Int: speed_t] = [
        9600: speed_t(B9600), 19_200: speed_t(B19200), 38_400: speed_t(B38400), 57_600: speed_t(B57600),
        115_200: speed_t(B115200), 230_400: speed_t(B230400), 460_800: speed_t(B460800), 500_000: speed_t(B500000),
        921_600: speed_t(B921600), 1_000_000: speed_t(B1000000), 1_500_000: speed_t(B1500000),
        2_000_000: speed_t(B2000000), 3_000_000: speed_t(B3000000), 4_000_000: speed_t(B4000000),
    ]

    /// Opens and configures a line.
    /// - Returns: a descriptor in raw mode.
    static func open(_ device: String, baud: Int) throws(RadioError) -> Int32 {
        guard let speed = speeds[baud] else {
            let known = speeds.keys.sorted().map(String.init).joined(separator: ", ")
            throw RadioError(.unsupported, "\(baud) baud is not a speed that can be set", hint: "use one of \(known)")
        }
        let descriptor = Glibc.open(device, O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw error(errno, device) }
        var settings = termios()
        guard tcgetattr(descriptor, &settings) == 0 else {
            let code = errno
            close(descriptor)
            throw error(code, device)
        }
        cfmakeraw(&settings)
        settings.c_cflag |= tcflag_t(CLOCAL) | tcflag_t(CREAD) | tcflag_t(CRTSCTS)
        settings.c_cflag &= ~(tcflag_t(CSTOPB) | tcflag_t(PARENB))
        guard cfsetispeed(&settings, speed) == 0, cfsetospeed(&settings, speed) == 0,
            tcsetattr(descriptor, TCSANOW, &settings) == 0
        else {
            let code = errno
            close(descriptor)
            throw error(code, device)
        }
        tcflush(descriptor, TCIOFLUSH)
        return descriptor
    }

    private static func error(_ code: Int32, _ device: String) -> RadioError {
        let reason = SystemErrorText.words(code)
        return switch code {
        case ENOENT, ENODEV, ENXIO:
            RadioError(.noAdapter, "there is no \(device)", hint: "check the cable and the name of the device")
        case EACCES, EPERM:
            RadioError(
                .notPermitted, "\(device) may not be opened by this user",
                hint: "join the group that owns it (usually dialout)")
        case ENOTTY, EINVAL:
            RadioError(
                .unsupported, "\(device) is not a serial line", hint: "name the device of one, such as /dev/ttyUSB0")
        default:
            RadioError(
                .refused, "\(device) cannot be opened: \(reason)", hint: "check that no other program uses it")
        }
    }
}
