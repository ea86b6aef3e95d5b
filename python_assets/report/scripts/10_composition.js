// The composition of several measures by generation: the traits of a personality, the kinds of a stereotype.

const COLOURS = ["#1f5c99", "#d98324", "#5b8c3e", "#8c5aa8", "#b0413e", "#3d9aa1", "#a39036", "#6b7a8c"];

// several measures of one generation as parts of their sum, over the responses that the filters leave
function drawComposition(study, names, view, chosen, cells) {
  const parts = names.filter((name) => partColumns(study, name));
  if (!parts.length) return [];
  const asked = chosen.getAll("parts").filter((name) => parts.includes(name));
  const shown = (asked.length ? asked : alike(study, view.measure, parts)).slice(0, COLOURS.length);
  const rowsOf = new Map();
  for (const found of cells.rows.flatMap((row) => row.cells)) {
    if (!rowsOf.has(found.system)) rowsOf.set(found.system, []);
    rowsOf.get(found.system).push(found.rows);
  }
  const lines = [...rowsOf].map(([system, rows]) =>
    compositionLine(study, system, rows.flat(), shown),
  );
  return [
    element("h3", {}, "Composition by system"),
    element("form", { class: "filters" }, selectSeveral("parts", "measures", parts, chosen)),
    ...(shown.length
      ? compositionTable(lines, shown)
      : [element("p", { class: "soft" }, "Choose measures that are parts of a whole.")]),
  ];
}

function compositionTable(lines, shown) {
  const keys = shown.map((name, at) =>
    element("span", { class: "key" }, element("i", { css: { background: COLOURS[at] } }), words(name)),
  );
  return [
    element(
      "p",
      { class: "small soft" },
      `Means of at most ${COLOURS.length} measures, without calibration, as parts of their sum. `,
      keys,
    ),
    table(["system", "parts of the sum", ...shown.map((name) => [words(name)])], lines, {
      class: "composition",
    }),
  ];
}

const partColumns = (study, name) => study.measures[name].columns.value !== undefined;

// what one tool reads belongs together; a single measure is no composition
function alike({ design }, measure, parts) {
  const about = (name) => design.measures.find((row) => row.measure_id === name);
  const { scorer, kind } = about(measure);
  const isAlike = (row) => row.scorer === scorer && row.kind === kind && row.scale_low === 0;
  const same = parts.filter((name) => isAlike(about(name)));
  return same.length > 1 ? same : [];
}

function compositionLine(study, system, rows, names) {
  const means = names.map((name) => meanOf(measureColumns(study, name).value.numbers, rows));
  const sum = means.reduce((total, mean) => total + mean, 0);
  const isWhole = sum > 0 && means.every((mean) => mean >= 0);
  const part = (mean, at) =>
    element("i", {
      title: `${words(names[at])}: ${number(mean)}`,
      css: { width: perCent(mean / sum), background: COLOURS[at] },
    });
  const bar = isWhole
    ? element("div", { class: "stack", "aria-hidden": "true" }, means.map(part))
    : element("span", { class: "reason" }, "a mean is below zero or missing");
  return tableRow(element("span", {}, system, " ", simulatedTag(study.design, system)), [
    element("td", { class: "track-cell" }, bar),
    ...means.map((mean) => numberCell(mean)),
  ]);
}

function meanOf(values, rows) {
  let [sum, n] = [0, 0];
  for (const i of rows)
    if (!Number.isNaN(values[i])) {
      sum += values[i];
      n += 1;
    }
  return n ? sum / n : NaN;
}
