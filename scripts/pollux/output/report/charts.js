// SPDX-License-Identifier: BSD-3-Clause
// Unpacks the plots' data and the plotting library, and lets the reader choose what is plotted.
//
// The data, written by data.py: `levels` of the compared axis, with `colours` by `day` and `night`
// where they are runtimes (else null); `axes`, each with its `values` and
// `rows`, the index of every row's value; `rows`, each [level, N, NB ("MBxNB" of a tall tile),
// threads, speed, ratio, verdict, cell], speed and ratio being [estimate, low, high] or null; `samples` of every row, as
// [starts, GFlop/s, blocks, indices of those replaced by a repeat]; `blocks`, each [name, first,
// last second, calibration before, after, why disturbed or null]. Seconds count from `begin`.
"use strict";

const FASTEST = "fastest of each";

async function unpack(id) {
  const packed = document.getElementById(id).textContent;
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}

// The plotting library reads markup in names: what comes from the records stays text.
function plain(text) {
  return String(text).replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
}

// Where a number or a tile stands: square tiles by NB, then tall ones, "MBxNB", by MB and NB.
function rank(value) {
  const [first, second] = String(value).split("x").map(Number);
  return second ? first * 2 ** 31 + second : first;
}

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

// What is shown unless the reader chooses: tasks, the largest matrix, all threads.
function usual(key, values) {
  if (key === "size" || key === "threads") return values.at(-1);
  return values.includes("depend") ? "depend" : (values.find((value) => value !== "seq") ?? values[0]);
}

// The choice of one value for each axis that has several; what is offered depends on the choices
// to its left, so that there is always something to see.
class Selection {
  constructor(data, form, changed) {
    this.data = data;
    this.chosen = new Map();
    this.controls = data.axes.filter((axis) => axis.values.length > 1).map((axis) => {
      const label = document.createElement("label");
      const select = document.createElement("select");
      label.append(axis.title, select);
      form.append(label);
      select.addEventListener("change", () => {
        this.chosen.set(axis.key, select.value);
        this.offer();
        changed();
      });
      return { axis, label, select };
    });
    form.addEventListener("submit", (event) => event.preventDefault());
    this.offer();
  }

  offer() {
    let rows = this.data.rows.map((_, row) => row).filter((row) => this.data.rows[row][4]);
    for (const { axis, label, select } of this.controls) {
      const present = [...new Set(rows.map((row) => axis.rows[row]))].sort((a, b) => a - b);
      const values = present.map((value) => axis.values[value]);
      if (axis.key === "tile" && values.length > 1) values.unshift(FASTEST);
      if (!values.includes(this.chosen.get(axis.key))) this.chosen.set(axis.key, usual(axis.key, values));
      const chosen = this.chosen.get(axis.key);
      select.replaceChildren(...values.map((value) => new Option(value, value, false, value === chosen)));
      label.hidden = values.length < 2;
      label.style.display = label.hidden ? "none" : "";
      if (chosen !== FASTEST) rows = rows.filter((row) => axis.values[axis.rows[row]] === chosen);
    }
  }

  // Rows with a speed that match all choices but those of the axes named.
  rows(...but) {
    const { rows, axes } = this.data;
    let found = rows.map((_, row) => row).filter((row) => rows[row][4]);
    for (const { axis } of this.controls) {
      const chosen = this.chosen.get(axis.key);
      if (!but.includes(axis.key) && chosen !== FASTEST)
        found = found.filter((row) => axis.values[axis.rows[row]] === chosen);
    }
    if (this.chosen.get("tile") !== FASTEST || but.includes("tile")) return found;
    const best = new Map();
    for (const row of found) {
      const others = axes.filter((axis) => axis.key !== "tile").map((axis) => axis.rows[row]);
      const key = [rows[row][0], ...others].join(" ");
      if (!best.has(key) || rows[row][4][0] > rows[best.get(key)][4][0]) best.set(key, row);
    }
    return [...best.values()];
  }

  // The choices in words, for captions.
  words(...but) {
    return this.controls
      .filter(({ axis, label }) => !label.hidden && !but.includes(axis.key))
      .map(({ axis }) => {
        const chosen = this.chosen.get(axis.key);
        return ["benchmark", "variant"].includes(axis.key) ? chosen : `${axis.title} ${chosen}`;
      })
      .join(", ");
  }
}
