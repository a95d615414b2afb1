// SPDX-License-Identifier: BSD-3-Clause
// Sorts a table by a click on its heading, and filters the rows of all tables of speeds.
"use strict";
(() => {
  const key = (row, column) => {
    const text = row.cells[column].textContent.trim();
    const [, rows, columns] = text.match(/^(\d+)x(\d+)$/) ?? []; // a tall tile, after square ones
    if (rows) return rows * 2 ** 31 + Number(columns);
    const number = parseFloat(text.replace("\u2212", "-"));
    return Number.isNaN(number) ? text.toLowerCase() : number;
  };
  const order = (a, b, down) => {
    if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1; // what is no number goes last
    const found = a < b ? -1 : a > b ? 1 : 0;
    return down ? -found : found;
  };
  const sort = (table, heading, column) => {
    const down = heading.getAttribute("aria-sort") === "ascending";
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", down ? "descending" : "ascending");
    const body = table.tBodies[0];
    const rows = [...body.rows].map((row) => [key(row, column), row]);
    rows.sort((a, b) => order(a[0], b[0], down));
    body.append(...rows.map((pair) => pair[1]));
  };
  for (const table of document.querySelectorAll("table.sortable")) {
    [...table.tHead.rows[0].cells].forEach((heading, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...heading.childNodes);
      button.addEventListener("click", () => sort(table, heading, column));
      heading.append(button);
    });
  }

  const place = document.getElementById("filter");
  const rows = [...place.parentElement.querySelectorAll("#filter ~ * tbody tr")];
  if (rows.length < 2) return;
  const texts = rows.map((row) => [...row.cells].map((c) => c.textContent).join(" ").toLowerCase());
  const groups = [...place.parentElement.querySelectorAll("details.group")];
  const label = document.createElement("label");
  const input = document.createElement("input");
  const shown = document.createElement("output");
  input.type = "search";
  input.placeholder = "such as: cholesky slower";
  label.append("Show rows that contain", input);
  shown.className = "muted";
  place.append(label, shown);
  input.addEventListener("input", () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    rows.forEach((row, i) => {
      row.hidden = !words.every((word) => texts[i].includes(word));
      count += !row.hidden;
    });
    for (const group of groups) {
      group.hidden = !group.querySelector("tbody tr:not([hidden])");
      group.open = words.length > 0 && !group.hidden && count <= 500;
    }
    shown.textContent = words.length ? `${count} of ${rows.length} rows` : "";
  });
})();
