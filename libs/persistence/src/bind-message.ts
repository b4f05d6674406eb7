/** Parameters of one execution, as the database client hands them to its connection. */
export interface Binding {
  portal?: string;
  statement?: string;
  values?: unknown[];
  /** True: results come in binary form. */
  binary?: boolean;
  /** To the form on the wire: text, octets, or null. */
  valueMapper?: (value: unknown, index: number) => unknown;
}

/** Octets of this many bytes go to the socket as they are; smaller ones are cheaper to copy than to write one by one. */
const PIECE_BYTES = 8 * 1024;
const TYPE_BIND = 0x42;
const NULL_LENGTH = -1;
const TEXT = 0;
const BINARY = 1;

type Wire = string | Buffer | null;

/**
 * PostgreSQL's Bind message (protocol 3.0, "Message Formats") as the buffers that make it up. Its length is counted
 * before anything is written: the client's own writer grows by halves and copies a group of mails some four times.
 */
export function bindMessage(binding: Binding): Buffer[] {
  const { portal = '', statement = '', values = [], binary = false, valueMapper = unchanged } = binding;
  const wire = values.map((value, i) => asWire(valueMapper(value, i)));
  const lengths = wire.map(lengthOf);
  const head = 1 + 4 + Buffer.byteLength(portal) + 1 + Buffer.byteLength(statement) + 1 + 2 + 2 * wire.length + 2;
  const whole = lengths.reduce((sum, length) => sum + 4 + Math.max(length, 0), head + 2 + 2);
  const apart = wire.reduce<number>((sum, value) => sum + (isPiece(value) ? value.length : 0), 0);
  const buffer = Buffer.allocUnsafe(whole - apart);
  let at = buffer.writeUInt8(TYPE_BIND, 0);
  at = buffer.writeInt32BE(whole - 1, at);
  for (const name of [portal, statement]) {
    at += buffer.write(name, at);
    at = buffer.writeUInt8(0, at);
  }
  at = buffer.writeInt16BE(wire.length, at);
  for (const value of wire) at = buffer.writeInt16BE(formatOf(value), at);
  at = buffer.writeInt16BE(wire.length, at);
  const pieces: Buffer[] = [];
  let from = 0;
  for (const [i, value] of wire.entries()) {
    at = buffer.writeInt32BE(lengths[i], at);
    if (isPiece(value)) {
      pieces.push(buffer.subarray(from, at), value);
      from = at;
    } else at += put(value, buffer, at);
  }
  at = buffer.writeInt16BE(1, at);
  buffer.writeInt16BE(binary ? BINARY : TEXT, at);
  pieces.push(buffer.subarray(from));
  return pieces;
}

const unchanged = (value: unknown): unknown => value;

/** Copies a value to its place; gives the number of octets. */
function put(value: Wire, to: Buffer, at: number): number {
  if (value === null) return 0;
  return typeof value === 'string' ? to.write(value, at) : value.copy(to, at);
}

const formatOf = (value: Wire): number => (Buffer.isBuffer(value) ? BINARY : TEXT);

/** What the mapper gives is text, octets, or nothing. */
function asWire(value: unknown): Wire {
  return Buffer.isBuffer(value) || typeof value === 'string' ? value : null;
}

function lengthOf(value: Wire): number {
  if (value === null) return NULL_LENGTH;
  return typeof value === 'string' ? Buffer.byteLength(value) : value.length;
}

const isPiece = (value: Wire): value is Buffer => Buffer.isBuffer(value) && value.length >= PIECE_BYTES;
