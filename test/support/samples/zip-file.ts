import { crc32, deflateRawSync } from 'node:zlib';

interface ZipEntry {
  name: string;
  content?: string | Buffer;
  /** Stored unless true. */
  deflated?: boolean;
  flags?: number;
  /** Name in the file's own header, if it is another one. */
  localName?: string;
  /** Claimed size of the unpacked file. */
  claims?: number;
  /** Where the directory says that the file is, if it lies. */
  at?: number;
}

interface ZipForm {
  comment?: string;
  /** Bytes before the archive, with correct places. */
  before?: Buffer;
  /** End record of the large form. */
  zip64?: boolean;
}

/** An archive of these files, as common programs write it, or wrong where the entry says so. */
export function zipFile(entries: readonly (string | ZipEntry)[], form: ZipForm = {}): Buffer {
  const files: Buffer[] = [form.before ?? Buffer.alloc(0)];
  const directory: Buffer[] = [];
  let at = files[0].length;
  for (const given of entries) {
    const entry = typeof given === 'string' ? { name: given } : given;
    const { header, data, record } = packed(entry, at);
    files.push(header, data);
    directory.push(record);
    at += header.length + data.length;
  }
  const records = Buffer.concat(directory);
  return Buffer.concat([...files, records, end({ count: entries.length, size: records.length, at, form })]);
}

function packed(entry: ZipEntry, at: number): { header: Buffer; data: Buffer; record: Buffer } {
  const content = Buffer.from(entry.content ?? `content of ${entry.name}`);
  const data = entry.deflated ? deflateRawSync(content) : content;
  // From the flags to the claimed size, alike in both headers (§4.3.7, §4.3.12).
  const middle = Buffer.alloc(20);
  middle.writeUInt16LE(entry.flags ?? 0x800, 0);
  middle.writeUInt16LE(entry.deflated ? 8 : 0, 2);
  middle.writeUInt32LE(0x5a21_0000, 4);
  middle.writeUInt32LE(crcOf(content), 8);
  middle.writeUInt32LE(data.length, 12);
  middle.writeUInt32LE(entry.claims ?? content.length, 16);
  const localName = Buffer.from(entry.localName ?? entry.name);
  const name = Buffer.from(entry.name);
  const header = Buffer.concat([bytes('PK\x03\x04\x14\x00'), middle, u16(localName.length), u16(0), localName]);
  const record = Buffer.concat([
    bytes('PK\x01\x02\x14\x03\x14\x00'),
    middle,
    u16(name.length),
    Buffer.alloc(12),
    u32(entry.at ?? at),
    name,
  ]);
  return { header, data, record };
}

function end({ count, size, at, form }: { count: number; size: number; at: number; form: ZipForm }): Buffer {
  const comment = Buffer.from(form.comment ?? '');
  const large = Buffer.concat([
    bytes('PK\x06\x06'),
    u64(44),
    Buffer.alloc(12),
    ...[count, count, size, at].map(u64),
    bytes('PK\x06\x07'),
    u32(0),
    u64(at + size),
    u32(1),
  ]);
  return Buffer.concat([
    form.zip64 ? large : Buffer.alloc(0),
    bytes('PK\x05\x06\x00\x00\x00\x00'),
    ...[count, count].map((n) => u16(form.zip64 ? 0xffff : n)),
    ...[size, at].map((n) => u32(form.zip64 ? 0xffffffff : n)),
    u16(comment.length),
    comment,
  ]);
}

const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');
const u16 = (value: number): Buffer => Buffer.from(Uint16Array.of(value).buffer);
const u32 = (value: number): Buffer => Buffer.from(Uint32Array.of(value).buffer);
const u64 = (value: number): Buffer => Buffer.from(BigUint64Array.of(BigInt(value)).buffer);

const crcOf = (content: Buffer): number => crc32(content);

/** The least that makes a document of Word (`word`) or Excel (`xl`), with further entries. */
export const officeFile = (folder: 'word' | 'xl', more: readonly (string | ZipEntry)[] = []): Buffer =>
  zipFile([
    { name: '[Content_Types].xml', content: '<Types/>', deflated: true },
    '_rels/.rels',
    folder === 'word' ? 'word/document.xml' : 'xl/workbook.xml',
    'docProps/app.xml',
    ...more,
  ]);
