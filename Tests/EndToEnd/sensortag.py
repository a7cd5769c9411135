# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Known facts about real SensorTags: their attribute table, and how clients interpret their bytes."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass

ADDRESS = "B4:99:4C:64:30:FF"
"""The address of the tag with this table."""

# A handle followed by the type of a service; or by type, properties and value of a characteristic; or by type and value
# of a descriptor. Values are bytes or "text"; `-` is not readable, `?` depends on the connection.
_VERSION_14 = """
0001 service 1800
0003 2A00 R "TI BLE Sensor Tag"
0005 2A01 R 0000
0007 2A02 RW 00
0009 2A03 W -
000B 2A04 R 5000A0000000E803
000C service 1801
000E 2A05 I -
000F 2902 0000
0010 service 180A
0012 2A23 R FF306400004C99B4
0014 2A24 R "N.A.\0"
0016 2A25 R "N.A.\0"
0018 2A26 R "1.4 (Jul 12 2013)\0"
001A 2A27 R "N.A.\0"
001C 2A28 R "N.A.\0"
001E 2A29 R "Texas Instruments\0"
0020 2A2A R FE006578706572696D656E74616C
0022 2A50 R 010D0000001001
0023 service AA00*
0025 AA01* RN 00000000
0026 2902 0000
0027 2901 "IR Temp. Data"
0029 AA02* RW 00
002A 2901 "IR Temp. Conf."
002B service AA10*
002D AA11* RN 000000
002E 2902 0000
002F 2901 "Accel. Data"
0031 AA12* RW 00
0032 2901 "Accel. Conf."
0034 AA13* RW 64
0035 2901 "Acc. Period"
0036 service AA20*
0038 AA21* RN 00000000
0039 2902 0000
003A 2901 "Humid. Data"
003C AA22* RW 00
003D 2901 "Humid. Conf."
003E service AA30*
0040 AA31* RN 000000000000
0041 2902 0000
0042 2901 "Mag. Data"
0044 AA32* RW 00
0045 2901 "Mag. Conf."
0047 AA33* RW C8
0048 2901 "Mag. Period"
0049 service AA40*
004B AA41* RN 00000000
004C 2902 0000
004D 2901 "Barometer Data"
004F AA42* RW 00
0050 2901 "Barometer Conf."
0052 AA43* R 00000000000000000000000000000000
0053 2902 0000
0054 2901 "Barometer Cali."
0055 service AA50*
0057 AA51* RN 000000000000
0058 2902 0000
0059 2901 "Gyro. Data"
005B AA52* RW 00
005C 2901 "Gyro. Conf."
005D service FFE0
005F FFE1 N -
0060 2902 0000
0061 2901 "Key Press State"
0062 service AA60*
0064 AA61* R 3F00
0065 2901 "Test Data"
0067 AA62* RW 00
0068 2901 "Test Config"
0069 service CCC0*
006B CCC1* RN ?
006C 2902 0000
006D 2901 "Conn. Params"
006F CCC2* W -
0070 2901 "Conn. Params Req"
0072 CCC3* W -
0073 2901 "Disconnect Req"
0074 service FFC0*
0076 FFC1* WXN -
0077 2902 0000
0078 2901 "Img Identify"
007A FFC2* WXN -
007B 2902 0000
007C 2901 "Img Block"
"""

# The differences of a tag with firmware 1.5: each sensor has a period, and other descriptions.
_VERSION_15_DESCRIPTIONS = {
    "AA01": "Temp. Data", "AA02": "Temp. Conf.", "AA03": "Temp. Period", "AA11": "Accel. Data", "AA12": "Accel. Conf.",
    "AA13": "Accel. Period", "AA21": "Humid. Data", "AA22": "Humid. Conf.", "AA23": "Humid. Period",
    "AA31": "Magn. Data", "AA32": "Magn. Conf.", "AA33": "Magn. Period", "AA41": "Barom. Data", "AA42": "Barom. Conf.",
    "AA43": "Barom. Calibr.", "AA44": "Barom. Period", "AA51": "Gyro Data", "AA52": "Gyro Conf.", "AA53": "Gyro Period",
}  # fmt: skip
VERSION_15_HANDLES = {
    "AA01": 0x25, "AA11": 0x30, "AA21": 0x3B, "AA31": 0x46, "AA41": 0x51, "AA43": 0x5B, "AA51": 0x60,
}  # fmt: skip
VERSION_15_DESCRIPTIONS = {name: text.encode() for name, text in _VERSION_15_DESCRIPTIONS.items()}

_PROPERTIES = {"R": 0x02, "X": 0x04, "W": 0x08, "N": 0x10, "I": 0x20}


@dataclass(frozen=True)
class Attribute:
    """A row of an attribute table."""

    handle: int
    type: str
    """Four digits, or a UUID of 36 characters in lower case."""
    value: bytes | None
    """None if it cannot be read."""
    is_constant: bool = True
    """Whether the value is the same on every connection."""


def uuid(name: str) -> str:
    """The UUID of a four-digit name; with an asterisk, a UUID of the manufacturer."""
    return f"f000{name[:4].lower()}-0451-4000-b000-000000000000" if name.endswith("*") else name.upper()


def full_uuid(name: str) -> str:
    """The UUID of a four-digit name, in 36 characters."""
    return uuid(name) if name.endswith("*") else f"0000{name.lower()}-0000-1000-8000-00805f9b34fb"


def _wire(name: str) -> bytes:
    return bytes.fromhex(uuid(name).replace("-", ""))[::-1]


def _bytes(text: str) -> bytes:
    return text[1:-1].encode() if text.startswith('"') else bytes.fromhex(text)


def table(firmware: str) -> list[Attribute]:
    """Every attribute of a tag with firmware 1.3 or 1.4, in the order of the handles."""
    attributes: list[Attribute] = []
    for line in _VERSION_14.strip().splitlines():
        words = line.split(" ", 3)
        handle, name = int(words[0], 16), words[1]
        if firmware == "1.3" and handle >= 0x69:
            break
        if name == "service":
            attributes.append(Attribute(handle, "2800", _wire(words[2])))
        elif name.startswith("290"):
            attributes.append(Attribute(handle, name, _bytes(line.split(" ", 2)[2])))
        else:
            properties = sum(_PROPERTIES[letter] for letter in words[2])
            declaration = struct.pack("<BH", properties, handle) + _wire(name)
            attributes.append(Attribute(handle - 1, "2803", declaration))
            is_constant = words[3] != "?" and not (name == "2A26" and firmware == "1.3")
            value = b"" if words[3] == "?" else None if words[3] == "-" else _bytes(words[3])
            attributes.append(Attribute(handle, uuid(name), value, is_constant))
    assert [each.handle for each in attributes] == list(range(1, len(attributes) + 1))
    return attributes


# Conversions of clients, from the manufacturer's documents and the tutorial's app ------------------------------------


def infrared(data: bytes) -> tuple[float, float]:
    """The temperatures of the object and of the sensor, in °C."""
    voltage_raw, die_raw = struct.unpack("<hh", data)
    die = die_raw / 128
    voltage, kelvin = voltage_raw * 1.5625e-7, die + 273.15
    difference = kelvin - 298.15
    sensitivity = 6.4e-14 * (1 + 1.75e-3 * difference - 1.678e-5 * difference**2)
    offset = -2.94e-5 - 5.7e-7 * difference + 4.63e-9 * difference**2
    seen = (voltage - offset) + 13.4 * (voltage - offset) ** 2
    return (kelvin**4 + seen / sensitivity) ** 0.25 - 273.15, die


def humidity(data: bytes) -> tuple[float, float]:
    """The temperature in °C, and the relative humidity in per cent."""
    temperature, relative = struct.unpack("<HH", data)
    return -46.85 + 175.72 / 65536 * temperature, -6 + 125 / 65536 * (relative & ~3)


def acceleration(data: bytes, per_g: int = 64) -> list[float]:
    """The acceleration of each axis, in g."""
    return [each / per_g for each in struct.unpack("<bbb", data)]


def magnetism(data: bytes) -> list[float]:
    """The magnetic field of each axis, in µT."""
    return [each * 2000 / 65536 for each in struct.unpack("<hhh", data)]


def rotation(data: bytes) -> list[float]:
    """The rotation around each axis, in degrees per second."""
    return [each * 500 / 65536 for each in struct.unpack("<hhh", data)]


def barometer(data: bytes, calibration: bytes) -> tuple[float, float]:
    """The temperature in °C, and the pressure in Pa."""
    t, p = struct.unpack("<hH", data)
    c = struct.unpack("<HHHHhhhh", calibration)
    temperature = c[0] * t / 2**24 + c[1] / 2**10
    sensitivity = c[2] + c[3] * t / 2**17 + c[4] * t * t / 2**34
    offset = c[5] * 2**14 + c[6] * t / 2**3 + c[7] * t * t / 2**19
    assert abs(sensitivity * p + offset) < 2**31, "the tutorial's app computes this in 32 bits"
    return temperature, (sensitivity * p + offset) / 2**14


# The environment of a tag in tests, and the resolution of each sensor ------------------------------------------------

ROOM = """
    temperature: { object: 36.6, ambient: 25 }
    humidity: 50
    acceleration: { x: -0.5, y: 0.25, z: 1 }
    magnetism: { x: 20.5, y: -39.7, z: 0 }
    rotation: { x: 10, y: -20, z: 125 }
    pressure: 1013.25
"""


def check_infrared(data: bytes) -> None:
    """Checks the infrared thermometer against the room."""
    found, die = infrared(data)
    voltage, raw = struct.unpack("<hh", data)
    step = infrared(struct.pack("<hh", voltage + 1, raw))[0] - found
    assert abs(die - 25) <= 1 / 128 and abs(found - 36.6) <= step, (found, die)


def check_humidity(data: bytes) -> None:
    """Checks the humidity sensor against the room; its values have 14 bits."""
    temperature, relative = humidity(data)
    assert abs(temperature - 25) <= 4 * 175.72 / 65536 and abs(relative - 50) <= 4 * 125 / 65536, data.hex()


def _check_axes(found: Sequence[float], wanted: Sequence[float], step: float) -> None:
    assert all(abs(left - right) <= step for left, right in zip(found, wanted, strict=True)), (found, wanted)


def check_acceleration(data: bytes, per_g: int = 64) -> None:
    """Checks the accelerometer against the room."""
    _check_axes(acceleration(data, per_g), (-0.5, 0.25, 1), 1 / per_g)


def check_magnetism(data: bytes) -> None:
    """Checks the magnetometer against the room."""
    _check_axes(magnetism(data), (20.5, -39.7, 0), 2000 / 65536)


def check_rotation(data: bytes) -> None:
    """Checks the gyroscope against the room."""
    _check_axes(rotation(data), (10, -20, 125), 500 / 65536)


def check_barometer(data: bytes, calibration: bytes) -> None:
    """Checks the barometer against the room."""
    temperature, pressure = barometer(data, calibration)
    t, p = struct.unpack("<hH", data)
    step = abs(barometer(struct.pack("<hH", t, p - 1), calibration)[1] - pressure)
    assert abs(temperature - 25) <= 46165 / 2**24 and abs(pressure - 101_325) <= step, (temperature, pressure)


SENSORS = {
    "AA01*": ("AA02*", 1, check_infrared), "AA11*": ("AA12*", 1, check_acceleration),
    "AA21*": ("AA22*", 1, check_humidity), "AA31*": ("AA32*", 1, check_magnetism),
    "AA51*": ("AA52*", 7, check_rotation),
}  # fmt: skip
"""Data, configuration, the value that switches the sensor on, and the check of its notifications; without the
barometer, which needs a calibration."""
