// Packs a dropped folder as `santiago bot pack` does: a .tar.gz, without what tools leave behind
// and what the folder's .santiagoignore names. A browser does not tell which files are programs, so
// all are packed as such.

import { Refusal } from "./package.js";

const IGNORE_FILE = ".santiagoignore";
const BLOCK = 512;
const LONGEST = { name: 100, prefix: 155 }; // bytes, in a header

/** The folder as a file; `usual` are patterns of what is left out. Throws a Refusal. */
export async function packed(folder, most, usual) {
  try {
    const found = [];
    const patterns = [...usual, ...(await own(folder))].map(pattern);
    await walk(folder, "", patterns, found, { ...most, size: 0 });
    found.sort((one, other) => (one.name < other.name ? -1 : 1));
    const parts = found.flatMap(({ name, file }) => [header(name, file.size), file, padding(file.size)]);
    const tar = new Blob([...parts, new Uint8Array(2 * BLOCK)]);
    const zipped = new Response(tar.stream().pipeThrough(new CompressionStream("gzip")));
    return new File([await zipped.blob()], `${folder.name}.tar.gz`);
  } catch (error) {
    throw error instanceof Refusal ? error : new Refusal("folder");
  }
}

/** Adds the files below a folder to `found`; `sum` has the limits, and the bytes so far. */
async function walk(folder, before, patterns, found, sum) {
  for (const entry of await children(folder)) {
    const name = before + entry.name;
    if (patterns.some((leavesOut) => leavesOut(name, entry.isDirectory))) continue;
    if (entry.isDirectory) {
      await walk(entry, `${name}/`, patterns, found, sum);
    } else {
      const file = await opened(entry);
      found.push({ name, file });
      sum.size += file.size;
      if (found.length > sum.files) throw new Refusal("files", { size: found.length, most: sum.files, plain: true });
      if (sum.size > sum.unpacked) throw new Refusal("unpacked", { size: sum.size, most: sum.unpacked });
    }
  }
}

async function children(folder) {
  const reader = folder.createReader();
  const found = [];
  for (;;) {
    const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject)); // a hundred at a time
    if (!some.length) return found;
    found.push(...some);
  }
}

function opened(entry) {
  return new Promise((resolve, reject) => entry.file(resolve, reject));
}

/** The patterns of the folder's own .santiagoignore. */
async function own(folder) {
  const [file] = (await children(folder)).filter(({ name }) => name === IGNORE_FILE);
  const text = file ? await (await opened(file)).text() : "";
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  if (lines.some((line) => line.startsWith("!"))) throw new Refusal("folder");
  return lines.filter((line) => line && !line.startsWith("#"));
}

/** A function that tells if a name is left out: see referee/hosting/packing.py. */
function pattern(text) {
  const plain = text.replace(/\/$/, "");
  const wanted = plain.replace(/^\//, "").split("/").map(glob);
  return (name, isFolder) => {
    if (plain !== text && !isFolder) return false;
    const parts = plain.includes("/") ? name.split("/") : [name.split("/").at(-1)];
    return parts.length === wanted.length && parts.every((part, at) => wanted[at].test(part));
  };
}

function glob(part) {
  const text = part.replace(/[.+^${}()|\\]/g, "\\$&").replace(/\*/g, ".*").replace(/\?/g, ".");
  return new RegExp(`^${text.replace(/\[!/g, "[^")}$`, "s");
}

/** The header of a file, in the format ustar. */
function header(name, size) {
  const bytes = new Uint8Array(BLOCK);
  const put = (at, text) => bytes.set(new TextEncoder().encode(text), at);
  const { prefix, rest } = split(name);
  put(0, rest);
  put(100, "0000755\0" + "0000000\0".repeat(2)); // mode, user, group
  put(124, `${size.toString(8).padStart(11, "0")}\0${"0".repeat(11)}\0${" ".repeat(8)}0`); // size, time, sum, kind
  put(257, "ustar\0" + "00");
  put(345, prefix);
  const checksum = bytes.reduce((all, one) => all + one, 0);
  put(148, `${checksum.toString(8).padStart(6, "0")}\0 `);
  return bytes;
}

/** A name in the two parts that a header has for it. */
function split(name) {
  const length = (text) => new TextEncoder().encode(text).length;
  if (length(name) <= LONGEST.name) return { prefix: "", rest: name };
  for (let at = name.indexOf("/"); at > 0; at = name.indexOf("/", at + 1)) {
    const [prefix, rest] = [name.slice(0, at), name.slice(at + 1)];
    if (length(prefix) <= LONGEST.prefix && length(rest) <= LONGEST.name) return { prefix, rest };
  }
  throw new Refusal("folder");
}

function padding(size) {
  return new Uint8Array((BLOCK - (size % BLOCK)) % BLOCK);
}
