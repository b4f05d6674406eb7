import type { SMTPServerDataStream } from 'smtp-server';
import { readMessage, type ReadOptions } from './read-message.js';
import { SmtpReply } from './smtp-reply.js';

/** Octets of each message that are always accepted: ordinary messages never wait for large ones. */
const FREE_OCTETS = 64 * 1024;
/** RFC 5321 §4.5.3.2.5: a client waits three minutes for a part of its data to be accepted. */
const WAIT_MS = 120_000;

interface Reservation {
  octets: number;
  /** Set while the message waits for memory. */
  timer: NodeJS.Timeout | undefined;
  /** It has waited too long. */
  refused: boolean;
}

/**
 * Bounds the memory of messages between their first octet and their commit. A message without memory is not read on, which
 * slows its client down by TCP flow control; after two minutes it is refused for now. The oldest message that is being
 * received is always read on, so that messages cannot all wait for each other.
 */
export class MemoryBudget {
  private used = 0;
  private readonly reservations = new Map<SMTPServerDataStream, Reservation>();
  /** Messages that are being received, oldest first. */
  private readonly receiving = new Set<SMTPServerDataStream>();

  constructor(
    private readonly octets: number,
    private readonly waitMs = WAIT_MS,
  ) {}

  /** Reads a message as `readMessage` does. Its octets count until `release`, while it is being stored. */
  async receive(stream: SMTPServerDataStream, options: Omit<ReadOptions, 'reserve'>): Promise<Buffer> {
    const reservation: Reservation = { octets: 0, timer: undefined, refused: false };
    this.reservations.set(stream, reservation);
    this.receiving.add(stream);
    try {
      const message = await readMessage(stream, {
        limit: options.limit,
        lines: options.lines,
        reserve: (octets) => this.reserve(stream, reservation, octets),
      });
      this.received(stream);
      return message;
    } catch (error) {
      this.release(stream);
      throw error;
    }
  }

  /** The message was stored or refused, or its connection was cut. Repeated calls do nothing. */
  release(stream: SMTPServerDataStream): void {
    const reservation = this.reservations.get(stream);
    if (!reservation) return;
    clearTimeout(reservation.timer);
    this.used -= reservation.octets;
    this.reservations.delete(stream);
    this.received(stream);
  }

  private received(stream: SMTPServerDataStream): void {
    this.receiving.delete(stream);
    for (const other of this.receiving) {
      const reservation = this.reservations.get(other);
      if (reservation?.timer && this.mayGrow(other, reservation)) resume(other, reservation);
    }
  }

  private reserve(stream: SMTPServerDataStream, reservation: Reservation, octets: number): SmtpReply | null {
    if (reservation.refused)
      return new SmtpReply(452, '4.3.1 Too many large messages are coming in at this moment. Try again later');
    reservation.octets += octets;
    this.used += octets;
    if (this.mayGrow(stream, reservation)) return null;
    stream.pause();
    reservation.timer ??= setTimeout(() => {
      reservation.refused = true;
      resume(stream, reservation);
    }, this.waitMs);
    return null;
  }

  private mayGrow(stream: SMTPServerDataStream, { octets }: Reservation): boolean {
    const [oldest] = this.receiving;
    return this.used < this.octets || octets < FREE_OCTETS || oldest === stream;
  }
}

function resume(stream: SMTPServerDataStream, reservation: Reservation): void {
  clearTimeout(reservation.timer);
  reservation.timer = undefined;
  stream.resume();
}
