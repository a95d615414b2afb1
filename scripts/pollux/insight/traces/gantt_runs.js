// SPDX-License-Identifier: BSD-3-Clause
// What the chart is drawn from: the runs, unpacked, and what of them is shown where.
//
// The data, written by page.py: the window's `begin` and `end` in ns; `kernels`, each [name, colour];
// `traces`, each with `events` packed in seven columns (kernel, step, i, j, core, start, end), thread
// by thread, those of thread t from first[t] to first[t + 1]; their times are in `unit` ns. `highest` is
// the highest power of all runs in W, null in a page without power; `power` of a trace has the times
// between which it is known and that power, in steps of `watt_step` W. `messages` of a run over MPI names its lanes,
// and says where ranks begin; its packed columns are lanes from and to, sent, received, i, j.
"use strict";

const LEFT = 48; // pixels for the labels of lanes
const STEPS = 44; // height of the strip of steps
const LANES = 280; // height of all lanes of a run, within the limits of one
const [LEAST, MOST] = [2, 28]; // height of a lane
const SHORTEST = 20; // ns that the window spans at least
const FADED = [233, 233, 230]; // kernels that the reader has switched off: not idle, so not white
const ARROWS = 1000; // messages in the window above which none are drawn, as the caption says
const NARROW = 2; // dots: mean width of events below which columns are shares
const FEWEST_ROWS = 6; // of dots for each lane in which shares can be seen
const SHADES = ["#5a5a5a", "#a8a8a8"]; // of even and of odd steps
const MESSAGE = "message"; // the name of the events in lanes of messages
const FONT = "12px system-ui, sans-serif";
const data = JSON.parse(document.getElementById("data").textContent);
const colours = data.kernels.map(([, colour]) => [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16)));
const inks = [...colours, FADED]; // the last one: of all that is switched off
const view = { begin: data.begin, end: data.end, off: new Set(), from: 0, to: Infinity, pointed: null, drag: null };
const axis = document.getElementById("axis");
const tip = document.getElementById("tip");

async function unpack(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Int32Array(await new Response(stream).arrayBuffer());
}

// When the first kernel of each step began and the last one ended.
function stepSpans(run) {
  const spans = new Map();
  for (let e = 0; e < run.events; e++) {
    if (data.kernels[run.kernel[e]][0] === MESSAGE) continue;
    const span = spans.get(run.step[e]);
    const [start, end] = [run.start[e] * run.unit, run.end[e] * run.unit];
    if (!span) spans.set(run.step[e], [start, end]);
    else { span[0] = Math.min(span[0], start); span[1] = Math.max(span[1], end); }
  }
  return [...spans].sort((a, b) => a[0] - b[0]);
}

async function makeMessages(messages) {
  if (!messages) return null;
  const numbers = await unpack(messages.packed);
  const names = ["from", "to", "sent", "received", "i", "j"];
  const columns = names.map((name, i) => [name, numbers.subarray(i * messages.count, (i + 1) * messages.count)]);
  return { ...messages, ...Object.fromEntries(columns) };
}

async function makeRun(trace) {
  const numbers = await unpack(trace.packed);
  const column = (i) => numbers.subarray(i * trace.events, (i + 1) * trace.events);
  const names = ["kernel", "step", "i", "j", "core", "start", "end"];
  const run = { ...trace, ...Object.fromEntries(names.map((name, i) => [name, column(i)])) };
  delete run.packed;
  run.messages = await makeMessages(trace.messages);
  run.power = await makePower(trace.power, trace.unit);
  run.panels = new Set(run.panels);
  run.spans = stepSpans(run);
  run.lane = Math.max(LEAST, Math.min(MOST, Math.round(LANES / run.threads)));
  run.height = STEPS + run.lane * run.threads + (data.highest === null ? 4 : POWER);
  const section = document.createElement("section");
  section.className = "run";
  section.innerHTML = "<header><h2></h2><span class=soft></span></header><canvas role=img tabindex=0></canvas>";
  section.querySelector("h2").textContent = run.title;
  if (run.mark) {
    const mark = document.createElement("span"); // the runtime's colour
    mark.className = "swatch";
    mark.style.background = run.mark;
    section.querySelector("h2").prepend(mark);
  }
  section.querySelector("span.soft").textContent = run.summary;
  run.canvas = section.querySelector("canvas");
  run.canvas.style.height = `${run.height}px`;
  run.canvas.setAttribute("aria-label", `Gantt chart of ${run.title}: ${run.summary}. The table below has the kernels' times${run.power ? " and the mean power" : ""}.`);
  document.getElementById("runs").append(section);
  return run;
}

const span = () => view.end - view.begin;
const width = (canvas) => Math.max(1, canvas.clientWidth - LEFT - 8);
const toX = (canvas, time) => LEFT + (time - view.begin) / span() * width(canvas);
const toTime = (canvas, x) => view.begin + (x - LEFT) / width(canvas) * span();
const shown = (run, e) => !view.off.has(run.kernel[e]) && run.step[e] >= view.from && run.step[e] <= view.to;

// The first event of a thread that ends after a time, in the run's units.
function firstAfter(run, thread, time) {
  let [low, high] = [run.first[thread], run.first[thread + 1]];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (run.end[middle] > time) high = middle;
    else low = middle + 1;
  }
  return low;
}

const laneName = (run, lane) => (run.messages ? run.messages.lanes[lane] : String(lane));

const runs = [];
