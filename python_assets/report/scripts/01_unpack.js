// Packed tables as typed arrays: the other side of packing.py.

function unzipped(id) {
  const packed = atob(document.getElementById(id).textContent.trim());
  const bytes = new Uint8Array(packed.length);
  for (let i = 0; i < packed.length; i++) bytes[i] = packed.charCodeAt(i);
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")));
}

async function unpack(id) {
  const whole = await unzipped(id).arrayBuffer();
  const size = new DataView(whole).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(whole, 4, size)));
  return { header, arrays: whole.slice(4 + size) };
}

function unpackTable(packed, { n, columns }) {
  const unpackedColumns = Object.entries(columns).map(([name, column]) => [
    name,
    unpackColumn(packed.arrays, column),
  ]);
  return { nRows: n, columns: Object.fromEntries(unpackedColumns) };
}

function unpackColumn(arrays, { kind, n, at, width, levels }) {
  if (kind === "numbers") return { numbers: unpackNumbers(new Uint8Array(arrays, at, 3 * n), n) };
  const Codes = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array }[width];
  return { codes: new Codes(arrays.slice(at, at + width * n)), levels };
}

function unpackNumbers(planes, n) {
  const bits = new Uint32Array(n);
  for (let i = 0; i < n; i++) bits[i] = (planes[i] << 8) | (planes[n + i] << 16) | (planes[2 * n + i] << 24);
  return new Float32Array(bits.buffer);
}

function cell({ columns }, name, row) {
  const column = columns[name];
  if (!column) return null;
  if (column.codes) return column.levels[column.codes[row]];
  return Number.isNaN(column.numbers[row]) ? null : column.numbers[row];
}
