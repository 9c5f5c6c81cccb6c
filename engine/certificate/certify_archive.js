// The certified table out of gzip or ZIP, as certify.py unpacks it: both take the table
// of the digest, whatever else an archive holds, and name all that is in it.

import { Refused, require, sha256 } from "./certify_file.js";

const MAX_BYTES = 2 ** 30; // of one table: a browser has little more
const MAX_TRIES = 1000; // where the parts of a gzip file may end
const NO_WAY = "this browser cannot unpack the archive";

async function inflate(bytes, format) {
  let stream;
  try {
    stream = new DecompressionStream(format);
  } catch {
    throw new Refused(NO_WAY); // older browsers have none, or not of this format
  }
  const parts = [];
  let length = 0;
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    parts.push(read.value);
    length += read.value.length;
    if (length > MAX_BYTES) await reader.cancel();
    require(length <= MAX_BYTES, NO_WAY);
  }
  return concatenateParts(parts);
}

function concatenateParts(parts) {
  const whole = new Uint8Array(parts.reduce((total, part) => total + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

// Ends that a part of a gzip file may have: before the next one, or the end of the file;
// zeros may stand between, and a part itself may end in up to nine.
function* iterateGzipEnds(bytes, start) {
  for (let stop = start + 18; stop <= bytes.length; stop += 1) {
    const next = bytes[stop] === 0x1f && bytes[stop + 1] === 0x8b && bytes[stop + 2] === 8;
    if (!next && stop < bytes.length) continue;
    yield stop;
    let last = stop;
    while (bytes[last - 1] === 0) last -= 1;
    for (let end = last; end < Math.min(stop, last + 10); end += 1) yield end;
  }
}

async function extractGzip(bytes) {
  const parts = [];
  let [start, tries] = [0, 0];
  while (start < bytes.length) {
    let part = null;
    for (const end of iterateGzipEnds(bytes, start)) {
      require((tries += 1) <= MAX_TRIES, NO_WAY);
      try {
        part = await inflate(bytes.subarray(start, end), "gzip");
      } catch (error) {
        if (error instanceof Refused) throw error;
        continue;
      }
      start = end;
      break;
    }
    if (part === null) throw new Error("this is no whole gzip file");
    parts.push(part);
    while (bytes[start] === 0) start += 1;
  }
  return concatenateParts(parts);
}

const CRC = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte;
  for (let bit = 0; bit < 8; bit += 1) rest = (rest >>> 1) ^ (rest & 1 ? 0xedb88320 : 0);
  return rest;
});

function crc32(bytes) {
  let rest = 0xffffffff;
  for (const byte of bytes) rest = (rest >>> 8) ^ CRC[(rest ^ byte) & 255];
  return (rest ^ 0xffffffff) >>> 0;
}

function requireIntact(holds) {
  if (!holds) throw new Error("this is no whole archive");
}

// What the directory at the end of a ZIP archive lists; the numbers of large archives
// (ZIP64) stand in extra fields. Offsets count from where the archive begins, which
// other bytes may precede.
function listZipMembers(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const two = (at) => view.getUint16(at, true);
  const four = (at) => view.getUint32(at, true);
  const eight = (at) => Number(view.getBigUint64(at, true));
  let end = bytes.length - 22;
  while (four(end) !== 0x06054b50) {
    requireIntact((end -= 1) >= Math.max(0, bytes.length - 65557));
  }
  let [size, offset] = [four(end + 12), four(end + 16)];
  if (end >= 76 && four(end - 20) === 0x07064b50) {
    end -= 76;
    requireIntact(four(end) === 0x06064b50);
    [size, offset] = [eight(end + 40), eight(end + 48)];
  }
  const before = end - size - offset;
  const members = [];
  for (let at = end - size; at < end; ) {
    requireIntact(four(at) === 0x02014b50);
    const [flags, method, crc] = [two(at + 8), two(at + 10), four(at + 16)];
    const long = [four(at + 24), four(at + 20), four(at + 42)];
    const name = at + 46;
    const extra = name + two(at + 28);
    const next = extra + two(at + 30);
    for (let field = extra; field + 4 <= next; field += 4 + two(field + 2)) {
      let place = field + 4;
      if (two(field) !== 1) continue;
      long.forEach((number, i) => {
        if (number === 0xffffffff) [long[i], place] = [eight(place), place + 8];
      });
    }
    const [, packed, header] = long;
    const local = header + before;
    requireIntact(four(local) === 0x04034b50);
    const from = local + 30 + two(local + 26) + two(local + 28);
    requireIntact(from + packed <= bytes.length);
    const text = new TextDecoder(flags & 0x800 ? "utf-8" : "windows-1252");
    members.push({
      name: text.decode(bytes.subarray(name, extra)),
      locked: (flags & 1) === 1,
      method,
      crc,
      content: bytes.subarray(from, from + packed),
    });
    at = next + two(at + 32);
  }
  return members;
}

async function extractZip(bytes, digest) {
  const members = listZipMembers(bytes);
  for (const { locked, method, crc, content } of members) {
    requireIntact(!locked);
    require(method === 0 || method === 8, NO_WAY);
    const table = method === 0 ? content : await inflate(content, "deflate-raw");
    requireIntact(crc32(table) === crc);
    if (sha256(table) === digest) return { table, names: members.map(({ name }) => name) };
  }
  return null;
}

// The table of a digest, and the names of all in its archive, none where it is no
// archive or has no such table.
export async function extractTable(file, digest) {
  const bare = { table: file, names: [] };
  try {
    if (file[0] === 0x1f && file[1] === 0x8b) {
      return { table: await extractGzip(file), names: ["gzip"] };
    }
    return sha256(file) === digest ? bare : ((await extractZip(file, digest)) ?? bare);
  } catch (error) {
    if (error instanceof Refused) throw error;
    return bare;
  }
}
