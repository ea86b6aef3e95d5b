// The page of summary statistics: largest, mean and smallest group by generation, a heatmap group x generation.

const KEYS = ["slice_id", "grouping_id", "measure_id", "calibration", "statistic"];

function drawStatistics(study, chosen) {
  const { statistics, design } = study;
  if (!statistics.nRows) return [element("p", {}, "The study has no summary statistics.")];
  const { steps, rows, values } = cascade(statistics, KEYS, chosen);
  const shown = rows.filter((i) => isShown(design, chosen, cell(statistics, "system_id", i)));
  const column = statistics.columns.z && chosen.get("show") === "z" ? "z" : "value";
  const filters = [...cascadeFilters(steps), ...systemFilters(design, chosen)];
  if (statistics.columns.z) filters.push(selectOne("show", "show", ["value", "z"], column));
  return [
    element("form", { class: "filters" }, filters),
    leftOut(statistics.nRows, design.n_statistics, "statistics"),
    element(
      "h3",
      {},
      `${words(values.measure_id)}, ${values.calibration}: ${values.statistic} by system`,
    ),
    ...extremes(study, values, chosen),
    element(
      "h3",
      {},
      `${column === "z" ? "z of the " : ""}${values.statistic} by ${values.grouping_id} and system`,
    ),
    groupHeatmap(statistics, shown, column),
    ...drawThemes(study, chosen),
  ];
}

function leftOut(n, nAll, name) {
  if (n >= nAll) return null;
  return element(
    "p",
    { class: "small soft" },
    `${n.toLocaleString("en")} of ${nAll.toLocaleString("en")} ${name} travel with this page: whole groupings of a slice, the coarsest first. The others stand in the published tables.`,
  );
}

// as the table of disparities has them, of all responses but where labels make them: what is not there is not computed
function extremes(study, values, chosen) {
  const { disparities, design } = study;
  if (!disparities.nRows) return [];
  const rows = KEYS.reduce((found, name) => rowsWith(disparities, name, values[name], found), null);
  const metrics = new Map();
  for (const i of bySystem(disparities, rows)) {
    const system = cell(disparities, "system_id", i);
    if (!isShown(design, chosen, system)) continue;
    if (!metrics.has(system)) metrics.set(system, {});
    metrics.get(system)[cell(disparities, "metric", i)] = i;
  }
  const lines = [...metrics].filter(([, metrics]) => metrics.max !== undefined);
  if (!lines.length)
    return [element("p", { class: "soft" }, "There is no largest, mean and smallest group of this statistic.")];
  const note = element("p", { class: "small soft" }, "In this table every response counts alike.");
  return [extremesTable(study, lines), ["raw", "calibrated"].includes(values.calibration) ? note : null];
}

function extremesTable({ disparities, design }, lines) {
  const value = (metrics, name) =>
    metrics[name] === undefined ? null : cell(disparities, "value", metrics[name]);
  const range = extent(lines.flatMap(([, metrics]) => [value(metrics, "max"), value(metrics, "min")]));
  const rows = lines.map(([system, metrics]) => {
    const [low, mean, high] = ["min", "mean", "max"].map((name) => value(metrics, name));
    const reason = words(cell(disparities, "reason", metrics.max));
    return tableRow(element("span", {}, system, " ", simulatedTag(design, system)), [
      element("td", { class: "track-cell" }, extremesTrack(low, mean, high, range)),
      numberCell(high),
      element("td", {}, cell(disparities, "group_high", metrics.max) ?? reason),
      numberCell(mean),
      numberCell(low),
      element("td", {}, cell(disparities, "group_low", metrics.max) ?? ""),
      element("td", {}, words(cell(disparities, "concentration", metrics.max))),
    ]);
  });
  return table(
    [
      "system",
      `from ${number(range[0])} to ${number(range[1])}`,
      ["max"],
      "group",
      ["mean"],
      ["min"],
      "group",
      "differences are",
    ],
    rows,
  );
}

function extremesTrack(low, mean, high, range) {
  const track = element("div", { class: "track", "aria-hidden": "true" });
  if (low === null || high === null) return track;
  const [left, middle, right] = [low, mean, high].map((value) => place(value, range));
  if (range[0] < 0 && range[1] > 0)
    track.append(element("i", { class: "zero", css: { left: perCent(place(0, range)) } }));
  track.append(element("i", { class: "span", css: { left: perCent(left), width: perCent(right - left) } }));
  if (mean !== null) track.append(element("i", { class: "tick", css: { left: perCent(middle) } }));
  return track;
}

function groupHeatmap(statistics, rows, column) {
  const { group_id: groups, system_id: systems } = statistics.columns;
  const byCell = new Map(rows.map((i) => [`${groups.codes[i]} ${systems.codes[i]}`, i]));
  const inOrder = (codes) => [...new Set(codes)].sort((a, b) => a - b);
  const groupCodes = inOrder(rows.map((i) => groups.codes[i]));
  const systemCodes = inOrder(rows.map((i) => systems.codes[i]));
  const at = (group, system) => {
    const row = byCell.get(`${groups.levels.indexOf(group)} ${systems.levels.indexOf(system)}`);
    if (row === undefined) return null;
    return {
      value: cell(statistics, column, row),
      reason: cell(statistics, "reason", row),
      title: statisticTitle(statistics, row),
    };
  };
  return heatmap(
    groupCodes.map((code) => groups.levels[code]),
    systemCodes.map((code) => systems.levels[code]),
    at,
    "group",
  );
}

function statisticTitle(statistics, row) {
  const [low, high, n, scope] = ["ci_low", "ci_high", "n_responses", "scope"].map((name) => cell(statistics, name, row));
  const interval =
    low === null && high === null
      ? ""
      : `, interval ${low === null ? "unbounded" : number(low)} to ${high === null ? "unbounded" : number(high)}${scope ? ` (${scope})` : ""}`;
  return `${cell(statistics, "group_id", row)}, ${cell(statistics, "system_id", row)}${interval}, ${plural(n ?? 0, "response")}`;
}

// clusters by concept: how much of what a generation says stays within each theme
function drawThemes({ themes, design }, chosen) {
  if (!themes.nRows) return [];
  const { steps, rows } = cascade(
    { ...themes, columns: { cluster_measure: themes.columns.measure_id } },
    ["cluster_measure"],
    chosen,
  );
  const shown = rows.filter((i) => isShown(design, chosen, cell(themes, "system_id", i)));
  const name = (i) =>
    [cell(themes, "segment", i), cell(themes, "theme", i)]
      .filter((part) => part !== null && part !== "")
      .join(": ");
  const byCell = new Map(shown.map((i) => [`${name(i)}\n${cell(themes, "system_id", i)}`, i]));
  const systems = [...new Set(shown.map((i) => themes.columns.system_id.codes[i]))].sort(
    (a, b) => a - b,
  );
  const at = (theme, system) => {
    const row = byCell.get(`${theme}\n${system}`);
    return row === undefined
      ? null
      : {
          value: cell(themes, "precision", row),
          reason: cell(themes, "reason", row),
          title: `${theme}, ${system}: ${plural(cell(themes, "n", row), "text")}`,
        };
  };
  return [
    element("h3", {}, "Precision of clusters by theme and system"),
    element(
      "form",
      { class: "filters" },
      steps[0].options.length > 1
        ? selectOne("cluster_measure", "clusters", steps[0].options, steps[0].value)
        : null,
    ),
    heatmap(
      [...new Set(shown.map(name))],
      systems.map((code) => themes.columns.system_id.levels[code]),
      at,
      "clusters of: theme",
    ),
  ];
}
