import { isAscii, isUtf8 } from 'node:buffer';
import type { Octets, OutgoingMessage } from '../courier.js';
import type { Extensions } from './extensions.js';

interface EncodedMessage {
  kind: 'bytes';
  content: readonly Buffer[];
  size: number;
  eightBit: boolean;
  /** `other`: octets that are not UTF-8. SMTPUTF8 stands for UTF-8 only (RFC 6532 §3.2). */
  header: 'ascii' | 'utf8' | 'other';
}

/** The message in a form that a server accepts, or the reason why there is none. */
export type MessageEncoding =
  | EncodedMessage
  /** The server does not accept the message as it is, and it cannot be converted. */
  | { kind: 'impossible'; enhanced: string; text: string }
  | { kind: 'unavailable' };

const BLANK_LINE = Buffer.from('\r\n\r\n');

/**
 * The two forms of one message: as it is, and in 7-bit octets for servers that accept no others. Each is produced at
 * most once, the second one only when a server needs it.
 */
export class MessageEncodings {
  private plain: Promise<MessageEncoding> | null = null;
  private sevenBit: Promise<Octets | null> | null = null;

  constructor(private readonly message: Pick<OutgoingMessage, 'content' | 'sevenBit'>) {}

  /** Never rejects. */
  async for({ eightBitMime, smtpUtf8 }: Extensions): Promise<MessageEncoding> {
    const form = await (this.plain ??= this.load());
    if (form.kind !== 'bytes' || !form.eightBit) return form;
    // RFC 6531 §3.1: SMTPUTF8 includes 8-bit content.
    const isAccepted = form.header === 'utf8' ? smtpUtf8 : eightBitMime || smtpUtf8;
    if (isAccepted && form.header !== 'other') return form;
    const converted = await this.convert();
    if (converted !== null) return converted;
    if (isAccepted) return form;
    return form.header === 'utf8' ? NEEDS_UTF8 : NEEDS_EIGHT_BIT;
  }

  private async convert(): Promise<MessageEncoding | null> {
    try {
      const content = await (this.sevenBit ??= this.message.sevenBit());
      return content === null ? null : sevenBits(content);
    } catch {
      return { kind: 'unavailable' };
    }
  }

  private async load(): Promise<MessageEncoding> {
    try {
      const content = await this.message.content();
      return piecesOf(content).every((piece) => isAscii(piece)) ? sevenBits(content) : eightBits(content);
    } catch {
      return { kind: 'unavailable' };
    }
  }
}

const piecesOf = (content: Octets): readonly Buffer[] => (Buffer.isBuffer(content) ? [content] : content);
const sizeOf = (pieces: readonly Buffer[]): number => pieces.reduce((sum, { length }) => sum + length, 0);

function sevenBits(content: Octets): EncodedMessage {
  const pieces = piecesOf(content);
  return { kind: 'bytes', content: pieces, size: sizeOf(pieces), eightBit: false, header: 'ascii' };
}

function eightBits(content: Octets): EncodedMessage {
  // The end of the header may cross the border of two pieces.
  const whole = Buffer.isBuffer(content) ? content : Buffer.concat(content);
  const end = whole.indexOf(BLANK_LINE);
  const head = end === -1 ? whole : whole.subarray(0, end);
  const header = isAscii(head) ? 'ascii' : isUtf8(head) ? 'utf8' : 'other';
  return { kind: 'bytes', content: [whole], size: whole.length, eightBit: true, header };
}

const NEEDS_UTF8: MessageEncoding = {
  kind: 'impossible',
  enhanced: '5.6.7',
  text: 'the server takes no internationalised headers (SMTPUTF8)',
};

/** RFC 6152 §3: the client converts the message, or returns it as undeliverable. */
const NEEDS_EIGHT_BIT: MessageEncoding = {
  kind: 'impossible',
  enhanced: '5.6.3',
  text: 'the server takes no 8-bit content (8BITMIME), and this mail cannot be converted',
};
