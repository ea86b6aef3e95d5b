// The page of measurements: means by group and generation over every single value, composition, responses.

const RESPONSES_SHOWN = 20;

function drawMeasurements(study, chosen) {
  const { responses, design } = study;
  const names = measureNames(study);
  if (!responses.nRows || !names.length) return [element("p", {}, "The study has no measurements.")];
  const view = readView(study, names, chosen);
  const cells = collect(study, view, chosen);
  return [
    element("form", { class: "filters" }, measurementFilters(study, names, view, chosen)),
    sampled(study),
    element("h3", {}, `${viewName(view)} by ${view.rowsAre}`),
    element(
      "p",
      { class: "small soft" },
      `A grey dot is one response; an upright mark is the mean of one ${view.rowsAre === "system" ? "group" : "system"}, the long line the mean of the row. A click on a mark or a name lists the responses.`,
    ),
    stripTable(study, view, cells, chosen),
    meansTable(cells, view),
    ...responseList(study, view, cells, chosen),
    ...drawComposition(study, names, view, chosen, cells),
  ];
}

function measureNames({ measures, design }) {
  return design.measures.map((row) => row.measure_id).filter((name) => measures[name]);
}

const firstOf = (options, wanted) => (options.includes(wanted) ? wanted : options[0]);

function readView(study, names, chosen) {
  const measure = firstOf(names, chosen.get("measure_id"));
  const columns = measureColumns(study, measure);
  const calibrations = columns.baseline_value && columns.value ? ["raw", "calibrated"] : ["raw"];
  const labels = columns.label ? columns.label.levels.slice(1) : [];
  const groupings = groupingNames(study);
  const slices = ["all", ...Object.keys(study.design.slices)];
  return {
    measure,
    columns,
    calibrations,
    labels,
    groupings,
    slices,
    calibration: firstOf(calibrations, chosen.get("calibration")),
    label: labels.length ? firstOf(labels, chosen.get("label")) : null,
    grouping: firstOf(groupings, chosen.get("grouping_id")),
    slice: firstOf(slices, chosen.get("slice_id")),
    rowsAre: firstOf(["system", "group"], chosen.get("rows")),
  };
}

function viewName({ measure, label, calibration }) {
  return `${label === null ? words(measure) : `share of \u201c${label}\u201d in ${words(measure)}`}${calibration === "raw" ? "" : ", calibrated"}`;
}

// columns are unpacked when they are asked for, and once
function measureColumns(study, measure) {
  const { unpacked, measures, packedResponses } = study;
  if (!unpacked.has(measure)) unpacked.set(measure, unpackTable(packedResponses, measures[measure]).columns);
  return unpacked.get(measure);
}

const factorNames = ({ factors }) => Object.keys(factors.columns);
const levelsOf = ({ factors }, factor) => factors.columns[factor].levels.filter((level) => level !== null);
const filterName = (factor) => `factor.${factor}`;

function groupingNames(study) {
  const factors = factorNames(study);
  const declared = study.design.groupings.filter((grouping) =>
    grouping.every((factor) => factors.includes(factor)),
  );
  const single = factors.filter((factor) => levelsOf(study, factor).length > 1);
  const names = [...new Set([...declared.map((grouping) => grouping.join(" x ")), ...single])];
  return names.length ? names : factors;
}

function measurementFilters(study, names, view, chosen) {
  const factors = factorNames(study).filter((factor) => levelsOf(study, factor).length > 1);
  return [
    selectOne("measure_id", "measure", names, view.measure),
    view.labels.length ? selectOne("label", "label", view.labels, view.label) : null,
    view.calibrations.length > 1
      ? selectOne("calibration", "calibration", view.calibrations, view.calibration)
      : null,
    selectOne("grouping_id", "grouping", view.groupings, view.grouping),
    view.slices.length > 1 ? selectOne("slice_id", "slice", view.slices, view.slice) : null,
    selectOne("rows", "rows are", ["system", "group"], view.rowsAre),
    ...systemFilters(study.design, chosen),
    ...factors.map((factor) =>
      selectSeveral(filterName(factor), words(factor), levelsOf(study, factor), chosen),
    ),
  ];
}

function sampled({ nRootPrompts, prompts }) {
  const drawn = prompts.columns.root_prompt_id.levels.length - 1;
  if (drawn >= nRootPrompts) return null;
  return element(
    "p",
    { class: "small soft" },
    `The responses to ${drawn.toLocaleString("en")} of ${plural(nRootPrompts, "root prompt")} travel with this page, drawn by a fixed lot; means here are of them alone. Those of all stand under summary statistics.`,
  );
}

// prompts that the slice and the filters leave, with the group of each; null is none
function groupOfPrompts(study, view, chosen) {
  const { factors, design } = study;
  const grouping = view.grouping.split(" x ");
  const conditions = Object.entries(view.slice === "all" ? {} : design.slices[view.slice]);
  const filtered = factorNames(study).filter((factor) => chosen.has(filterName(factor)));
  return Array.from({ length: factors.nRows }, (_, prompt) => {
    if (!conditions.every(([factor, levels]) => levels.includes(cell(factors, factor, prompt)))) return null;
    if (!filtered.every((factor) => isTaken(chosen, filterName(factor), cell(factors, factor, prompt))))
      return null;
    const levels = grouping.map((factor) => cell(factors, factor, prompt));
    return levels.includes(null) ? null : levels.join(" x ");
  });
}

function valueReader({ columns, label, calibration }) {
  if (label !== null) {
    const code = columns.label.levels.indexOf(label);
    return (i) => (columns.label.codes[i] === 0 ? NaN : Number(columns.label.codes[i] === code));
  }
  const values = columns.value?.numbers;
  if (!values) return () => NaN;
  if (calibration === "raw") return (i) => values[i];
  return (i) => values[i] - columns.baseline_value.numbers[i];
}

// responses by row of the drawing and then by cell; a response without a value is counted apart
function collect(study, view, chosen) {
  const { responses, design } = study;
  const groups = groupOfPrompts(study, view, chosen);
  const order = new Map(groupOrder(study, view.grouping).map((name, at) => [name, at]));
  const { codes, levels } = responses.columns.system_id;
  const prompts = responses.columns.prompt_id.codes;
  const shown = levels.map((name) => name !== null && isShown(design, chosen, name));
  const read = valueReader(view);
  const cells = new Map();
  for (let i = 0; i < responses.nRows; i++) {
    const group = groups[prompts[i] - 1];
    if (group === null || !shown[codes[i]]) continue;
    const key = `${codes[i]}\n${group}`;
    if (!cells.has(key))
      cells.set(key, {
        system: levels[codes[i]],
        group,
        at: [codes[i], order.get(group) ?? 0],
        rows: [],
        sum: 0,
        n: 0,
      });
    const found = cells.get(key);
    const value = read(i);
    found.rows.push(i);
    if (!Number.isNaN(value)) {
      found.sum += value;
      found.n += 1;
    }
  }
  return inRows([...cells.values()], view, read);
}

function inRows(cells, view, read) {
  const [first, second] = view.rowsAre === "system" ? [0, 1] : [1, 0];
  const nameOf = (found, axis) => (axis === 0 ? found.system : found.group);
  cells.sort((a, b) => a.at[first] - b.at[first] || a.at[second] - b.at[second]);
  const rows = new Map();
  for (const found of cells) {
    const name = nameOf(found, first);
    if (!rows.has(name)) rows.set(name, { name, cells: [] });
    rows
      .get(name)
      .cells.push({ ...found, other: nameOf(found, second), mean: found.n ? found.sum / found.n : null });
  }
  return { rows: [...rows.values()], read };
}

function groupOrder(study, grouping) {
  const declared = study.statistics.columns.group_id.levels;
  return grouping.includes(" x ") ? declared : levelsOf(study, grouping);
}

function meansTable({ rows }, view) {
  const others = [...new Set(rows.flatMap((row) => row.cells.map((found) => found.other)))];
  const byName = new Map(
    rows.flatMap((row) => row.cells.map((found) => [`${row.name}\n${found.other}`, found])),
  );
  const at = (other, name) => {
    const found = byName.get(`${name}\n${other}`);
    return found
      ? {
          value: found.mean,
          reason: "no_values",
          title: `${name}, ${other}: ${found.n} of ${plural(found.rows.length, "response")} with a value`,
        }
      : null;
  };
  const shown = heatmap(
    others,
    rows.map((row) => row.name),
    at,
    view.rowsAre === "system" ? "group" : "system",
  );
  return element(
    "details",
    { id: "means" },
    element("summary", { id: "open-means" }, "The means as a table"),
    shown,
  );
}
