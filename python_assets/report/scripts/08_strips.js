// Every value of a row as a dot, the mean of each cell as a mark. Dots are on a canvas: there are thousands.

const STRIP_HEIGHT = 34;

function stripTable(study, view, cells, chosen) {
  const range = valueRange(cells);
  const lines = cells.rows.map((row) => strip(study, view, row, cells.read, range, chosen));
  if (!lines.length) return element("p", {}, "Nothing is left by these filters.");
  const axis = element(
    "div",
    { class: "ends" },
    element("span", {}, number(range[0])),
    element("span", {}, number(range[1])),
  );
  return table([view.rowsAre, axis, ["mean"], ["values"], ["without"]], lines, { class: "strips" });
}

function valueRange({ rows, read }) {
  let [low, high] = [Infinity, -Infinity];
  for (const row of rows)
    for (const { rows: found } of row.cells)
      for (const i of found) {
        const value = read(i);
        if (value < low) low = value;
        if (value > high) high = value;
      }
  return low <= high ? [low, high] : [0, 0];
}

function strip(study, view, row, read, range, chosen) {
  const [sum, n, nAll] = row.cells.reduce(
    (total, found) => [total[0] + found.sum, total[1] + found.n, total[2] + found.rows.length],
    [0, 0, 0],
  );
  const list = (other) => choose({ row: row.name, other, first: null });
  const isChosen = chosen.get("row") === row.name;
  const button = element(
    "button",
    {
      type: "button",
      class: "name",
      "aria-pressed": String(isChosen),
      id: `row-${row.name}`,
      onclick: () => list(null),
    },
    row.name,
  );
  const box = element(
    "div",
    { class: "strip" },
    dots(row, read, range),
    row.cells.map((found) => mark(found, range, view, list)),
  );
  if (n)
    box.append(
      element("i", { class: "mean", "aria-hidden": "true", css: { left: perCent(place(sum / n, range)) } }),
    );
  return tableRow(
    element(
      "span",
      {},
      button,
      " ",
      view.rowsAre === "system" ? simulatedTag(study.design, row.name) : null,
    ),
    [
      element("td", { class: "strip-cell" }, box),
      numberCell(n ? sum / n : null),
      countCell(n),
      countCell(nAll - n),
    ],
  );
}

const countCell = (count) => element("td", { class: "n" }, count.toLocaleString("en"));

// for the mouse alone: the name of the row and the table of means say the same to everyone else
function mark(found, range, view, list) {
  if (found.mean === null) return null;
  const title = `${found.other}: mean ${number(found.mean)} of ${plural(found.n, "value")}`;
  return element("i", {
    class: "mark",
    title,
    onclick: () => list(found.other),
    css: { left: perCent(place(found.mean, range)) },
  });
}

function dots(row, read, range) {
  const canvas = element("canvas", { width: 700, height: STRIP_HEIGHT, "aria-hidden": "true" });
  const context = canvas.getContext("2d");
  const n = row.cells.reduce((total, found) => total + found.n, 0);
  // a middle tone reads on light and on dark; the more dots, the fainter each
  context.fillStyle = `rgba(110, 140, 175, ${Math.min(0.6, Math.max(0.2, 250 / Math.max(n, 1)))})`;
  for (const { rows } of row.cells)
    for (const i of rows) {
      const value = read(i);
      if (Number.isNaN(value)) continue;
      // a fixed jitter: the same picture every time
      const height = 4 + (((i * 7919) % 997) / 997) * (STRIP_HEIGHT - 8);
      context.fillRect(place(value, range) * (canvas.width - 3), height, 3, 3);
    }
  return canvas;
}
