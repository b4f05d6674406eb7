import { MemoryBudget } from '#libs/kernel';
import type { SMTPServerDataStream } from 'smtp-server';
import { readMessage, type ReadOptions } from './read-message.js';
import { SmtpReply } from './smtp-reply.js';

/** RFC 5321 §4.5.3.2.5: a client waits three minutes for a part of its data to be accepted. */
const WAIT_MS = 120_000;

/** Reads messages within a memory budget; after two minutes without memory a message is refused for now. */
export class MessageMemory {
  private readonly budget: MemoryBudget;
  private readonly reservations = new Map<SMTPServerDataStream, ReturnType<MemoryBudget['open']>>();

  constructor(octets: number, waitMs = WAIT_MS) {
    this.budget = new MemoryBudget({ bytes: octets, waitMs });
  }

  /** Reads a message as `readMessage` does. Its octets count until `release`, while it is being stored. */
  async receive(stream: SMTPServerDataStream, options: Omit<ReadOptions, 'reserve'>): Promise<Buffer> {
    const reservation = this.budget.open(stream);
    this.reservations.set(stream, reservation);
    try {
      const message = await readMessage(stream, {
        limit: options.limit,
        lines: options.lines,
        reserve: (octets) => (this.budget.take(reservation, octets) === null ? null : noMemory()),
      });
      this.budget.complete(reservation);
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
    this.reservations.delete(stream);
    this.budget.release(reservation);
  }
}

const noMemory = (): SmtpReply =>
  new SmtpReply(452, '4.3.1 Too many large messages are coming in at this moment. Try again later');
