// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

// The RSSI of the selected beacon or receiver: the last two minutes as lines, and each link as a number and a bar.

import { makeBar, setBar } from "./bar.js";
import { arrange, byId, html, set, svg, text } from "./dom.js";
import * as format from "./format.js";
import { HISTORY } from "./model.js";
import { HeldOrder } from "./order.js";
import { beaconState } from "./state.js";

const HEIGHT = 190;
/** On a wide screen, the height that is left beside the map. */
const TALL = 300;
const LEFT = 34;
const BOTTOM = 22;
const TOP = 8;
/** Two samples that are farther apart, in seconds of the run, have no line between them. */
const GAP = 3.5;
/** Lines in the chart, each with a pattern and a mark of its own; there are colours for as many. */
const MOST_LINES = 5;
const MARKS = [
    "M-3 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0", "M-3-3h6v6h-6z", "M0-4l4 7h-8z", "M0-4l4 4-4 4-4-4z", "M-3-3l6 6M3-3l-6 6",
];
const MOST_ROWS = 12;

export class SignalView {
    #model;
    #commands;
    #root = byId("signal");
    #chart = svg("svg", { class: "chart", role: "img" });
    #list = html("ul", { class: "links", "aria-label": "Links" });
    #note = html("p", { class: "quiet" });
    #width = 300;
    #height = HEIGHT;
    #rows = new Map();
    #order = new HeldOrder(this.#list, () => this.#draw());
    /**
     * The line that each link has while it is shown, so that its colour does not change when another becomes stronger.
     */
    #lines = [];

    constructor(model, commands) {
        this.#model = model;
        this.#commands = commands;
        this.#root.append(this.#note, this.#chart, this.#list);
        new ResizeObserver(([entry]) => {
            this.#width = Math.max(200, entry.contentRect.width);
            this.#height = matchMedia("(min-width: 105rem)").matches ? TALL : HEIGHT;
            this.#draw();
        }).observe(this.#root);
        model.observe((changed) => {
            if (changed.has("selection")) {
                this.#lines = [];
                this.#order.reset();
            }
            if (changed.has("links") || changed.has("history") || changed.has("beacon") || changed.has("selection") || changed.has("ready")) this.#draw();
        });
    }

    #draw() {
        const { selected, selection } = this.#model;
        const links = selection ? this.#model.linksOf(selected) : [];
        text(
            byId("signal-title"),
            selected ? (selected.kind === "beacon" ? `RSSI of ${selected.name}` : `RSSI at ${selected.name}`) : "RSSI",
        );
        text(this.#note, links.length ? "" : this.#reason(selected, selection));
        this.#note.hidden = links.length > 0;
        // What was received stays when nothing is received any more.
        const histories = this.#model.histories;
        set(this.#chart, "display", links.length || histories.size ? false : "none");
        const present = links.map(({ other }) => other);
        const others = new Set([...present, ...histories.keys()]);
        this.#lines = this.#lines.map((name) => (others.has(name) ? name : undefined));
        for (const other of [...present.slice(0, MOST_LINES), ...others]) {
            if (this.#lines.includes(other)) continue;
            const free = [...Array(MOST_LINES).keys()].find((index) => !this.#lines[index]);
            if (free !== undefined) this.#lines[free] = other;
        }
        this.#drawChart(histories);
        this.#drawList(links);
    }

    /** Why there is no link now. */
    #reason(selected, selection) {
        if (![...this.#model.receivers.values()].some((each) => each.joined)) {
            return "No phone or host receives yet. Add a phone below the map, and it appears here.";
        }
        if (selected?.kind === "receiver") {
            return selection?.scan ? "Nothing is on the air." : "It does not scan.";
        }
        if (selection && selected.kind === "beacon" && (!selection.onAir || selection.muted)) return `Not received now: ${beaconState(selection, this.#model).text}.`;
        return "No receiver scans.";
    }

    #drawChart(histories) {
        const width = this.#width, height = this.#height;
        set(this.#chart, "height", height);
        set(this.#chart, "viewBox", `0 0 ${width} ${height}`);
        set(this.#chart, "width", width);
        const now = this.#model.historyEnd;
        const [low, high] = [-100, -30];
        const x = (time) => LEFT + (width - LEFT - 12) * (1 - (now - time) / HISTORY);
        const y = (level) => TOP + (height - TOP - BOTTOM) * (
            (high - Math.max(low, Math.min(high, level))) / (high - low)
        );
        const parts = [];
        for (let level = high - 10; level >= low; level -= 20) {
            parts.push(svg("line", { class: "rule", x1: LEFT, x2: width - 8, y1: y(level), y2: y(level) }),
                svg("text", { x: LEFT - 5, y: y(level) + 4, "text-anchor": "end" }, format.signed(level)));
        }
        for (const seconds of width < 420 ? [120, 60, 0] : [120, 90, 60, 30, 0]) {
            parts.push(
                svg(
                    "text",
                    {
                        x: x(now - seconds), y: height - 5,
                        "text-anchor": seconds === 0 ? "end" : seconds === HISTORY ? "start" : "middle",
                    },
                    seconds ? `${seconds} s ago` : "now",
                ),
            );
        }
        const { selected } = this.#model;
        const described = [];
        this.#lines.forEach((other, index) => {
            if (!other || !selected) return;
            const samples = histories.get(other) ?? [];
            let path = "", last, former;
            for (const [time, level] of samples) {
                const isJoined = last && time - former < Math.max(GAP, 2 * this.#period(samples));
                former = time;
                if (level === null) {
                    last = undefined;
                    continue;
                }
                // A sample alone is a dot.
                path += isJoined ? "L" : `M${x(time).toFixed(1)} ${y(level).toFixed(1)}L`;
                path += `${x(time).toFixed(1)} ${y(level).toFixed(1)}`;
                last = [x(time), y(level), level];
            }
            parts.push(svg("path", { class: `line line-${index}`, d: path }));
            if (last) {
                parts.push(
                    svg(
                        "path",
                        {
                            class: `mark line-${index}`, d: MARKS[index],
                            transform: `translate(${last[0].toFixed(1)} ${last[1].toFixed(1)})`,
                        },
                    ),
                );
                described.push(`${other} ${format.dBm(last[2])}`);
            }
        });
        arrange(this.#chart, parts);
        set(this.#chart, "aria-label", `RSSI of the last two minutes in dBm. Now: ${described.join(", ") || "none"}.`);
    }

    /** The mean time between samples: with very many paths, the run takes them less often. */
    #period(samples) {
        return samples.length > 1 ? (samples.at(-1)[0] - samples[0][0]) / (samples.length - 1) : 1;
    }

    #drawList(links) {
        const found = new Map(links.map(({ other, link }) => [other, link]));
        // While the pointer is over the list, what is gone keeps its place.
        const shown = this.#order.arrange([...found.keys()]).slice(0, MOST_ROWS);
        for (const name of this.#rows.keys()) if (!shown.includes(name)) this.#rows.delete(name);
        const elements = shown.map((other) => {
            if (!this.#rows.has(other)) this.#rows.set(other, this.#makeRow(other));
            const row = this.#rows.get(other);
            const index = this.#lines.indexOf(other);
            set(row.mark, "class", index < 0 ? "mark none" : `mark line-${index}`);
            set(row.mark.firstChild, "d", MARKS[Math.max(0, index)]);
            this.#updateRow(row, other, found.get(other));
            return row.element;
        });
        const others = found.size - MOST_ROWS;
        if (others > 0) elements.push(html("li", { class: "quiet more" }, `and ${format.count(others, "weaker one")}`));
        arrange(this.#list, elements);
    }

    #updateRow(row, other, link) {
        const level = link && this.#model.level(link);
        setBar(row.bar, level);
        text(row.level, level === undefined ? "–" : format.dBm(level));
        row.block.disabled = !link;
        if (!link) return text(row.facts, "not received any more");
        text(row.facts, [
            this.#model.isMuted(link.from) ? "muted" : "",
            link.distance === undefined ? "1 m (no position)" : format.metres(link.distance),
            link.lost ? `${Math.round(link.lost * 100)} % lost` : "", overrideText(link.override),
        ].filter(Boolean).join(", "));
        const isOverridden = link.override !== undefined;
        text(row.block, isOverridden ? "Reset link" : "Block");
        set(row.block, "aria-label", `${isOverridden ? "Reset the link with" : "Block the link with"} ${other}`);
        row.act = () => this.#commands.overrideLink(link, isOverridden ? undefined : { blocked: true });
    }

    #makeRow(other) {
        const mark = svg(
            "svg", { viewBox: "-6 -6 12 12", width: 12, height: 12, "aria-hidden": "true" }, svg("path", {}),
        );
        const level = html("strong");
        const facts = html("span", { class: "quiet" });
        const bar = makeBar();
        const row = { mark, bar, level, facts, act: () => {} };
        row.block = html("button", { type: "button", class: "small", click: () => row.act() });
        row.element = html("li", {}, mark, html("span", { class: "other" }, other), bar, level, facts, row.block);
        return row;
    }
}

function overrideText(override) {
    if (!override) return "";
    const parts = [
        override.rssi === undefined ? "" : `fixed at ${format.dBm(override.rssi)}`,
        override.loss ? `${format.trim(override.loss)} dB more loss` : "",
        override["packet-loss"] === undefined
            ? ""
            : override["packet-loss"] >= 100
            ? "blocked"
            : `${Math.round(override["packet-loss"])} % of packets lost`,
        override.for === undefined ? "" : `for ${Math.ceil(parseFloat(override.for))} s`,
    ];
    return parts.filter(Boolean).join(", ");
}
