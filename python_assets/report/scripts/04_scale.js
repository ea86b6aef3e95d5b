// Shades of a heatmap and places on a scale.

function extent(values) {
  let low = Infinity;
  let high = -Infinity;
  for (const value of values) {
    if (value === null || !Number.isFinite(value)) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return low <= high ? [low, high] : [0, 0];
}

const place = (value, [low, high]) =>
  high > low ? Math.min(Math.max((value - low) / (high - low), 0), 1) : 0.5;
const perCent = (fraction) => `${(100 * fraction).toFixed(2)}%`;

// two colours away from nothing where values stand on both sides of it, else one from low to high
function shade(value, [low, high]) {
  if (value === null || !Number.isFinite(value)) return {};
  const isBelow = low < 0 && high > 0 ? value < 0 : high <= 0;
  const strength =
    low < 0 && high > 0
      ? Math.abs(value) / Math.max(-low, high)
      : place(isBelow ? -value : value, isBelow ? [-high, -low] : [low, high]);
  const colour = isBelow ? "--rust" : "--blue";
  return { background: `color-mix(in srgb, var(${colour}) ${(4 + 46 * strength).toFixed(1)}%, transparent)` };
}

// rows and columns with a value or a reason in every cell: at(row, column) gives {value, reason, title}
function heatmap(rowNames, columnNames, at, corner) {
  const cells = rowNames.map((row) => columnNames.map((column) => at(row, column)));
  const range = extent(cells.flat().map((found) => found?.value ?? null));
  const span = range[1] - range[0];
  const decimals = span > 0 ? Math.min(Math.max(2 - Math.floor(Math.log10(span)), 0), 6) : null;
  const rows = rowNames.map((row, i) =>
    tableRow(
      words(row) || "(none)",
      cells[i].map((found) => heatCell(found, range, decimals)),
    ),
  );
  const headings = [corner, ...columnNames.map((name) => [element("span", {}, words(name))])];
  return element("div", {}, legend(range), table(headings, rows, { class: "heat" }));
}

// the same digits after the point in every cell of one scale
function heatCell(found, range, decimals) {
  if (!found) return element("td", { class: "n" }, NOTHING);
  if (found.value === null) return element("td", { class: "n reason", title: words(found.reason) }, "none");
  return element(
    "td",
    { class: "n", title: found.title, css: shade(found.value, range) },
    decimals === null ? number(found.value) : fixed(found.value, decimals),
  );
}

function legend(range) {
  const swatch = (value) => element("span", { class: "swatch", css: shade(value, range) }, number(value));
  const middle = range[0] < 0 && range[1] > 0 ? 0 : (range[0] + range[1]) / 2;
  return element(
    "p",
    { class: "small soft" },
    "lowest ",
    swatch(range[0]),
    " ",
    swatch(middle),
    " ",
    swatch(range[1]),
    " highest",
  );
}
