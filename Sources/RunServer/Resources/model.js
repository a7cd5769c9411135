// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

// What the page shows: the server's resources, the RSSI of the last two minutes, and the latest events. Views are notified
// of what changed, at most ten times a second, so that a run of hundreds of beacons redraws only the changed ones.

import * as api from "./api.js";

const FRAME = 100;
const EVENTS_KEPT = 1000;
const TRAIL_LENGTH = 120;
/** A step between two readings that is longer, in metres, is no walk, unless a path is walked. */
const LONGEST_STEP = 1;
/** The time between two readings, in milliseconds. */
const PERIOD = 500;
/** The seconds of the run that the history of the RSSI has. */
export const HISTORY = 120;

export class Model {
    beacons = new Map();
    receivers = new Map();
    /** The links by beacon, then by receiver. */
    links = new Map();
    clock = undefined;
    /** The progress of the scenario, or of the last one. */
    scenario = undefined;
    version = undefined;
    radio = undefined;
    isRadioOn = true;
    /** The physics, the walls and the levels of the virtual air; `undefined` without one. */
    air = undefined;
    /** What can be chosen by its name: phones, physics, and the scenarios that fit the run; `undefined` until it is read. */
    presets = undefined;
    /** The event of the last reload if it failed. */
    reloadFailure = undefined;
    events = [];
    /** The number of events that were received, which is more than are kept. */
    eventCount = 0;
    /** Warnings by the name of the beacon (or "" for the run), then by code. */
    warnings = new Map();
    /** The latest effective advertisement by the name of the beacon. */
    advertisements = new Map();
    /** Past positions by name, oldest first, in parts: what was put elsewhere has not walked there. */
    trails = new Map();
    selected = undefined;
    connection = "connecting";

    #views = [];
    #changed = new Map();
    #frame = undefined;
    #drawn = 0;
    #texts = new Map();
    #stale = new Set();
    #staleAll = true;
    #staleReceivers = true;
    #staleAir = true;
    #stalePresets = true;
    #moving = false;
    /** The samples of the selected beacon or receiver: the run keeps them, and the page asks for the new ones. */
    #history = { of: undefined, elapsed: 0, times: [], rows: new Map(), read: 0 };
    #held = new Map();
    /** When a change of each resource was answered last. */
    #answered = new Map();

    /** Calls `view` with the kinds of changes, each a set of names, after every change. */
    observe(view) {
        this.#views.push(view);
    }

    /** Notes a change; views are drawn in the next frame. */
    change(kind, name = "") {
        if (!this.#changed.has(kind)) this.#changed.set(kind, new Set());
        this.#changed.get(kind).add(name);
        this.#frame ??= setTimeout(() => {
            this.#frame = undefined;
            this.#drawn = performance.now();
            const changed = this.#changed;
            this.#changed = new Map();
            for (const view of this.#views) view(changed);
        }, Math.max(0, FRAME - (performance.now() - this.#drawn)));
    }

    select(kind, name) {
        if (this.selected?.kind === kind && this.selected.name === name) return;
        const former = this.selected;
        this.selected = name === undefined ? undefined : { kind, name };
        for (const each of [former, this.selected]) if (each) this.change(each.kind, each.name);
        this.change("selection");
    }

    /** The selected resource. */
    get selection() {
        if (!this.selected) return undefined;
        return (this.selected.kind === "beacon" ? this.beacons : this.receivers).get(this.selected.name);
    }

    isSelected(kind, name) {
        return this.selected?.kind === kind && this.selected.name === name;
    }

    /** What a link measures in dBm; `undefined` if nothing is received on it: it is blocked, or its beacon is muted. */
    level(link) {
        return isBlocked(link) || this.isMuted(link.from) ? undefined : rssi(link);
    }

    isMuted(name) {
        return Boolean(this.beacons.get(name)?.muted);
    }

    /** The links of the selected beacon or receiver: `{ other, link }`, strongest first, those without a level last. */
    linksOf({ kind, name }) {
        const found = [];
        if (kind === "beacon") for (const [other, link] of this.links.get(name) ?? []) found.push({ other, link });
        else for (const [other, row] of this.links) if (row.has(name)) found.push({ other, link: row.get(name) });
        const order = ({ link }) => this.level(link) ?? rssi(link) - 1000;
        return found.sort((one, two) => order(two) - order(one));
    }

    /** The link of a beacon with the highest level; `undefined` if nothing receives it. */
    bestLink(beacon) {
        let best;
        for (const link of this.links.get(beacon)?.values() ?? []) {
            if (this.level(link) === undefined) continue;
            if (!best || this.level(link) > this.level(best)) best = link;
        }
        return best;
    }

    /** The beacon that a receiver receives best, with its link; `undefined` for none. */
    nearest(receiver) {
        const [first] = this.linksOf({ kind: "receiver", name: receiver });
        return first && this.level(first.link) !== undefined ? first : undefined;
    }

    /** The seconds of the run up to which the history goes. */
    get historyEnd() {
        return this.#history.elapsed;
    }

    /** The samples of the selected one with each other end: `[seconds of the run, RSSI or null]`, oldest first. */
    get histories() {
        const { of, times, rows } = this.#history;
        if (of !== this.selected?.name) return new Map();
        return new Map(
            [...rows].map(([other, levels]) => [other, levels.map((level, index) => [times[index], level])]),
        );
    }

    /** Warnings that concern a beacon. */
    warningsOf(name) {
        return [...(this.warnings.get(name)?.values() ?? [])];
    }

    get warningCount() {
        let count = 0;
        for (const codes of this.warnings.values()) count += codes.size;
        return count;
    }

    /**
     * Holds the position of what is being dragged, so that answers that were on their way do not move it back.
     * `undefined` ends that.
     */
    hold(name, position) {
        if (position) this.#held.set(name, position);
        else this.#held.delete(name);
    }

    position(resource) {
        return this.#held.get(resource.name) ?? resource.position;
    }

    // Reading ---------------------------------------------------------------------------------------------------------

    async run() {
        this.#follow();
        this.#read();
        this.#sample();
    }

    #follow() {
        api.follow((event) => this.#receive(event), (state) => {
            this.connection = state;
            if (state === "live") this.refresh();
            this.change("connection");
        });
    }

    /** Reads everything again. */
    refresh() {
        this.#staleAll = this.#staleReceivers = this.#staleAir = this.#stalePresets = true;
    }

    /** Uses the answer to a change of a beacon or a receiver. */
    store(kind, resource) {
        this.#answered.set(kind + (resource.id ?? resource.name), performance.now());
        if (kind === "beacon") this.#storeBeacon(resource);
        else this.#storeReceiver(resource);
    }

    #receive(event) {
        const { event: name, device } = event;
        this.eventCount += 1;
        this.events.push(event);
        if (this.events.length > EVENTS_KEPT) this.events.splice(0, this.events.length - EVENTS_KEPT);
        this.change("events");
        if (name === "warning") {
            if (!this.warnings.has(device ?? "")) this.warnings.set(device ?? "", new Map());
            this.warnings.get(device ?? "").set(event.code, event);
            this.change("beacon", device);
        }
        if (name === "advertising-started" || name === "advertising-changed") {
            this.advertisements.set(device, event);
            this.warnings.delete(device);
        }
        if (name.startsWith("scenario-")) {
            this.scenario = event.scenario;
            this.change("scenario");
        }
        if (name === "reloaded" || name === "reload-failed") {
            this.reloadFailure = name === "reload-failed" ? event : undefined;
            this.change("reload");
        }
        if (name.startsWith("advertising-") || name === "physics-changed") this.#staleAir = true;
        if (event.receiver !== undefined) {
            this.#staleReceivers = true;
            if (name === "receiver-removed") this.#drop("receiver", event.receiver);
            else this.change("app", event.receiver);
        }
        if (name === "radio-ready") this.radio = event;
        if (name === "radio-ready" || name === "radio-lost") this.isRadioOn = name === "radio-ready";
        // What happens to a beacon or a host may have changed its resource.
        if (device !== undefined) this.#stale.add(device);
        else if (event.host !== undefined) this.#staleReceivers = true;
        else if (/^(ready|reloaded|radio-|events-lost)/.test(name)) this.refresh();
    }

    async #read() {
        let full = 0;
        for (;;) {
            if (!document.hidden && this.connection !== "refused") {
                try {
                    const now = performance.now();
                    const isFull = now - full > 5000;
                    if (this.#staleAll || this.#stale.size > 8 || this.#moving || isFull) {
                        this.#staleAll = false;
                        this.#stale.clear();
                        full = now;
                        await this.#readBeacons();
                    }
                    for (const name of [...this.#stale]) {
                        this.#stale.delete(name);
                        if (!this.beacons.has(name)) continue;
                        const began = performance.now();
                        this.#storeBeacon(await api.get(api.path("beacons", name)), began);
                    }
                    if (this.#staleReceivers || this.receivers.size > 0 || isFull) {
                        this.#staleReceivers = false;
                        await this.#readReceivers();
                    }
                    if (this.#staleAir) {
                        this.#staleAir = false;
                        await this.#readAir();
                    }
                    if (this.#stalePresets) {
                        this.#stalePresets = false;
                        this.presets = await api.get("v1/presets");
                        this.change("presets");
                    }
                    this.version ??= await api.get("v1/version");
                    this.clock = { ...(await api.get("v1/clock")), at: performance.now() };
                    this.change("clock");
                } catch (error) {
                    this.refresh();
                    console.info("reading:", error.message);
                }
            }
            await pause(PERIOD);
        }
    }

    async #readAir() {
        try {
            const surroundings = (air) => JSON.stringify([air?.walls, air?.floors, air?.rooms, air?.map]);
            const former = surroundings(this.air);
            this.air = await api.get("v1/air");
            this.change("air");
            if (surroundings(this.air) !== former) this.change("walls");
        } catch (error) {
            // A radio without positions has no walls either.
            if (!error.status) throw error;
        }
    }

    async #readBeacons() {
        const began = performance.now();
        const { beacons } = await api.get("v1/beacons");
        const names = new Set(beacons.map((each) => each.id));
        for (const name of this.beacons.keys()) if (!names.has(name)) this.#drop("beacon", name);
        this.#moving = false;
        for (const each of beacons) {
            const former = this.beacons.get(each.id)?.position;
            this.#storeBeacon(each, began);
            if (
                former && each.position && String(former) !== String(each.position) && !this.#held.has(each.id)
            ) this.#moving = true;
        }
        if (!this.selected && beacons.length > 0 && this.receivers.size === 0) this.select("beacon", beacons[0].id);
        this.change("ready");
    }

    async #readReceivers() {
        const began = performance.now();
        const { receivers } = await api.get("v1/receivers");
        const names = new Set(receivers.map((each) => each.name));
        for (const name of this.receivers.keys()) if (!names.has(name)) this.#drop("receiver", name);
        for (const each of receivers) this.#storeReceiver(each, began);
    }

    /** Stores what was read from a moment on. */
    #storeBeacon(resource, began = Infinity) {
        this.#store("beacon", this.beacons, { ...resource, name: resource.id, advertisedName: resource.name }, began);
    }

    #storeReceiver(resource, began = Infinity) {
        this.#store("receiver", this.receivers, resource, began);
    }

    #store(kind, map, resource, began) {
        const { name, position } = resource;
        if ((this.#answered.get(kind + name) ?? -1) >= began) {
            // What was read may be older than the answer to a change that came meanwhile.
            if (kind === "beacon") this.#stale.add(name);
            else this.#staleReceivers = true;
            return;
        }
        const text = JSON.stringify(resource);
        if (this.#texts.get(kind + name) === text) return;
        this.#texts.set(kind + name, text);
        if (!map.has(name)) this.change(`${kind}s`);
        map.set(name, resource);
        this.#extendTrail(name, position, Boolean(resource.path));
        this.change(kind, name);
    }

    #drop(kind, name) {
        (kind === "beacon" ? this.beacons : this.receivers).delete(name);
        this.#texts.delete(kind + name);
        this.trails.delete(name);
        if (kind === "beacon") {
            this.warnings.delete(name);
            this.advertisements.delete(name);
        }
        if (this.isSelected(kind, name)) this.select(undefined);
        this.change(`${kind}s`);
    }

    /** @param walks whether it moves on a path: then a long step is one of a fast clock */
    #extendTrail(name, position, walks) {
        if (!position) return;
        const parts = this.trails.get(name) ?? [];
        const last = parts.at(-1)?.at(-1);
        if (String(last) === String(position)) return;
        const step = last ? Math.hypot(...position.map((each, axis) => each - last[axis])) : 0;
        const rate = Math.max(1, Number(this.clock?.rate) || 1);
        if (last && (walks || step <= LONGEST_STEP * rate)) parts.at(-1).push(position);
        else parts.push([position]);
        if (parts.reduce((sum, part) => sum + part.length, 0) > TRAIL_LENGTH) {
            parts[0].shift();
            if (!parts[0].length) parts.shift();
        }
        this.trails.set(name, parts);
    }

    // RSSI ------------------------------------------------------------------------------------------------------------

    async #sample() {
        for (;;) {
            const began = performance.now();
            if (!document.hidden && this.connection === "live") {
                try {
                    const { links } = await api.get("v1/links");
                    this.#storeLinks(links);
                    await this.#readHistory();
                } catch (error) {
                    // A radio without positions has no links, and that does not change during a run.
                    if (error.status && error.status !== 503) return this.change("links");
                }
            }
            // At most a fifth of the time is spent on links, however many there are.
            await pause(Math.max(PERIOD - (performance.now() - began), 4 * (performance.now() - began)));
        }
    }

    /** Reads the samples of the selected one that are new, once a second, and all of them after another selection. */
    async #readHistory() {
        const name = this.selected?.name;
        if (name === undefined) return;
        const isOther = this.#history.of !== name;
        if (!isOther && performance.now() - this.#history.read < 900) return;
        const last = isOther ? undefined : this.#history.times.at(-1);
        const query = new URLSearchParams({ name, ...(last === undefined ? {} : { after: last }) });
        const { elapsed, times, links } = await api.get(`v1/links/history?${query}`);
        const isNewRun = elapsed < this.#history.elapsed;
        const kept = isOther || isNewRun ? { times: [], rows: new Map() } : this.#history;
        const all = [...kept.times, ...times];
        const first = all.findIndex((time) => time >= elapsed - HISTORY);
        const rows = new Map([...kept.rows].map(([other, levels]) => [other, [...levels, ...times.map(() => null)]]));
        for (const { from, to, rssi: levels } of links) {
            const other = from === name ? to : from;
            const former = kept.rows.get(other) ?? kept.times.map(() => null);
            rows.set(other, [...former, ...levels]);
        }
        this.#history = { of: name, elapsed, times: first < 0 ? [] : all.slice(first), rows: new Map(), read: performance.now() };
        for (const [other, levels] of rows) {
            const rest = first < 0 ? [] : levels.slice(first);
            if (rest.some((level) => level !== null)) this.#history.rows.set(other, rest);
        }
        this.change("history");
    }

    #storeLinks(links) {
        const former = this.links;
        this.links = new Map();
        for (const link of links) {
            if (!this.links.has(link.from)) this.links.set(link.from, new Map());
            this.links.get(link.from).set(link.to, link);
        }
        for (const name of new Set([...former.keys(), ...this.links.keys()])) {
            if (rounded(former.get(name)) !== rounded(this.links.get(name))) this.change("link", name);
        }
        this.change("links");
    }
}

/** Whether an override loses all packets of a link. */
export function isBlocked(link) {
    return (link.override?.["packet-loss"] ?? 0) >= 100;
}

/** What a link measures: the RSSI of its latest packet, and the mean where all packets have it. */
export function rssi(link) {
    return link.lastRSSI ?? link.meanRSSI;
}

function rounded(row) {
    return [...(row?.values() ?? [])].map((link) => `${link.to} ${Math.round(rssi(link))}`).join();
}

function pause(time) {
    return new Promise((resolve) => setTimeout(resolve, time));
}
