// What is in a package, read before it is sent. The site checks all of it again, and more.

const END = 0x06054b50; // of a .zip: "end of central directory"
const ENTRY = 0x02014b50;
const END_SIZE = 22;
const LONGEST_COMMENT = 0xffff;
const BLOCK = 512; // of a .tar
const MANIFEST = /^(?:[^/]+\/)?santiago\.toml$/;
const OUT = /^\/|^[A-Za-z]:|\\|(?:^|\/)\.\.(?:\/|$)/;

/** What is wrong with a package: `says` names a sentence, `fields` what stands in it. */
export class Refusal extends Error {
  constructor(says, fields = {}) {
    super(says);
    this.says = says;
    this.fields = fields;
  }
}

/** {name, version, runtime, files} of a package, with the number of files; throws a Refusal. */
export async function read(file, most) {
  if (file.size > most.packed) throw new Refusal("packed", { size: file.size, most: most.packed });
  const magic = new Uint8Array(await file.slice(0, 4).arrayBuffer());
  const { entries, text } = await opened(file, magic, most);
  const files = entries.filter(({ name }) => !name.endsWith("/"));
  const size = files.reduce((sum, one) => sum + one.size, 0);
  const out = entries.find(({ name }) => OUT.test(name));
  if (out) throw new Refusal("name", { entry: out.name });
  if (files.length > most.files) throw new Refusal("files", { size: files.length, most: most.files, plain: true });
  if (size > most.unpacked) throw new Refusal("unpacked", { size, most: most.unpacked });
  const manifest = files.filter(({ name }) => MANIFEST.test(name)).sort((a, b) => a.name.length - b.name.length)[0];
  if (!manifest) throw new Refusal("manifest");
  return { ...described(await text(manifest)), files: files.length };
}

async function opened(file, [first, second], most) {
  try {
    if (first === 0x50 && second === 0x4b) return await zip(file);
    if (first === 0x1f && second === 0x8b) return await tar(file, most);
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw new Refusal("broken");
  }
  throw new Refusal("kind");
}

function described(toml) {
  const value = (key) => new RegExp(`^\\s*${key}\\s*=\\s*["']([^"'\\n]*)["']`, "m").exec(toml)?.[1] ?? "?";
  return { name: value("name"), version: value("version"), runtime: value("runtime") };
}

/** The entries of a .zip, as its directory lists them, and the text of one. */
async function zip(file) {
  const tail = file.slice(Math.max(0, file.size - END_SIZE - LONGEST_COMMENT));
  const end = await view(tail);
  let at = end.byteLength - END_SIZE;
  while (at >= 0 && end.getUint32(at, true) !== END) at--;
  if (at < 0) throw new Refusal("broken");
  const [size, offset] = [end.getUint32(at + 12, true), end.getUint32(at + 16, true)];
  const directory = await view(file.slice(offset, offset + size));
  const entries = [];
  for (let place = 0; place + 46 <= directory.byteLength; ) {
    if (directory.getUint32(place, true) !== ENTRY) throw new Refusal("broken");
    const long = directory.getUint16(place + 28, true);
    entries.push({
      name: decoded(directory, place + 46, long),
      method: directory.getUint16(place + 10, true),
      packed: directory.getUint32(place + 20, true),
      size: directory.getUint32(place + 24, true),
      offset: directory.getUint32(place + 42, true),
    });
    place += 46 + long + directory.getUint16(place + 30, true) + directory.getUint16(place + 32, true);
  }
  return { entries, text: (entry) => unzipped(file, entry) };
}

async function unzipped(file, { method, packed, offset }) {
  const head = await view(file.slice(offset, offset + 30));
  const begin = offset + 30 + head.getUint16(26, true) + head.getUint16(28, true);
  const data = file.slice(begin, begin + packed);
  if (method === 0) return data.text();
  return new Response(data.stream().pipeThrough(new DecompressionStream("deflate-raw"))).text();
}

/** The same of a .tar.gz, which has to be unpacked for it, though not further than allowed. */
async function tar(file, most) {
  const reader = file.stream().pipeThrough(new DecompressionStream("gzip")).getReader();
  const texts = new Map();
  const entries = [];
  let rest = new Uint8Array(0);
  let total = 0;
  const fill = async (length) => {
    while (rest.length < length) {
      const { value, done } = await reader.read();
      if (done) return false;
      total += value.length;
      if (total > 2 * most.unpacked) throw new Refusal("unpacked", { size: total, most: most.unpacked });
      rest = joined(rest, value);
    }
    return true;
  };
  while ((await fill(BLOCK)) && rest[0] !== 0) {
    const head = new DataView(rest.buffer, rest.byteOffset, BLOCK);
    const size = parseInt(decoded(head, 124, 12), 8) || 0;
    const kind = String.fromCharCode(head.getUint8(156));
    const parts = [decoded(head, 345, 155), decoded(head, 0, 100)].filter(Boolean);
    const name = parts.join("/").replace(/^\.\//, "");
    rest = rest.subarray(BLOCK);
    const padded = Math.ceil(size / BLOCK) * BLOCK;
    if (MANIFEST.test(name) && (await fill(padded))) texts.set(name, new TextDecoder().decode(rest.subarray(0, size)));
    for (let left = padded; left > 0; ) {
      if (!(await fill(1))) throw new Refusal("broken");
      const part = Math.min(left, rest.length);
      rest = rest.subarray(part);
      left -= part;
    }
    if (kind === "0" || kind === "\0") entries.push({ name, size });
  }
  await reader.cancel();
  return { entries, text: async ({ name }) => texts.get(name) ?? "" };
}

async function view(blob) {
  return new DataView(await blob.arrayBuffer());
}

/** Text up to the first zero byte. */
function decoded(data, at, length) {
  const bytes = new Uint8Array(data.buffer, data.byteOffset + at, length);
  const end = bytes.indexOf(0);
  return new TextDecoder().decode(end < 0 ? bytes : bytes.subarray(0, end));
}

function joined(one, other) {
  const both = new Uint8Array(one.length + other.length);
  both.set(one);
  both.set(other, one.length);
  return both;
}
