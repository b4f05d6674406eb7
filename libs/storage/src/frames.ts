import { promisify } from 'node:util';
import { crc32, gunzip, gzip } from 'node:zlib';

const compress = promisify(gzip);
const expand = promisify(gunzip);
/** Length of the compressed text and its CRC-32, both unsigned and big-endian. */
const HEADER_BYTES = 8;

/** A text, compressed, with a header by which a reader knows whether it is complete. */
async function encode(text: string): Promise<Buffer> {
  const body = await compress(text, { level: 1 });
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32BE(body.length, 0);
  header.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([header, body]);
}

/**
 * The texts of a file to which encoded ones were appended. The last one may be torn, because its writer ended while it
 * wrote: it is left out.
 * @throws if another one is damaged
 */
async function* decode(bytes: Buffer): AsyncGenerator<string> {
  for (let at = 0; at + HEADER_BYTES <= bytes.length;) {
    const [length, checksum] = [bytes.readUInt32BE(at), bytes.readUInt32BE(at + 4)];
    const [from, to] = [at + HEADER_BYTES, at + HEADER_BYTES + length];
    if (to > bytes.length) return;
    const body = bytes.subarray(from, to);
    if (crc32(body) !== checksum) {
      if (to === bytes.length) return;
      throw new Error(`is damaged at byte ${at}`);
    }
    yield (await expand(body)).toString('utf8');
    at = to;
  }
}

/** Records of a journal: a file of them can be read up to the last one that was written completely. */
export const frames = { encode, decode };
