// Buttons beside the tables of the report: their rows as csv, their picture as png.

function save(file, name) {
  const link = element("a", { href: URL.createObjectURL(file), download: name });
  link.click();
  URL.revokeObjectURL(link.href);
}

function saveCsv(table, name) {
  save(new Blob([`\ufeff${csvOf(table)}\r\n`], { type: "text/csv" }), `${name}.csv`);
}

async function savePng(table, name, button) {
  try {
    save(await pngOf(table), `${name}.png`);
  } catch {
    button.replaceWith(element("span", { class: "reason" }, "this browser draws no png of it"));
  }
}

function addButtons(part) {
  for (const table of part.querySelectorAll("table.rows, table.verdicts")) {
    const figure = table.closest("figure")?.id ?? "findings";
    const model = table.closest(".panel")?.querySelector("h4")?.firstChild.textContent.trim();
    const name = [document.body.dataset.study, figure, model].filter(Boolean).join("_");
    const csv = element("button", { class: "name csv", onclick: () => saveCsv(table, name) }, "csv");
    const png = element("button", { class: "name png", onclick: () => savePng(table, name, png) }, "png");
    table.caption?.append(" ", element("span", { class: "file" }, csv, " \u00b7 ", png));
  }
}

addButtons(document.getElementById("report"));
