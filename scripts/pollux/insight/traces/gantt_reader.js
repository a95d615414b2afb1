// SPDX-License-Identifier: BSD-3-Clause
// What the reader does: points at kernels or at the power below them, chooses a stretch of time, kernels and steps.

const waiting = new Set();
function soon(what) {
  if (!waiting.size) requestAnimationFrame(() => {
    const all = waiting.has(draw);
    waiting.clear();
    if (all) draw();
    else overlay();
  });
  waiting.add(what);
}

function show(begin, end) {
  const length = Math.min(data.end - data.begin, Math.max(SHORTEST, end - begin));
  view.begin = Math.min(Math.max(data.begin, begin), data.end - length);
  view.end = view.begin + length;
  soon(draw);
}

function zoom(factor, time = (view.begin + view.end) / 2) {
  show(time - (time - view.begin) * factor, time + (view.end - time) * factor);
}

function showSteps(from, to) {
  [view.from, view.to] = [from, to];
  document.getElementById("step-from").value = from > 0 ? from : "";
  document.getElementById("step-to").value = Number.isFinite(to) ? to : "";
  soon(draw);
}

const actions = {
  earlier: () => show(view.begin - span() / 4, view.end - span() / 4),
  later: () => show(view.begin + span() / 4, view.end + span() / 4),
  in: () => zoom(0.5),
  out: () => zoom(2),
  whole: () => show(data.begin, data.end),
};

function describe(run, event, thread, time) {
  const nothing = laneName(run, thread).endsWith("m") ? "no message is under way" : "idle";
  if (event < 0) return time <= run.region ? `${nothing}\nthread ${laneName(run, thread)}, at ${inWords(time)}` : "";
  const [start, end] = [run.start[event] * run.unit, run.end[event] * run.unit];
  return `${data.kernels[run.kernel[event]][0]} (${run.i[event]}, ${run.j[event]}), step ${run.step[event]}\n`
    + `${inWords(end - start)}, from ${inWords(start)}\nthread ${laneName(run, thread)}`
    + (run.core[event] < 0 ? "" : `, core ${run.core[event]}`);
}

function point(run, at) {
  const box = run.canvas.getBoundingClientRect();
  const time = toTime(run.canvas, at.clientX - box.left);
  const thread = Math.floor((at.clientY - box.top - STEPS) / run.lane);
  const inside = thread >= 0 && thread < run.threads;
  let event = inside ? firstAfter(run, thread, time / run.unit) : -1;
  if (inside && (event >= run.first[thread + 1] || run.start[event] * run.unit > time)) event = -1;
  view.pointed = { run, time, thread, event };
  const below = thread >= run.threads ? describePower(run, time) : "";
  tip.textContent = inside && time >= 0 ? describe(run, event, thread, time) : below;
  tip.hidden = !tip.textContent;
  tip.style.left = `${Math.min(at.clientX + 14, innerWidth - tip.offsetWidth - 8)}px`;
  tip.style.top = `${at.clientY + 18 + tip.offsetHeight > innerHeight ? at.clientY - tip.offsetHeight - 12 : at.clientY + 18}px`;
}

function listen(run) {
  const { canvas } = run;
  const timeAt = (at) => toTime(canvas, at.clientX - canvas.getBoundingClientRect().left);
  canvas.addEventListener("pointerdown", (at) => {
    if (at.button !== 0) return;
    canvas.setPointerCapture(at.pointerId);
    const time = timeAt(at);
    view.drag = { from: time, to: time, x: at.clientX, shift: at.shiftKey, moved: false };
  });
  canvas.addEventListener("pointermove", (at) => {
    const { drag } = view;
    if (drag && Math.abs(at.clientX - drag.x) > 4) drag.moved = true;
    if (drag && drag.moved && drag.shift) {
      const moved = drag.from - timeAt(at);
      return show(view.begin + moved, view.end + moved);
    }
    if (drag) drag.to = timeAt(at);
    point(run, at);
    return soon(overlay);
  });
  canvas.addEventListener("pointerup", (at) => {
    const { drag } = view;
    view.drag = null;
    if (drag && drag.moved && !drag.shift) show(Math.min(drag.from, drag.to), Math.max(drag.from, drag.to));
    else if (drag && !drag.moved) {
      point(run, at);
      const step = view.pointed.event < 0 ? -1 : run.step[view.pointed.event];
      if (step >= 0 && !(view.from === step && view.to === step)) showSteps(step, step);
      else showSteps(0, Infinity);
    }
  });
  canvas.addEventListener("pointerleave", () => {
    view.pointed = null;
    tip.hidden = true;
    soon(overlay);
  });
  canvas.addEventListener("dblclick", actions.whole);
  canvas.addEventListener("wheel", (at) => {
    if (at.ctrlKey || at.metaKey) zoom(2 ** (at.deltaY / 200), timeAt(at));
    else if (Math.abs(at.deltaX) > Math.abs(at.deltaY)) {
      const moved = at.deltaX / width(canvas) * span();
      show(view.begin + moved, view.end + moved);
    } else return;
    at.preventDefault();
  }, { passive: false });
}

function control() {
  const form = document.getElementById("controls");
  form.hidden = false;
  form.addEventListener("submit", (event) => event.preventDefault());
  data.kernels.forEach(([name, colour], number) => {
    const label = document.createElement("label");
    label.innerHTML = "<input type=checkbox checked><span class=swatch></span>";
    label.querySelector(".swatch").style.background = colour;
    label.append(name);
    label.querySelector("input").addEventListener("change", (event) => {
      if (event.target.checked) view.off.delete(number);
      else view.off.add(number);
      soon(draw);
    });
    document.getElementById("kernels").append(label);
  });
  const ends = ["step-from", "step-to"].map((id) => document.getElementById(id));
  for (const input of ends)
    input.addEventListener("change", () => {
      const [from, to] = ends.map((end) => (end.value === "" ? NaN : Number(end.value)));
      [view.from, view.to] = [Number.isNaN(from) ? 0 : from, Number.isNaN(to) ? Infinity : to];
      soon(draw);
    });
  for (const button of form.querySelectorAll("[data-do]")) button.addEventListener("click", actions[button.dataset.do]);
  const keys = { ArrowLeft: "earlier", a: "earlier", ArrowRight: "later", d: "later", "+": "in", w: "in", "-": "out", s: "out", 0: "whole" };
  addEventListener("keydown", (event) => {
    if (event.target.tagName === "INPUT" || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") showSteps(0, Infinity);
    else if (actions[keys[event.key]]) actions[keys[event.key]]();
  });
  addEventListener("resize", () => soon(draw));
}

(async () => {
  for (const trace of data.traces) runs.push(await makeRun(trace));
  runs.forEach(listen);
  control();
  draw();
  document.documentElement.dataset.drawn = "true";
})();
