// The rows of a figure, or of the matrix of findings, as a file that spreadsheets read.

function cellText(cell, without = ".soft, .axis, svg") {
  const copy = cell.cloneNode(true);
  for (const part of copy.querySelectorAll(without)) part.remove();
  return copy.textContent.trim().replace(/\s+/g, " ").replaceAll("\u2212", "-");
}

// a number as a number; what a spreadsheet would compute is kept a text
function csvField(text) {
  const plain = /^\+[\d.]/.test(text) ? text.slice(1) : text;
  const safe = /^[=+\-@]/.test(plain) && Number.isNaN(Number(plain)) ? `'${plain}` : plain;
  return `"${safe.replaceAll('"', '""')}"`;
}

// a plot has its numbers in the column beside it, which has no name of its own; intervals stand in one of their own
function csvRows(table) {
  const isInterval = (cell) => cell.matches(".mean, .diff");
  const fields = (row) =>
    [...row.cells]
      .filter((cell) => !cell.matches(".plot"))
      .flatMap((cell) => (isInterval(cell) ? [cellText(cell), cellText(cell.querySelector(".soft") ?? cell, ".axis")] : [cellText(cell, ".axis, svg")]));
  const heads = [];
  let plot = null;
  for (const head of table.tHead.rows[0].cells) {
    const name = cellText(head);
    if (head.matches(".plot")) plot = name;
    else if (isInterval(head)) heads.push(plot, `${plot} ${name}`);
    else heads.push(name);
  }
  return [heads, ...[...table.tBodies[0].rows].map(fields)];
}

function csvOf(table) {
  return csvRows(table)
    .map((row) => row.map(csvField).join(","))
    .join("\r\n");
}
