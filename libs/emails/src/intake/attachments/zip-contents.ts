/**
 * The directory of a ZIP archive (APPNOTE 6.3 §4.3.12, §4.3.14, §4.3.16). Nothing is ever unpacked, so the cost of an
 * archive is the cost of its directory.
 */
export interface ZipDirectory {
  /** Names of files and folders as an unpacker would write them. */
  entries: string[];
}

const START = 0x04034b50;
const ENTRY = 0x02014b50;
const END = Buffer.from('PK\x05\x06', 'latin1');
const END_64 = 0x06064b50;
const START_BYTES = 30;
const ENTRY_BYTES = 46;
const END_BYTES = 22;
const END_64_BYTES = 56;
const LOCATOR_64_BYTES = 20;
const MAX_COMMENT = 0xffff;
const MAX_ENTRIES = 10_000;
/** Of all names together; each is checked character by character. */
const MAX_NAME_BYTES = 1024 * 1024;
/** Flag 13: the names themselves are encrypted. */
const ENCRYPTED_NAMES = 0x2000;

interface Entry {
  name: string;
  nameBytes: number;
  /** The range of the file: from its local header to the end of its data. */
  from: number;
  to: number;
  next: number;
}
interface DirectoryRange {
  count: number;
  from: number;
  to: number;
}

/**
 * Returns null for an invalid archive. The archive must fill the file, each entry must have the same name in the
 * directory and in its local header, and no two entries may overlap; otherwise two unpackers could see different
 * archives. An archive with more than 10,000 entries counts as invalid.
 */
export function readZipDirectory(content: Buffer): ZipDirectory | null {
  let directory = directories.get(content);
  if (directory === undefined) directories.set(content, (directory = read(content)));
  return directory;
}

/** Each file is examined more than once: for its type and for its entries. */
const directories = new WeakMap<Buffer, ZipDirectory | null>();

function read(content: Buffer): ZipDirectory | null {
  const endAt = content.length < END_BYTES ? -1 : content.lastIndexOf(END);
  if (endAt < 0 || endAt + END_BYTES > content.length) return null;
  if (endAt + END_BYTES + content.readUInt16LE(endAt + 20) !== content.length) return null;
  // An archive without entries consists of its end record only.
  if (endAt > 0 && content.readUInt32LE(0) !== START) return null;
  const place = directoryRange(content, endAt);
  const entries = place && readEntries(content, place);
  return entries && !overlap(entries) ? { entries: entries.map((entry) => entry.name) } : null;
}

/** Programs that write ZIP archives as a stream use ZIP64 for small archives too. */
function directoryRange(content: Buffer, endAt: number): DirectoryRange | null {
  const end64 = endAt - LOCATOR_64_BYTES - END_64_BYTES;
  const large = end64 >= 0 && content.readUInt32LE(end64) === END_64;
  const [count, size, from] = large
    ? [32, 40, 48].map((field) => Number(content.readBigUInt64LE(end64 + field)))
    : [content.readUInt16LE(endAt + 10), content.readUInt32LE(endAt + 12), content.readUInt32LE(endAt + 16)];
  const to = large ? end64 : endAt;
  return count <= MAX_ENTRIES && from + size === to ? { count, from, to } : null;
}

function readEntries(content: Buffer, { count, from, to }: DirectoryRange): Entry[] | null {
  const entries: Entry[] = [];
  let at = from;
  let nameBytes = 0;
  for (let i = 0; i < count; i += 1) {
    const entry = readEntry(content, at, to);
    nameBytes += entry?.nameBytes ?? 0;
    if (entry === null || nameBytes > MAX_NAME_BYTES) return null;
    entries.push(entry);
    at = entry.next;
  }
  return at === to ? entries : null;
}

function readEntry(content: Buffer, at: number, end: number): Entry | null {
  if (at + ENTRY_BYTES > end || content.readUInt32LE(at) !== ENTRY) return null;
  const nameBytes = content.readUInt16LE(at + 28);
  const next = at + ENTRY_BYTES + nameBytes + content.readUInt16LE(at + 30) + content.readUInt16LE(at + 32);
  if (next > end || (content.readUInt16LE(at + 8) & ENCRYPTED_NAMES) !== 0) return null;
  const nameAt = at + ENTRY_BYTES;
  const from = content.readUInt32LE(at + 42);
  const dataAt = dataOffset(content, from, { nameAt, nameBytes });
  if (dataAt === null) return null;
  // ZIP64 writes the size elsewhere and all ones here; such an entry is at least as long as its header.
  const packed = content.readUInt32LE(at + 20);
  const name = content.toString('utf8', nameAt, nameAt + nameBytes);
  return { name, nameBytes, from, to: dataAt + (packed === 0xffffffff ? 0 : packed), next };
}

/** Returns the offset of the data after the file's local header, which streaming unpackers rely on. */
function dataOffset(content: Buffer, at: number, of: { nameAt: number; nameBytes: number }): number | null {
  const nameAt = at + START_BYTES;
  const nameEnd = nameAt + of.nameBytes;
  if (nameEnd > content.length || content.readUInt32LE(at) !== START) return null;
  if (content.readUInt16LE(at + 26) !== of.nameBytes) return null;
  const sameName = content.compare(content, of.nameAt, of.nameAt + of.nameBytes, nameAt, nameEnd) === 0;
  return sameName ? nameEnd + content.readUInt16LE(at + 28) : null;
}

function overlap(entries: Entry[]): boolean {
  const inOrder = entries.toSorted((a, b) => a.from - b.from);
  return inOrder.some((entry, i) => i > 0 && entry.from < inOrder[i - 1].to);
}

/** True if a lenient unpacker would find an archive at the end of this file. */
export function endsAsZip(content: Buffer): boolean {
  const tail = content.subarray(-(END_BYTES + MAX_COMMENT));
  const endAt = tail.lastIndexOf(END);
  if (endAt < 0 || endAt + END_BYTES > tail.length) return false;
  const directoryAt = content.length - tail.length + endAt - tail.readUInt32LE(endAt + 12);
  return directoryAt >= 0 && (content.readUInt32LE(directoryAt) === ENTRY || tail.readUInt16LE(endAt + 10) === 0);
}

/** True for absolute paths, drives and `..`: such an entry would be written outside the target folder. */
export const escapesFolder = (entry: string): boolean => /^[/\\]|^[A-Za-z]:|(^|[/\\])\.\.([/\\]|$)|\p{Cc}/u.test(entry);
