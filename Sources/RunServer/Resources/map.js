// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

// The map: beacons and receivers where they are, in metres, the first axis to the right and the second one up. What
// has no position is in a tray below, and gets one when it is moved out of it.

import { arrange, byId, set, svg, text } from "./dom.js";
import * as format from "./format.js";
import { namePlace } from "./names.js";
import { contour } from "./physics.js";
import { PlanLayer } from "./plan.js";
import { RoomsLayer } from "./rooms.js";
import { beaconState, receiverState } from "./state.js";

const MARGIN = 44;
const NARROW = 560;
const TRAY_ROW = 54;
const STEP = 0.5;
const FINE_STEP = 0.1;
/** Mean RSSI, in dBm, for which the selected beacon has a line around it. */
const RANGES = [-60, -70, -80, -90];
const NO_POSITION = "No position: 1 m from everything";
/** More marks than this have no names, except the selected and the focused one: placing them takes time. */
const MOST_NAMES = 100;
/** The space between a name and the next one, in pixels. */
const NAME_GAP = 4;
/** Where the RSSI of a link can be, as parts of the way to the other end: there, lines to several ends are apart. */
const LINK_PLACES = [0.68, 0.55, 0.8, 0.42];

export class MapView {
    #model;
    #commands;
    #root = byId("map");
    #grid = svg("g", { class: "grid", "aria-hidden": true });
    #ranges = svg("g", { class: "ranges", "aria-hidden": true });
    #walls = svg("g", { class: "walls", "aria-hidden": true });
    #paths = svg("g", { class: "paths", "aria-hidden": true });
    #links = svg("g", { class: "links", "aria-hidden": true });
    #tray = svg("g", { class: "tray", "aria-hidden": true });
    #nodes = svg("g", {});
    #overlay = svg("g", { class: "scale", "aria-hidden": true });
    #svg;
    #plan;
    #rooms;
    #marks = new Map();
    #size = { width: 0, height: 0 };
    #trayHeight = 0;
    #trayPlaces = new Map();
    #view = { x: 0, y: 0, scale: 20 };
    #fitted = true;
    #drag = undefined;
    /** The mark that a finger may drag: the one that was tapped last. A swipe over any other scrolls the page. */
    #armed = undefined;
    /** The boxes of marks and names, and the boxes of the ranges' labels, which other labels avoid. */
    #taken = [];
    #rangeBoxes = [];
    #canvas = document.createElement("canvas").getContext("2d");

    /**
     * @param commands.move called with a kind, a name and a position in metres; returns when the server has it
     * @param commands.moved called after it, with the position before it
     */
    constructor(model, commands) {
        this.#model = model;
        this.#commands = commands;
        this.#rooms = new RoomsLayer(model, () => this.#redraw());
        this.#svg = svg("svg", { role: "group", "aria-labelledby": "map-title", "aria-describedby": "map-help" },
            this.#grid, this.#rooms.element, this.#ranges, this.#walls, this.#paths, this.#tray, this.#links, this.#nodes, this.#overlay);
        this.#plan = new PlanLayer(this.#root, model, () => this.#redraw());
        this.#root.append(this.#svg);
        new ResizeObserver(([entry]) => {
            const { width, height } = entry.contentRect;
            this.#size = { width, height };
            this.#redraw();
        }).observe(this.#root);
        byId("zoom-in").addEventListener("click", () => this.#zoom(1.4));
        byId("zoom-out").addEventListener("click", () => this.#zoom(1 / 1.4));
        byId("zoom-fit").addEventListener("click", () => {
            this.#fitted = true;
            this.#redraw();
        });
        for (
            const id of ["show-ranges", "show-paths", "show-names"]
        ) byId(id).addEventListener("change", () => this.#redraw());
        this.#svg.addEventListener("wheel", (event) => {
            if (!event.ctrlKey && !event.metaKey) return;
            event.preventDefault();
            this.#zoom(event.deltaY < 0 ? 1.15 : 1 / 1.15, [event.offsetX, event.offsetY]);
        }, { passive: false });
        this.#svg.addEventListener("pointerdown", (event) => this.#beginPan(event));
        model.observe((changed) => this.#update(changed));
    }

    /** Moves the focus to a mark. */
    focus(kind, name) {
        this.#marks.get(kind + name)?.shape.focus();
    }

    // Drawing ---------------------------------------------------------------------------------------------------------

    #update(changed) {
        const members = changed.has("beacons") || changed.has("receivers");
        const names = [...(changed.get("beacon") ?? [])].map((name) => ["beacon", name])
            .concat([...(changed.get("receiver") ?? [])].map((name) => ["receiver", name]));
        if (this.#rooms.takeChange() || members || changed.has("walls")) return this.#redraw();
        if (changed.has("selection") && this.#armed && !this.#isArmedSelected()) this.#arm(undefined);
        // What gets or loses a position changes the tray; what leaves the view changes the view.
        // What goes to another floor has no mark there.
        const placed = names.some(([kind, name]) => {
            const resource = this.#resource(kind, name);
            return resource && (Boolean(this.#model.position(resource)) === this.#trayPlaces.has(kind + name)
                || this.#isShown(resource) !== this.#marks.has(kind + name));
        });
        if (
            placed || (this.#fitted && !this.#drag && names.some(([kind, name]) => this.#isOutside(kind, name)))
        ) return this.#redraw();
        for (const [kind, name] of names) this.#place(kind, name);
        if (names.length) this.#drawPaths();
        if (names.length || changed.has("selection")) {
            this.#placeNames();
            this.#drawRanges();
        } else if (changed.has("air")) this.#drawRanges();
        if (names.length || changed.has("selection") || changed.has("links")) this.#drawLinks();
    }

    #redraw() {
        const { width, height } = this.#size;
        if (!width || !height) return;
        set(this.#svg, "viewBox", `0 0 ${width} ${height}`);
        this.#layOutTray();
        if (this.#fitted && !this.#drag) this.#fit();
        this.#plan.draw(this.#size, (place) => this.#project(place));
        this.#drawGrid();
        this.#rooms.draw((place) => this.#project(place), (words) => this.#width(words));
        this.#drawWalls();
        this.#drawPaths();
        this.#drawTray();
        const order = [];
        for (const [kind, map] of [["beacon", this.#model.beacons], ["receiver", this.#model.receivers]]) {
            for (const name of [...map.keys()].filter((each) => this.#isShown(map.get(each))).sort(format.compareNames)) {
                this.#place(kind, name);
                order.push(this.#marks.get(kind + name).element);
            }
        }
        for (const [key, mark] of this.#marks) if (!order.includes(mark.element)) this.#marks.delete(key);
        arrange(this.#nodes, order);
        this.#placeNames();
        this.#drawRanges();
        this.#drawLinks();
    }

    /** Whether a box is in the picture and covers none of others. */
    #fits(box, others) {
        return box[0] >= 2 && box[2] <= this.#size.width - 2 && box[1] >= 0 && box[3] <= this.#size.height && !others.some(
            (other) => box[0] < other[2] && other[0] < box[2] && box[1] < other[3] && other[1] < box[3],
        );
    }

    /** The box of a text, with some space beside it. */
    #box(x, y, width, anchor) {
        const left = x - (anchor === "middle" ? width / 2 : anchor === "end" ? width : 0);
        const height = 14 * rootSize() / 16;
        return [left - NAME_GAP, y - 0.8 * height, left + width + NAME_GAP, y + 0.3 * height];
    }

    /** The width of a text; measuring it in the page would lay the page out as often. */
    #width(words, size = 0.78) {
        this.#canvas.font = `600 ${size * rootSize()}px ${getComputedStyle(document.documentElement).fontFamily}`;
        return this.#canvas.measureText(words).width;
    }

    /** Puts each name where it covers no mark and no other name, or leaves it out; it appears with the focus. */
    #placeNames() {
        const marks = [...this.#marks.values()].sort((one, two) => two.rank - one.rank);
        const isShown = byId("show-names").checked && marks.length <= MOST_NAMES;
        const taken = marks.map(({ at: [x, y] }) => [x - 9, y - 9, x + 9, y + 9]);
        if (this.#trayHeight) taken.push(this.#box(12, this.#size.height - this.#trayHeight + 17, this.#width(NO_POSITION), "start"));
        for (const mark of marks) {
            const found = isShown ? namePlace(mark, (box) => this.#fits(box, taken), this.#box.bind(this)) : undefined;
            if (found) taken.push(found.box);
            const { x, y, anchor, leader } = found ?? { x: 0, y: 23, anchor: "middle" };
            set(mark.label, "x", x.toFixed(1));
            set(mark.label, "y", y.toFixed(1));
            set(mark.label, "text-anchor", anchor);
            set(mark.leader, "d", leader ?? false);
            mark.element.classList.toggle("unnamed", !found);
        }
        this.#taken = taken;
    }

    #resource(kind, name) {
        return (kind === "beacon" ? this.#model.beacons : this.#model.receivers).get(name);
    }

    /** Whether something is on the floor that is shown. */
    #isShown(resource) {
        return this.#rooms.has(this.#model.position(resource));
    }

    #place(kind, name) {
        const resource = this.#resource(kind, name);
        if (!resource || !this.#isShown(resource)) return;
        let mark = this.#marks.get(kind + name);
        if (!mark) this.#marks.set(kind + name, (mark = this.#makeMark(kind, name)));
        const [x, y] = this.#pixels(kind, resource);
        mark.at = [x, y];
        mark.rank = (this.#model.isSelected(kind, name) ? 2 : 0) + (kind === "receiver" ? 1 : 0);
        set(mark.element, "transform", `translate(${x.toFixed(1)} ${y.toFixed(1)})`);
        const state = kind === "beacon" ? beaconState(resource, this.#model) : receiverState(resource);
        set(
            mark.element, "class",
            [
                "node", kind, ...state.classes, this.#model.isSelected(kind, name) && "selected",
                this.#armed === kind + name && "armed",
            ].filter(Boolean).join(" "),
        );
        const place = this.#model.position(resource);
        const where = place ? `at ${format.position(place)} m${resource.room ? ` in ${resource.room}` : ""}` : "no position";
        set(mark.shape, "aria-label", `${kind === "beacon" ? "Beacon" : "Receiver"} ${name}${resource.label ? ` (${resource.label})` : ""}, ${state.text}, ${where}`);
        set(mark.shape, "aria-pressed", String(this.#model.isSelected(kind, name)));
        set(mark.alert, "visibility", state.alert ? "visible" : "hidden");
    }

    #makeMark(kind, name) {
        const shape = svg("circle", {
            r: 11, class: "target", tabindex: 0, role: "button", "data-kind": kind, "data-name": name,
            pointerdown: (event) => this.#beginDrag(event, kind, name),
            click: (event) => this.#tap(event, kind, name),
            blur: () => this.#commands.endMoves(),
            keydown: (event) => this.#press(event, kind, name),
        });
        const dot = kind === "beacon"
            ? svg("circle", { r: 6.5, class: "dot" })
            : svg("rect", { x: -5.5, y: -5.5, width: 11, height: 11, rx: 1.5, transform: "rotate(45)", class: "dot" });
        const cross = svg("path", { class: "wrong-mark", d: "M-4.5-4.5l9 9M4.5-4.5l-9 9" });
        const alert = svg("path", { class: "alert", d: "M8 -14 l5 9 h-10 z" });
        const label = svg("text", { "aria-hidden": true });
        text(label, name);
        const slash = svg("path", { class: "muted-mark", d: "M-5 5l10-10" });
        const leader = svg("path", { class: "leader", "aria-hidden": "true" });
        return {
            element: svg("g", {}, leader, shape, dot, slash, cross, alert, label), shape, alert, label, leader,
            width: this.#width(name),
        };
    }

    /** Where a mark is in the picture. */
    #pixels(kind, resource) {
        const place = this.#model.position(resource);
        if (place) return this.#project(place);
        return this.#trayPlaces.get(kind + resource.name) ?? [-100, -100];
    }

    #project([x, y]) {
        const { width } = this.#size;
        return [
            width / 2 + (x - this.#view.x) * this.#view.scale, this.#height / 2 - (y - this.#view.y) * this.#view.scale,
        ];
    }

    #unproject([x, y]) {
        return [
            this.#view.x + (x - this.#size.width / 2) / this.#view.scale,
            this.#view.y - (y - this.#height / 2) / this.#view.scale,
        ];
    }

    /** The height of the picture above the tray. */
    get #height() {
        return this.#size.height - this.#trayHeight;
    }

    #isOutside(kind, name) {
        const resource = this.#resource(kind, name);
        const place = resource && this.#model.position(resource);
        if (!place) return false;
        const [x, y] = this.#project(place);
        return x < 12 || y < 12 || x > this.#size.width - 12 || y > this.#height - 24;
    }

    #fit() {
        const places = [
            ...this.#model.beacons.values(), ...this.#model.receivers.values(),
        ].map((each) => this.#model.position(each)).filter(Boolean).concat(
            (this.#model.air?.walls ?? []).flatMap(({ from, to }) => [from, to]), this.#plan.corners, this.#rooms.corners,
        );
        if (!places.length) places.push([0, 0]);
        const [left, right, bottom, top] = [[0, Math.min], [0, Math.max], [1, Math.min], [1, Math.max]]
            .map(([axis, choose]) => places.map((place) => place[axis]).reduce((one, two) => choose(one, two)));
        // At least 4 m in each direction, so that two beacons on one spot do not fill the picture.
        const across = Math.max(right - left, 4), up = Math.max(top - bottom, 4);
        const margin = this.#size.width < NARROW ? 30 : MARGIN;
        const room = [Math.max(this.#size.width - 2 * margin, 60), Math.max(this.#height - 2 * margin, 60)];
        this.#view = { x: (left + right) / 2, y: (bottom + top) / 2, scale: Math.min(room[0] / across, room[1] / up) };
    }

    #layOutTray() {
        this.#trayPlaces.clear();
        const loose = [["beacon", this.#model.beacons], ["receiver", this.#model.receivers]].flatMap(([kind, map]) =>
            [...map.values()].filter(
                (each) => !this.#model.position(each),
            ).map((each) => kind + each.name).sort(format.compareNames));
        const { width, height } = this.#size;
        const perRow = Math.max(1, Math.floor((width - 24) / 96));
        const rows = Math.ceil(loose.length / perRow);
        this.#trayHeight = rows ? Math.min(26 + rows * TRAY_ROW, height * 0.6) : 0;
        const spacing = (this.#trayHeight - 26) / Math.max(1, rows);
        loose.forEach((key, index) => {
            const row = Math.floor(index / perRow), column = index % perRow;
            this.#trayPlaces.set(
                key,
                [
                    12 + (column + 0.5) * ((width - 24) / perRow),
                    height - this.#trayHeight + 26 + (row + 0.35) * spacing,
                ],
            );
        });
    }

    #drawTray() {
        const { width, height } = this.#size;
        arrange(this.#tray, this.#trayHeight ? [
            svg("rect", { x: 0, y: height - this.#trayHeight, width, height: this.#trayHeight }),
            svg("text", { x: 12, y: height - this.#trayHeight + 17 }, NO_POSITION),
        ] : []);
    }

    #drawGrid() {
        const { width } = this.#size, height = this.#height;
        const step = [
            0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000,
        ].find((each) => each * this.#view.scale >= 44) ?? 10000;
        const [left, top] = this.#unproject([0, 0]), [right, bottom] = this.#unproject([width, height]);
        const lines = [];
        for (let x = Math.ceil(left / step) * step; x <= right; x += step) {
            const [at] = this.#project([x, 0]);
            lines.push(
                svg("line", { x1: at, x2: at, y1: 0, y2: height, class: Math.abs(x) < step / 2 ? "axis" : false }),
            );
            if (at > 30) lines.push(svg("text", { x: at + 3, y: height - 5 }, format.trim(x)));
        }
        for (let y = Math.ceil(bottom / step) * step; y <= top; y += step) {
            const [, at] = this.#project([0, y]);
            lines.push(
                svg("line", { x1: 0, x2: width, y1: at, y2: at, class: Math.abs(y) < step / 2 ? "axis" : false }),
            );
            if (at < height - 24) lines.push(svg("text", { x: 4, y: at - 4 }, format.trim(y)));
        }
        arrange(this.#grid, lines);
        const length = step * this.#view.scale;
        arrange(this.#overlay, [
            svg("path", { d: `M${width - 14 - length} 14v6h${length}v-6` }),
            svg("text", { x: width - 14 - length / 2, y: 34, "text-anchor": "middle" }, format.metres(step)),
        ]);
    }

    #drawWalls() {
        const walls = (this.#model.air?.walls ?? []).filter((wall) => this.#rooms.hasWall(wall));
        byId("wall-legend").hidden = !walls.length;
        arrange(this.#walls, walls.flatMap(({ from, to, loss }) => {
            const [x1, y1] = this.#project(from), [x2, y2] = this.#project(to);
            const line = svg("line", { x1, y1, x2, y2 });
            const words = `${format.trim(loss)} dB`;
            if (Math.hypot(x2 - x1, y2 - y1) < this.#width(words) + 20) return [line];
            return [line, svg("text", { x: (x1 + x2) / 2 + 5, y: (y1 + y2) / 2 - 4 }, words)];
        }));
    }

    /** Where the mean RSSI of the selected beacon falls to some levels: circles, which walls bend. */
    #drawRanges() {
        const beacon = this.#model.selected?.kind === "beacon" ? this.#model.selection : undefined;
        const { air } = this.#model;
        const place = beacon && this.#model.position(beacon);
        const atOneMetre = beacon && air?.levels[beacon.name];
        this.#rangeBoxes = [];
        if (
            !byId("show-ranges").checked || !place || atOneMetre === undefined || !beacon.onAir || beacon.muted
            || !this.#isShown(beacon)
        ) return arrange(this.#ranges, []);
        const [x, y] = this.#project(place);
        const [, , z = 0] = place;
        const walls = air.walls.filter(({ bottom = -Infinity, top = Infinity }) => bottom <= z && z < top);
        arrange(this.#ranges, RANGES.flatMap((level) => {
            const { points, up, down, farthest } = contour({ ...air, walls }, place, atOneMetre, level);
            // One that surrounds the picture would be invisible, and a dot is covered by the mark.
            if (
                farthest * this.#view.scale < 16
                || up * this.#view.scale > 2 * Math.hypot(this.#size.width, this.#height)
            ) return [];
            const line = svg("path", {
                d: `M${points.map((point) => this.#project(point).map((each) => each.toFixed(1)).join(" ")).join("L")}Z`,
            });
            const found = [[up, -4], [down, 14]].map(([distance, aside]) => {
                const words = `${format.signed(level)} dBm · ${format.metres(distance)}`, width = this.#width(words, 0.72);
                const at = [
                    Math.max(width / 2 + 8, Math.min(this.#size.width - width / 2 - 8, x)),
                    y + (aside < 0 ? -1 : 1) * distance * this.#view.scale + aside,
                ];
                return { words, at, box: this.#box(...at, width, "middle") };
            }).find(({ box }) => box[3] < this.#height && this.#fits(box, [...this.#taken, ...this.#rangeBoxes]));
            if (!found) return [line];
            this.#rangeBoxes.push(found.box);
            return [line, svg("text", { x: found.at[0], y: found.at[1], "text-anchor": "middle" }, found.words)];
        }));
    }

    #drawPaths() {
        const estimates = [...this.#model.receivers.values()].flatMap((each) => this.#estimateMark(each));
        if (!byId("show-paths").checked) return arrange(this.#paths, estimates);
        const line = (name, places) => svg(
            "polyline",
            {
                class: name,
                points: places.map((place) => this.#project(place).map((each) => each.toFixed(1)).join()).join(" "),
            },
        );
        const planned = [...this.#model.receivers.values()].filter((each) => each.path).flatMap(
            (each) => this.#rooms.parts(each.path).map((part) => line("planned", part)),
        );
        const trails = [...this.#model.trails.values()].flat().flatMap((each) => this.#rooms.parts(each)).map(
            (part) => line("trail", part),
        );
        arrange(this.#paths, [...planned, ...trails, ...estimates]);
    }

    /** Where the estimator of a receiver has it: a ring, with a line from where it is. */
    #estimateMark(receiver) {
        const place = receiver.estimate?.position;
        if (!place || !this.#rooms.has(place)) return [];
        const [x, y] = this.#project(place);
        const ring = svg("circle", { class: "estimate", cx: x, cy: y, r: 8 });
        if (!this.#model.position(receiver) || !this.#isShown(receiver)) return [ring];
        const [x1, y1] = this.#pixels("receiver", receiver);
        return [svg("line", { class: "estimate", x1, y1, x2: x, y2: y }), ring];
    }

    #drawLinks() {
        const selected = this.#model.selected;
        const own = this.#model.selection;
        if (!own || !this.#isShown(own)) return arrange(this.#links, []);
        const other = selected.kind === "beacon" ? "receiver" : "beacon";
        const from = this.#pixels(selected.kind, own);
        const taken = [...this.#taken, ...this.#rangeBoxes];
        arrange(this.#links, this.#model.linksOf(selected).slice(0, 40).flatMap(({ other: name, link }, index) => {
            const resource = this.#resource(other, name);
            if (!resource || !this.#isShown(resource)) return [];
            const to = this.#pixels(other, resource);
            const level = this.#model.level(link);
            const isLost = level === undefined;
            const strength = isLost ? 0 : Math.max(0, Math.min(1, (level + 100) / 60));
            const line = svg(
                "line",
                {
                    x1: from[0], y1: from[1], x2: to[0], y2: to[1], "stroke-width": 1 + 3 * strength,
                    class: isLost ? "blocked" : false,
                },
            );
            if (index >= 8) return [line];
            const words = isLost ? (this.#model.isMuted(link.from) ? "muted" : "blocked") : format.signed(level), width = this.#width(words);
            const found = LINK_PLACES.map((part) => {
                const at = [from[0] + (to[0] - from[0]) * part, from[1] + (to[1] - from[1]) * part - 4];
                return { at, box: this.#box(...at, width, "middle") };
            }).find(({ box }) => this.#fits(box, taken));
            if (!found) return [line];
            taken.push(found.box);
            return [line, svg("text", { x: found.at[0], y: found.at[1], "text-anchor": "middle" }, words)];
        }));
    }

    // Moving ----------------------------------------------------------------------------------------------------------

    #zoom(factor, at = [this.#size.width / 2, this.#height / 2]) {
        const before = this.#unproject(at);
        this.#view.scale = Math.max(0.02, Math.min(2000, this.#view.scale * factor));
        const after = this.#unproject(at);
        this.#view.x += before[0] - after[0];
        this.#view.y += before[1] - after[1];
        this.#fitted = false;
        this.#redraw();
    }

    #beginPan(event) {
        if (event.button !== 0 || event.pointerType === "touch" || event.target.classList.contains("target")) return;
        const start = [event.clientX, event.clientY, this.#view.x, this.#view.y];
        this.#track(event, this.#svg, (moved) => {
            this.#fitted = false;
            this.#view.x = start[2] - (moved.clientX - start[0]) / this.#view.scale;
            this.#view.y = start[3] + (moved.clientY - start[1]) / this.#view.scale;
            this.#redraw();
        });
    }

    #isArmedSelected() {
        const { selected } = this.#model;
        return selected && this.#armed === selected.kind + selected.name;
    }

    /** Lets a finger drag a mark, and no other one; `undefined` for none. */
    #arm(kind, name) {
        this.#armed = kind && kind + name;
        for (const [key, { element }] of this.#marks) element.classList.toggle("armed", key === this.#armed);
    }

    /** Selects what was clicked or tapped. */
    #tap(event, kind, name) {
        event.currentTarget.focus();
        this.#model.select(kind, name);
        if (event.pointerType !== "mouse") this.#arm(kind, name);
    }

    #beginDrag(event, kind, name) {
        // A finger that is put on a mark mostly scrolls the page.
        if (event.button !== 0 || (event.pointerType !== "mouse" && this.#armed !== kind + name)) return;
        event.preventDefault();
        event.currentTarget.focus();
        this.#model.select(kind, name);
        const from = this.#model.position(this.#resource(kind, name));
        const box = this.#svg.getBoundingClientRect();
        const begin = [event.clientX, event.clientY];
        let place;
        this.#drag = { kind, name };
        this.#track(event, event.currentTarget, (moved) => {
            // A click with a trembling hand moves nothing.
            if (!place && Math.hypot(moved.clientX - begin[0], moved.clientY - begin[1]) < 4) return;
            const resource = this.#resource(kind, name);
            const at = [
                Math.max(0, Math.min(box.width, moved.clientX - box.left)),
                Math.max(0, Math.min(this.#height, moved.clientY - box.top)),
            ];
            const [x, y] = this.#unproject(at).map((each) => Math.round(each * 10) / 10);
            place = [x, y, resource?.position?.[2] ?? 0];
            this.#move(kind, name, place);
        }, () => {
            this.#drag = undefined;
            if (!place) return;
            this.#move(kind, name, place);
            this.#commands.endMoves();
            this.#commands.moved(kind, name, from, place);
            this.#commands.endMoves();
        });
    }

    #track(event, target, move, end = () => {}) {
        target.setPointerCapture(event.pointerId);
        const finish = () => {
            target.removeEventListener("pointermove", move);
            target.removeEventListener("pointerup", finish);
            target.removeEventListener("pointercancel", finish);
            end();
        };
        target.addEventListener("pointermove", move);
        target.addEventListener("pointerup", finish);
        target.addEventListener("pointercancel", finish);
    }

    #press(event, kind, name) {
        if (event.key === "Enter" || event.key === " ") {
            event.preventDefault();
            return this.#model.select(kind, name);
        }
        const direction = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
        if (!direction || event.altKey || event.ctrlKey || event.metaKey) return;
        event.preventDefault();
        const step = event.shiftKey ? FINE_STEP : STEP;
        const resource = this.#resource(kind, name);
        const from = this.#model.position(resource);
        const [x, y, z] = from ?? [this.#view.x, this.#view.y, 0];
        const place = [x + direction[0] * step, y + direction[1] * step].map((each) => Math.round(each * 100) / 100);
        this.#move(kind, name, [...place, z ?? 0]);
        this.#commands.moved(kind, name, from, [...place, z ?? 0]);
    }

    /** Shows the new position at once, and sends it. */
    #move(kind, name, place) {
        this.#model.hold(name, place);
        this.#model.change(kind, name);
        this.#commands.move(kind, name, place);
    }
}

/** The size of the page's text, in pixels. */
function rootSize() {
    return parseFloat(getComputedStyle(document.documentElement).fontSize);
}
