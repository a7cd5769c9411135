// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

// Values as text.

/** An advertising interval of `ticks` x 0.625 ms. */
export function interval(ticks) {
    return ticks === undefined ? "" : `${trim(ticks * 0.625)} ms`;
}

/** The ticks of an interval as profiles write it: `100ms`, `1s`, `161ticks`. */
export function ticks(text) {
    const match = /^([0-9.]+)(ms|s|ticks)$/.exec(text ?? "");
    return match ? Number(match[1]) * { ms: 1.6, s: 1600, ticks: 1 }[match[2]] : undefined;
}

/** The value of a setting if it is a number; `tx-power` may be `default`. */
export function number(value) {
    return typeof value === "number" ? value : undefined;
}

/** A power or an RSSI in dBm, with the minus sign of typography. */
export function dBm(value) {
    return value === undefined ? "" : `${signed(value)} dBm`;
}

export function signed(value) {
    return String(Math.round(value)).replace("-", "−");
}

/** Metres with at most two decimals. */
export function metres(value) {
    return `${trim(value, value < 10 ? 2 : 1)} m`;
}

/** A position as `x, y` or, above or below the floor, `x, y, z`. */
export function position(place) {
    if (!place) return "";
    const [x, y, z] = place;
    return (z ? [x, y, z] : [x, y]).map((each) => trim(each).replace("-", "−")).join(", ");
}

export function trim(value, decimals = 2) {
    return String(Number(value.toFixed(decimals)));
}

/** Seconds as `0:00:07`, with tenths if they are given. */
export function duration(seconds, tenths = false) {
    const whole = Math.floor(seconds);
    const two = (value) => String(value).padStart(2, "0");
    const days = Math.floor(whole / 86400);
    const text = `${Math.floor(whole / 3600) % 24}:${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`;
    return (days ? `${days} d ` : "") + text + (tenths ? `.${Math.floor((seconds - whole) * 10)}` : "");
}

/** `2026-01-31T12:00:00.000Z` as `12:00:00.000`, in UTC as everywhere else in the program's output. */
export function clockTime(time) {
    return (time ?? "").slice(11, 23);
}

/** A key such as `measured-power` or `measuredPower` as `measured power`. */
export function words(key) {
    return key.replace(/([a-z])([A-Z])/g, "$1 $2").replaceAll("-", " ").toLowerCase()
        .replace(/\btx\b/, "TX").replace(/\bpdu\b/, "PDU").replace(/\brssi\b/, "RSSI").replace(/\buuid\b/, "UUID");
}

/** `1 warning`, `2 warnings`. */
export function count(number, noun) {
    return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

/**
 * Words with a capital letter in front, unless they begin with something whose case matters: a command, the name of a file, an
 * identifier.
 */
export function capital(words) {
    const first = words.split(/\s/, 1)[0];
    return /^[a-z]+[,:;]?$/.test(first) && !first.endsWith(":") && first !== "beaconry"
        ? words.charAt(0).toUpperCase() + words.slice(1) : words;
}

/** The same with a full stop. */
export const sentence = (words) => `${capital(words).replace(/\.$/, "")}.`;

/** Compares names as people order them: `exhibit-2` before `exhibit-10`. */
export const compareNames = new Intl.Collator("en", { numeric: true }).compare;
