// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

// The facts of the map as tables, which can be sorted and filtered. A page of a table has at most 25 rows, so that a
// table of hundreds of beacons does not slow the page down.

import { makeBar, setBar } from "./bar.js";
import { arrange, byId, html, set, text } from "./dom.js";
import { switchButton } from "./switch.js";
import * as format from "./format.js";
import { HeldOrder } from "./order.js";
import { beaconState, receiverState, scanKind } from "./state.js";

const PAGE = 25;

class Table {
    #columns;
    #kind;
    #model;
    #rows = new Map();
    #body = html("tbody");
    #headings;
    #pages;
    #page = 0;
    #order = { column: 0, descending: false };
    #filter = "";
    #held = new HeldOrder(this.#body, () => this.#draw());

    /**
     * @param columns each with `name`, `make(name)` for the cell's content (by default text),
     *   `update(content, resource)`, and `value(resource)` to sort by and to filter
     */
    constructor(model, kind, { root, pages, filter, columns, caption }) {
        this.#model = model;
        this.#kind = kind;
        this.#columns = columns;
        this.#pages = pages;
        this.#headings = columns.map((column, index) => html("th", { scope: "col", class: column.class ?? false },
            html("button", { type: "button", click: () => this.#sort(index) }, column.name)));
        root.append(
            html(
                "table", {}, html("caption", { class: "hidden" }, caption),
                html("thead", {}, html("tr", {}, this.#headings)), this.#body,
            ),
        );
        filter?.addEventListener("input", () => {
            this.#filter = filter.value.trim().toLowerCase();
            this.#page = 0;
            this.#held.reset();
            this.#draw();
        });
        model.observe((changed) => {
            const names = new Set(
                [...(changed.get(kind) ?? []), ...(kind === "beacon" ? changed.get("link") ?? [] : [])],
            );
            if (changed.has(`${kind}s`) || changed.has("ready") || changed.has("selection")) return this.#draw();
            for (const name of names) if (this.#rows.has(name)) this.#update(name);
            if (kind === "receiver" && changed.has("links")) for (const name of this.#rows.keys()) this.#update(name);
        });
    }

    get #resources() {
        return this.#kind === "beacon" ? this.#model.beacons : this.#model.receivers;
    }

    #sort(column) {
        this.#order = { column, descending: this.#order.column === column && !this.#order.descending };
        this.#page = 0;
        this.#held.reset();
        this.#draw();
    }

    #draw() {
        const { column, descending } = this.#order;
        const value = this.#columns[column].value;
        const found = [...this.#resources.values()].filter(
            (each) => !this.#filter || [...this.#columns.map((one) => one.value(each)), each.label ?? ""].some(
                (value) => String(value).toLowerCase().includes(this.#filter),
            ),
        );
        found.sort(
            (one, two) => (
                compare(value(one), value(two)) || format.compareNames(one.name, two.name)
            ) * (descending ? -1 : 1),
        );
        const last = Math.max(0, Math.ceil(found.length / PAGE) - 1);
        this.#page = Math.min(this.#page, last);
        const page = found.slice(this.#page * PAGE, (this.#page + 1) * PAGE).map((each) => each.name);
        const shown = this.#held.arrange(page).map((name) => ({ name }));
        const names = new Set(shown.map((each) => each.name));
        for (const name of this.#rows.keys()) if (!names.has(name)) this.#rows.delete(name);
        for (const { name } of shown) {
            if (!this.#rows.has(name)) this.#rows.set(name, this.#make(name));
            this.#update(name);
        }
        arrange(
            this.#body,
            shown.length
                ? shown.map((each) => this.#rows.get(each.name).element)
                : [
                    html(
                        "tr", {},
                        html(
                            "td", { colspan: this.#columns.length, class: "quiet" },
                            this.#filter ? "Nothing matches the filter." : "None.",
                        ),
                    ),
                ],
        );
        this.#headings.forEach(
            (heading, index) => set(
                heading, "aria-sort", index === column ? (descending ? "descending" : "ascending") : false,
            ),
        );
        if (this.#pages) this.#drawPages(found.length, last);
    }

    #drawPages(count, last) {
        if (last === 0) return arrange(
            this.#pages, count > 6 ? [html("span", { class: "quiet small" }, `${count}`)] : [],
        );
        const turn = (by) => () => {
            this.#page += by;
            this.#held.reset();
            this.#draw();
        };
        arrange(this.#pages, [
            html(
                "button",
                { type: "button", "aria-label": "Previous page", disabled: this.#page === 0, click: turn(-1) }, "‹",
            ),
            html(
                "span", { class: "quiet small" },
                `${this.#page * PAGE + 1}–${Math.min(count, (this.#page + 1) * PAGE)} of ${count}`,
            ),
            html(
                "button", { type: "button", "aria-label": "Next page", disabled: this.#page === last, click: turn(1) },
                "›",
            ),
        ]);
    }

    #make(name) {
        const cells = this.#columns.map((column, index) => {
            const content = column.make?.(name) ?? html("span");
            return {
                content,
                cell: html(
                    index === 0 ? "th" : "td", { scope: index === 0 ? "row" : false, class: column.class ?? false },
                    content,
                ),
            };
        });
        return { element: html("tr", {}, cells.map(({ cell }) => cell)), cells };
    }

    #update(name) {
        const resource = this.#resources.get(name);
        const row = this.#rows.get(name);
        // It is gone, and keeps its place while the pointer is over the table.
        if (!resource) return set(row.element, "class", "gone");
        set(row.element, "class", this.#model.isSelected(this.#kind, name) ? "selected" : false);
        this.#columns.forEach((column, index) => {
            const { content } = row.cells[index];
            if (column.update) column.update(content, resource);
            else text(content, String(column.value(resource) ?? ""));
        });
    }
}

function compare(one, two) {
    if (typeof one === "number" && typeof two === "number") return one - two;
    // What has no value comes last.
    if (one === "" || two === "") return (one === "") - (two === "");
    return format.compareNames(String(one), String(two));
}

/** A name as a button that selects. */
function nameColumn(model, kind) {
    return {
        name: kind === "beacon" ? "Beacon" : "Receiver", class: "name", value: (each) => each.name,
        make: (name) => html(
            "button", { type: "button", class: "link", click: () => model.select(kind, name) }, name, html("span", { class: "named" }),
        ),
        update: (content, each) => {
            set(content, "aria-pressed", String(model.isSelected(kind, each.name)));
            text(content.lastElementChild, each.label ?? "");
        },
    };
}

const number = (value, unit) => (value === undefined ? "" : `${format.trim(value).replace("-", "−")} ${unit}`);

/** The level of a link that something receives, with a bar. */
function rssiColumn(model, name, find) {
    return {
        name, class: "rssi", value: (each) => { const link = find(each); return link ? model.level(link) : ""; },
        make: () => html("span", { class: "level" }, makeBar(), html("span")),
        update: (content, each) => {
            const link = find(each);
            const [bar, label] = content.children;
            setBar(bar, link && model.level(link));
            text(label, link ? format.dBm(model.level(link)) : "–");
            set(content, "title", link ? `${link.from} to ${link.to}` : false);
        },
    };
}

export function makeTables(model, commands) {
    new Table(model, "beacon", {
        root: byId("beacon-table"), pages: byId("beacon-pages"), filter: byId("beacon-filter"),
        caption: "Beacons of this run",
        columns: [
            nameColumn(model, "beacon"),
            {
                name: "Power", value: (each) => (each.enabled ? "on" : "off"),
                make: (name) => switchButton(
                    "", () => commands.patchBeacon(name, { enabled: !model.beacons.get(name).enabled }), `${name} on`,
                ),
                update: (content, each) => {
                    set(content, "aria-checked", String(each.enabled));
                    set(content, "disabled", each.battery === "flat");
                },
            },
            {
                name: "State", value: (each) => beaconState(each, model).text,
                make: () => html("span", { class: "badge" }),
                update: (content, each) => {
                    const state = beaconState(each, model);
                    text(content, state.text);
                    set(content, "data-state", state.badge);
                },
            },
            rssiColumn(model, "Best RSSI", (each) => model.bestLink(each.name)),
            { name: "Major/minor", value: ({ settings }) => (settings.major === undefined ? "" : `${settings.major}/${settings.minor}`) },
            effectiveColumn(model, "Interval", {
                field: "intervalTicks", differs: "interval", requested: ({ settings }) => format.ticks(settings.interval),
                show: format.interval,
            }),
            effectiveColumn(model, "TX power", {
                field: "txPowerDbm", differs: "txPower", requested: ({ settings }) => format.number(settings["tx-power"]),
                show: format.dBm,
            }),
            { name: "Position", value: (each) => format.position(model.position(each)) || "–" },
            { name: "Kind", class: "kind", value: (each) => each.kind },
        ],
    });
    new Table(model, "receiver", {
        root: byId("receiver-table"), pages: byId("receiver-pages"), caption: "Receivers on the air",
        columns: [
            nameColumn(model, "receiver"),
            { name: "Nearest", value: (each) => model.nearest(each.name)?.other ?? "–" },
            rssiColumn(model, "Best RSSI", (each) => model.nearest(each.name)?.link),
            {
                name: "Beacons", class: "number",
                value: (each) => model.linksOf({ kind: "receiver", name: each.name }).filter(({ link }) => model.level(link) !== undefined).length,
            },
            { name: "Position", class: "place", value: (each) => format.position(model.position(each)) || "–" },
            { name: "Scan", class: "scan", value: (each) => (each.joined ? scanKind(each) ?? "none" : receiverState(each).text) },
        ],
    });
}

/** The effective value, and the requested one if it differs; none of a beacon that is not on the air. */
function effectiveColumn(model, name, { field, differs: difference, requested, show }) {
    const value = (each) => (each.onAir ? each.effective?.[field] ?? requested(each) : undefined);
    return {
        name, class: "number", value: (each) => value(each) ?? "",
        update: (content, each) => {
            const [shown, wanted] = [value(each), requested(each)];
            const differs = wanted !== undefined && model.advertisements.get(each.name)?.different?.includes(difference);
            text(content, shown === undefined ? "–" : show(shown) + (differs ? ` (${show(wanted)} requested)` : ""));
        },
    };
}
