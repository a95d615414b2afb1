// SPDX-License-Identifier: BSD-3-Clause
// Draws the plots of what is selected, in the colours of paper or of the night.
"use strict";
(() => {
  // Okabe & Ito (2008), https://jfly.uni-koeln.de/color/: distinguishable by everyone. Black is for text.
  const COLOURS = ["#0072B2", "#D55E00", "#009E73", "#E69F00", "#CC79A7", "#56B4E9", "#F0E442"];
  const NIGHT = ["#56B4E9", "#E69F00", "#009E73", "#F0E442", "#CC79A7", "#D55E00", "#0072B2"];
  const SYMBOLS = ["circle", "square", "diamond", "triangle-up", "x", "star", "pentagon", "hexagon"];
  const MANY_SAMPLES = 6000; // more points in one plot are slow to draw and hide each other
  const MANY_CELLS = 40;
  const MANY_NAMES = 24; // a legend of more leaves too little of a plot
  const SLOTS = 200; // of time, where there are no blocks to gather samples by
  const PAPER = 660; // pixels that a page of A4 or letter has room for at 96 to the inch
  const night = matchMedia("(prefers-color-scheme: dark)");
  let paper = false; // while printing

  const theme = () => (night.matches && !paper
    ? { ink: "#e6e6e3", soft: "#a3a7ae", rule: "#363a41", ground: "#16181c", colours: NIGHT }
    : { ink: "#1d1f23", soft: "#5c6067", rule: "#e2e2dc", ground: "#fdfdfb", colours: COLOURS });
  let runtimes = null; // their colours by day and by night, where the levels are runtimes
  const style = (level) => ({
    color: runtimes
      ? runtimes[night.matches && !paper ? "night" : "day"][level]
      : theme().colours[level % COLOURS.length],
    symbol: SYMBOLS[level % SYMBOLS.length],
  });

  function place(id, title) {
    const made = document.getElementById(id);
    if (made) return made;
    const figure = document.createElement("figure");
    figure.id = id;
    figure.innerHTML = "<figcaption><strong></strong><span></span></figcaption><div class=chart role=img></div>";
    figure.querySelector("strong").textContent = title;
    document.getElementById("charts").append(figure);
    return figure;
  }

  function layout(extra) {
    const { ink, soft, rule, ground } = theme();
    const axis = { gridcolor: rule, linecolor: rule, zeroline: false, automargin: true };
    const font = { family: "system-ui, sans-serif", size: 13, color: ink };
    const base = {
      font, height: 420, autosize: true, width: paper ? PAPER : undefined, paper_bgcolor: ground, plot_bgcolor: ground, hovermode: "closest",
      margin: { l: 10, r: 15, t: 10, b: 10 },
      legend: { orientation: "h", y: 1, yanchor: "bottom", x: 0, font: { color: ink } },
      hoverlabel: { align: "left", bgcolor: ground, bordercolor: soft, font: { color: ink } },
    };
    for (const name of ["xaxis", "yaxis", "yaxis2"])
      if (extra[name]) extra[name] = { ...axis, ...extra[name] };
    return { ...base, ...extra };
  }

  function show(figure, note, alternative, traces, extra) {
    const empty = traces.length === 0;
    figure.querySelector("span").textContent = note;
    const chart = figure.querySelector(".chart");
    chart.hidden = empty;
    chart.setAttribute("aria-label", alternative);
    const config = { responsive: true, displaylogo: false, modeBarButtonsToRemove: ["lasso2d", "select2d"] };
    if (!empty) return Plotly.react(chart, traces, layout(extra), config);
    return undefined;
  }

  function errorBars(rows, axis) {
    const ends = (row, end) => {
      const [estimate, low, high] = row[axis];
      return low === null ? 0 : end ? high - estimate : estimate - low;
    };
    return {
      type: "data", symmetric: false, thickness: 1.8, width: 5,
      array: rows.map((row) => ends(row, 1)), arrayminus: rows.map((row) => ends(row, 0)),
    };
  }

  const narrow = () => innerWidth < 640; // a phone held upright
  const folded = (cell) => (narrow() ? plain(cell).replace(/ (?=[MN]=)/, "<br>") : plain(cell));
  const interval = ([estimate, low, high]) => (low === null ? `${estimate}` : `${estimate} (${low}–${high})`);
  const noted = (row) => plain(`${interval(row[4])} GFlop/s, NB ${row[2]}, ${row[3]} threads\n${row[6]}`).replace("\n", "<br>");
  const nothing = (words) => `Nothing to draw for ${words || "this campaign"}.`;

  function start(data) {
    const { rows, levels } = data;
    runtimes = data.colours;
    const names = levels.map(plain);
    // Whether anything was measured at several values of one axis and the same of all others.
    function varies(key, x) {
      const others = data.axes.filter((axis) => axis.key !== key);
      const first = new Map();
      return rows.some((row, i) => {
        if (!row[4] || row[x] === null) return false;
        const cell = [row[0], ...others.map((axis) => axis.rows[i])].join(" ");
        if (!first.has(cell)) first.set(cell, row[x]);
        return first.get(cell) !== row[x];
      });
    }
    const gathered = (found) => levels
      .map((_, level) => [level, found.filter((row) => rows[row][0] === level)])
      .filter((pair) => pair[1].length);

    function speeds() {
      const figure = place("chart-speeds", `Speed by ${data.by}`);
      const found = selection.rows();
      const traces = gathered(found).flatMap(([level, mine]) => {
        const points = mine.flatMap((row) => {
          const replaced = new Set(data.samples[row][3]);
          return data.samples[row][1].filter((_, i) => !replaced.has(i));
        });
        const jitter = points.map((_, i) => level + 0.16 + 0.22 * ((i * 0.618) % 1));
        const all = mine.map((row) => rows[row]);
        return [
          {
            type: "scatter", mode: "markers", name: names[level], x: points, y: jitter, showlegend: false,
            marker: { ...style(level), size: 5, opacity: 0.55 }, hovertemplate: "%{x} GFlop/s<extra>sample</extra>",
          },
          {
            type: "scatter", mode: "markers", name: names[level], x: all.map((row) => row[4][0]), y: all.map(() => level),
            error_x: errorBars(all, 4), marker: { ...style(level), size: 12, line: { color: theme().ground, width: 1 } },
            text: all.map(noted), hovertemplate: `<b>${names[level]}</b><br>%{text}<extra></extra>`, showlegend: false,
          },
        ];
      });
      const words = found.map((row) => `${levels[rows[row][0]]} ${interval(rows[row][4])}`).join("; ");
      const note = `${selection.words()}${selection.words() ? ". " : ""}Large: median and its 95 % interval; small: every sample.`;
      return show(figure, traces.length ? note : nothing(selection.words()), `GFlop/s by ${data.by}: ${words}`, traces, {
        height: 110 + 62 * levels.length,
        xaxis: { title: { text: "GFlop/s" } },
        yaxis: { tickvals: levels.map((_, i) => i), ticktext: names, range: [levels.length - 0.4, -0.5], showgrid: false },
      });
    }

    function ratios() {
      const compared = rows.map((_, row) => row).filter((row) => rows[row][5] && levels[rows[row][0]] !== data.reference);
      if (!compared.length) return undefined;
      const figure = place("chart-ratios", `Ratio to ${data.reference}`);
      const whole = new Set(compared.map((row) => rows[row][7])).size <= MANY_CELLS;
      const chosen = whole ? null : new Set(selection.rows("tile", "threads"));
      const found = compared.filter((row) => whole || chosen.has(row));
      const cells = [...new Set(found.map((row) => rows[row][7]))].slice(0, 3 * MANY_CELLS);
      const at = new Map(cells.map((cell, i) => [cell, i]));
      const groups = gathered(found.filter((row) => at.has(rows[row][7])));
      const traces = groups.map(([level, mine], i) => {
        const all = mine.map((row) => rows[row]);
        const shift = 0.6 * ((i + 0.5) / groups.length - 0.5);
        return {
          type: "scatter", mode: "markers", name: names[level], showlegend: true,
          x: all.map((row) => row[5][0]), y: all.map((row) => at.get(row[7]) + shift), error_x: errorBars(all, 5),
          marker: { ...style(level), size: 9 },
          text: all.map((row) => plain(`${row[7]}\n${row[6]}`).replace("\n", "<br>")), hovertemplate: `<b>${names[level]}</b> %{x}<br>%{text}<extra></extra>`,
        };
      });
      const margin = [1 - data.relevant, 1 / (1 - data.relevant)];
      const line = { type: "line", x0: 1, x1: 1, y0: 0, y1: 1, yref: "paper", line: { color: theme().ink, width: 1.5 } };
      const band = { type: "rect", x0: margin[0], x1: margin[1], y0: 0, y1: 1, yref: "paper", fillcolor: theme().soft, opacity: 0.14, line: { width: 0 }, layer: "below" };
      const which = whole ? "Every cell" : selection.words("tile", "threads");
      const cut = cells.length < new Set(found.map((row) => rows[row][7])).size ? ` The first ${cells.length} cells.` : "";
      const note = `${which}. Right of the line is faster. Band: differences too small to matter.${cut}`;
      return show(figure, traces.length ? note : nothing(which), `Ratio of GFlop/s to ${data.reference}, with intervals; the table has the same numbers`, traces, {
        height: 120 + Math.max(narrow() ? 32 : 24, 13 * groups.length) * cells.length, shapes: [band, line],
        xaxis: { title: { text: narrow() ? "ratio" : `GFlop/s over that of ${plain(data.reference)}` } },
        yaxis: { tickvals: cells.map((_, i) => i), ticktext: cells.map(folded), tickfont: { size: narrow() ? 11 : 13 }, range: [cells.length - 0.4, -0.6] },
      });
    }

    // Speed over one axis: a line for each level; `x` is the column of the rows that has its numbers.
    function over(key, x, title, best) {
      const found = selection.rows(key).filter((row) => rows[row][x] !== null);
      const figure = place(`chart-${key}`, `Speed over ${title}`);
      const ticks = [...new Set(found.map((row) => rows[row][x]))].sort((a, b) => rank(a) - rank(b));
      const ordinal = ticks.some((tick) => typeof tick === "string"); // tall tiles: side by side, not joined
      const at = ordinal ? (tick) => ticks.indexOf(tick) : (tick) => tick;
      const several = ticks.length > 1;
      const traces = several ? labelledOnce(gathered(found).flatMap(([level, mine]) => lines(level, mine, x, best, at, ordinal))) : [];
      const efficient = key === "threads" && several ? gathered(found).flatMap(efficiency) : [];
      const words = selection.words(key);
      const extra = best ? " A ring marks the fastest." : efficient.length ? " Below: speed of each thread over that with the fewest threads." : "";
      const note = several ? `${words}${words ? ". " : ""}Medians with 95 % intervals.${extra}` : `Nothing to compare here: ${words || "it"} was measured with one value of ${title} only.`;
      const log = !ordinal && ticks[0] > 0 && ticks.at(-1) / ticks[0] > 3;
      const named = ordinal ? { tickvals: ticks.map(at), ticktext: ticks } : ticks.length <= 12 ? { tickvals: ticks } : {};
      return show(figure, note, `GFlop/s over ${title}. ${description(found, x)}`, [...traces, ...efficient], {
        height: efficient.length ? 560 : 420,
        xaxis: { title: { text: title }, type: log ? "log" : "linear", ...named, anchor: efficient.length ? "y2" : "y" },
        yaxis: { title: { text: "GFlop/s" }, rangemode: efficient.length ? "tozero" : "normal", domain: efficient.length ? [0.42, 1] : [0, 1] },
        ...(efficient.length ? { yaxis2: { title: { text: "efficiency" }, tickformat: ".0%", rangemode: "tozero", domain: [0, 0.34] } } : {}),
      });
    }

    // Rings above one another have the same label: only the highest shows it.
    function labelledOnce(traces) {
      const rings = traces.filter((trace) => trace.mode === "markers+text");
      const hides = (a, b) => a.x[0] === b.x[0] && (a.y[0] > b.y[0] || (a.y[0] === b.y[0] && rings.indexOf(a) < rings.indexOf(b)));
      for (const ring of rings) if (rings.some((other) => hides(other, ring))) ring.mode = "markers";
      return traces;
    }

    // The medians in words, for those who hear the page.
    function description(found, x) {
      const one = (mine) => mine.map((row) => rows[row]).sort((a, b) => rank(a[x]) - rank(b[x])).map((row) => `${row[x]}: ${row[4][0]}`);
      return gathered(found).map(([level, mine]) => `${levels[level]}: ${one(mine).join(", ")}`).join("; ");
    }

    function lines(level, mine, x, best, at, ordinal) {
      const all = mine.map((row) => rows[row]).sort((a, b) => rank(a[x]) - rank(b[x]));
      const line = {
        type: "scatter", mode: ordinal ? "markers" : "lines+markers", name: names[level], legendgroup: names[level],
        x: all.map((row) => at(row[x])), y: all.map((row) => row[4][0]), error_y: errorBars(all, 4),
        marker: { ...style(level), size: 8 }, line: { color: style(level).color, width: 1.8 },
        text: all.map(noted), hovertemplate: `<b>${names[level]}</b><br>%{text}<extra></extra>`,
      };
      if (!best) return [line];
      const top = all.reduce((a, b) => (b[4][0] > a[4][0] ? b : a));
      const ring = {
        type: "scatter", mode: "markers+text", name: names[level], legendgroup: names[level], showlegend: false,
        x: [at(top[x])], y: [top[4][0]], text: [`${top[x]}`], textposition: "top center", hoverinfo: "skip", cliponaxis: false,
        marker: { symbol: "circle-open", size: 18, color: style(level).color, line: { width: 2 } }, textfont: { color: style(level).color },
      };
      return [line, ring];
    }

    function efficiency([level, mine]) {
      const all = mine.map((row) => rows[row]).sort((a, b) => a[3] - b[3]);
      const one = all[0][4][0] / all[0][3];
      return all.length < 2 ? [] : [{
        type: "scatter", mode: "lines+markers", name: names[level], legendgroup: names[level], showlegend: false, yaxis: "y2",
        x: all.map((row) => row[3]), y: all.map((row) => row[4][0] / row[3] / one), marker: { ...style(level), size: 8 },
        line: { color: style(level).color, width: 1.8 }, hovertemplate: `<b>${names[level]}</b><br>%{x} threads: %{y:.0%}<extra></extra>`,
      }];
    }

    const when = (seconds) => new Date(data.begin + 1000 * seconds).toISOString().slice(0, -1);

    // Each sample over its configuration's median, so that only the machine's drift is left.
    function relative() {
      return levels.map((_, level) => rows.flatMap((row, i) => {
        if (row[0] !== level || !row[4]) return [];
        const [starts, speeds, blocks] = data.samples[i];
        return starts.map((start, k) => [start, (100 * speeds[k]) / row[4][0], blocks[k], row[7]]);
      }));
    }

    function thinned(points, last) {
      const slots = new Map();
      for (const point of points) {
        const slot = point[2] ?? Math.floor((SLOTS * point[0]) / (last + 1));
        if (!slots.has(slot)) slots.set(slot, []);
        slots.get(slot).push(point);
      }
      return [...slots].map(([slot, all]) => [median(all.map((p) => p[0])), median(all.map((p) => p[1])), slot, `median of ${all.length} samples`]);
    }

    function calibration() {
      const points = data.blocks.flatMap(([, first, last, before, after]) => [[first, before], [last, after]]).filter((p) => p[1]);
      if (!points.length) return [];
      const usual = median(points.map((p) => p[1]));
      return [{
        type: "scatter", mode: "lines+markers", name: "calibration (dgemm)", x: points.map((p) => when(p[0])), y: points.map((p) => (100 * p[1]) / usual),
        line: { color: theme().soft, width: 1.5, dash: "dot" }, marker: { symbol: "line-ew-open", size: 8, color: theme().soft }, hovertemplate: "%{y:.1f} %<extra>calibration</extra>",
      }];
    }

    function drift() {
      let points = relative();
      const total = points.reduce((sum, all) => sum + all.length, 0);
      if (total < 2) return undefined;
      const figure = place("chart-drift", "The machine over time");
      const thin = total > MANY_SAMPLES;
      const last = points.flat().reduce((end, p) => Math.max(end, p[0]), 0);
      if (thin) points = points.map((all) => thinned(all, last));
      const bad = data.blocks.filter((block) => block[5]);
      const traces = points.flatMap((all, level) => (!all.length ? [] : [{
        type: "scatter", mode: "markers", name: names[level], x: all.map((p) => when(p[0])), y: all.map((p) => p[1]),
        marker: { ...style(level), size: thin ? 7 : 5, opacity: 0.75 }, text: all.map((p) => plain(p[3])), hovertemplate: `<b>${names[level]}</b> %{y:.1f} %<br>%{text}<extra></extra>`,
      }]));
      if (bad.length) traces.push({
        type: "scatter", mode: "markers", name: "disturbed block", x: bad.map((b) => when((b[1] + b[2]) / 2)), y: bad.map(() => 100),
        marker: { symbol: "triangle-down", size: 11, color: theme().soft }, text: bad.map((b) => plain(b[5])), hovertemplate: "%{text}<extra>disturbed block</extra>",
      });
      const shapes = bad.map((b) => ({ type: "rect", x0: when(b[1]), x1: when(b[2]), y0: 0, y1: 1, yref: "paper", fillcolor: theme().soft, opacity: 0.22, line: { width: 0 }, layer: "below" }));
      const note = `All samples of the campaign, each over the median of its configuration${thin ? "; one point for each runtime and block" : ""}. ${bad.length ? "Shaded: disturbed blocks. " : ""}${data.blocks.length ? "Dotted: speed of the calibration kernel." : ""}`;
      return show(figure, note, `Speed over time, in percent of each configuration's median; ${bad.length} disturbed blocks`, [...traces, ...calibration()], {
        shapes, showlegend: traces.length <= MANY_NAMES, xaxis: { title: { text: "start (UTC)" }, type: "date" }, yaxis: { title: { text: "% of the median" } },
      });
    }

    function draw(changed = false) {
      const drawn = [speeds(), ratios()];
      for (const [key, x, title, best] of [["tile", 2, "NB", true], ["size", 1, "N", false], ["threads", 3, "threads", false]])
        if (data.by !== key && varies(key, x)) drawn.push(over(key, x, title, best));
      if (!changed) drawn.push(drift()); // it shows all samples, whatever is selected
      return Promise.all(drawn);
    }

    const selection = new Selection(data, document.getElementById("selection"), () => draw(true));
    document.getElementById("charts").hidden = false;
    document.getElementById("no-charts").remove();
    const drawn = draw();
    night.addEventListener("change", () => draw());
    addEventListener("beforeprint", () => { paper = true; draw(); });
    addEventListener("afterprint", () => { paper = false; draw(); });
    return drawn;
  }

  async function load() {
    if (!("DecompressionStream" in window)) return;
    const [library, data] = await Promise.all([unpack("plotly"), unpack("data")]);
    const script = document.createElement("script");
    script.textContent = library;
    document.head.append(script);
    await start(JSON.parse(data));
    document.documentElement.dataset.drawn = "yes"; // for tests: all plots are there
  }
  load();
})();
