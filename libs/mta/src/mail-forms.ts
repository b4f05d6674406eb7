import { isAscii, isUtf8 } from 'node:buffer';
import type { CourierJob, Octets } from './courier.js';
import type { Extensions } from './smtp-extensions.js';

interface MailBytes {
  kind: 'bytes';
  content: readonly Buffer[];
  size: number;
  eightBit: boolean;
  /** `other`: octets that are no UTF-8, which is all that SMTPUTF8 stands for (RFC 6532 §3.2). */
  header: 'ascii' | 'utf8' | 'other';
}

/** The mail as one peer can take it, or why it cannot be had. */
export type MailForm =
  | MailBytes
  /** The peer takes less than the mail needs, and it cannot be converted. */
  | { kind: 'impossible'; enhanced: string; text: string }
  | { kind: 'unavailable' };

const BLANK_LINE = Buffer.from('\r\n\r\n');

/**
 * The two forms of one mail: as it is, and in seven-bit octets for peers that take no others. Each is asked for at most
 * once, the second one only when a peer needs it.
 */
export class MailForms {
  #plain: Promise<MailForm> | null = null;
  #sevenBit: Promise<Octets | null> | null = null;

  constructor(private readonly job: Pick<CourierJob, 'content' | 'sevenBit'>) {}

  /** Never rejects. */
  async for({ eightBitMime, smtpUtf8 }: Extensions): Promise<MailForm> {
    const form = await (this.#plain ??= this.#ask());
    if (form.kind !== 'bytes' || !form.eightBit) return form;
    // RFC 6531 §3.1: who offers SMTPUTF8 takes eight bits too.
    const taken = form.header === 'utf8' ? smtpUtf8 : eightBitMime || smtpUtf8;
    if (taken && form.header !== 'other') return form;
    const converted = await this.#convert();
    if (converted !== null) return converted;
    if (taken) return form;
    return form.header === 'utf8' ? NEEDS_UTF8 : NEEDS_EIGHT_BIT;
  }

  async #convert(): Promise<MailForm | null> {
    try {
      const content = await (this.#sevenBit ??= this.job.sevenBit());
      return content === null ? null : sevenBits(content);
    } catch {
      return { kind: 'unavailable' };
    }
  }

  async #ask(): Promise<MailForm> {
    try {
      const content = await this.job.content();
      return piecesOf(content).every((piece) => isAscii(piece)) ? sevenBits(content) : eightBits(content);
    } catch {
      return { kind: 'unavailable' };
    }
  }
}

const piecesOf = (content: Octets): readonly Buffer[] => (Buffer.isBuffer(content) ? [content] : content);
const sizeOf = (pieces: readonly Buffer[]): number => pieces.reduce((sum, { length }) => sum + length, 0);

function sevenBits(content: Octets): MailBytes {
  const pieces = piecesOf(content);
  return { kind: 'bytes', content: pieces, size: sizeOf(pieces), eightBit: false, header: 'ascii' };
}

function eightBits(content: Octets): MailBytes {
  // The end of the header may lie across two pieces.
  const whole = Buffer.isBuffer(content) ? content : Buffer.concat(content);
  const end = whole.indexOf(BLANK_LINE);
  const head = end === -1 ? whole : whole.subarray(0, end);
  const header = isAscii(head) ? 'ascii' : isUtf8(head) ? 'utf8' : 'other';
  return { kind: 'bytes', content: [whole], size: whole.length, eightBit: true, header };
}

const NEEDS_UTF8: MailForm = {
  kind: 'impossible',
  enhanced: '5.6.7',
  text: 'the server takes no internationalised headers (SMTPUTF8)',
};

/** RFC 6152 §3: the client converts, or returns the mail as undeliverable. */
const NEEDS_EIGHT_BIT: MailForm = {
  kind: 'impossible',
  enhanced: '5.6.3',
  text: 'the server takes no 8-bit content (8BITMIME), and this mail cannot be converted',
};
