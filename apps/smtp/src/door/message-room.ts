import { PassingMap, PassingSet } from '#libs/kernel';
import type { SMTPServerDataStream } from 'smtp-server';
import { readMessage, type Reading } from './read-message.js';
import { SmtpReply } from './smtp-reply.js';

const MIB = 1024 * 1024;
/** Of each message, taken whatever else is held: ordinary mail never waits for large mail. */
const FREE = 64 * 1024;
/** RFC 5321 §4.5.3.2.5: a client waits three minutes until a piece of its data is taken. */
const WAIT_MS = 120_000;

interface Guest {
  octets: number;
  /** Set while it is kept waiting. */
  timer: NodeJS.Timeout | undefined;
  /** It has waited for too long. */
  refused: boolean;
}

/**
 * The memory that messages may take between their first octet and their commit (promises S-21). A message for which there
 * is no room is not read on, which TCP tells its client; after two minutes it is refused for now. The message that has been
 * coming for the longest is always read on, so that they cannot all wait for each other.
 */
export class MessageRoom {
  private held = 0;
  private readonly guests = new PassingMap<SMTPServerDataStream, Guest>();
  /** Those that are still coming, the eldest first. */
  private readonly coming = new PassingSet<SMTPServerDataStream>();

  constructor(
    private readonly octets: number,
    private readonly waitMs = WAIT_MS,
  ) {}

  /** As `readMessage`. The octets of a message that is there count on until `leave`, while it is stored. */
  async read(stream: SMTPServerDataStream, reading: Omit<Reading, 'hold'>): Promise<Buffer> {
    const guest: Guest = { octets: 0, timer: undefined, refused: false };
    this.guests.set(stream, guest);
    this.coming.add(stream);
    try {
      const message = await readMessage(stream, {
        limit: reading.limit,
        lines: reading.lines,
        hold: (octets) => this.take(stream, guest, octets),
      });
      this.arrived(stream);
      return message;
    } catch (error) {
      this.leave(stream);
      throw error;
    }
  }

  /** The message is stored, refused or cut. */
  leave(stream: SMTPServerDataStream): void {
    const guest = this.guests.get(stream);
    if (!guest) return;
    clearTimeout(guest.timer);
    this.held -= guest.octets;
    this.guests.delete(stream);
    this.arrived(stream);
  }

  private arrived(stream: SMTPServerDataStream): void {
    this.coming.delete(stream);
    for (const other of this.coming) {
      const guest = this.guests.get(other);
      if (guest?.timer && this.mayGrow(other, guest)) goOn(other, guest);
    }
  }

  private take(stream: SMTPServerDataStream, guest: Guest, octets: number): SmtpReply | null {
    if (guest.refused)
      return new SmtpReply(452, '4.3.1 Too many large messages are coming in at this moment. Try again later');
    guest.octets += octets;
    this.held += octets;
    if (this.mayGrow(stream, guest)) return null;
    stream.pause();
    guest.timer ??= setTimeout(() => {
      guest.refused = true;
      goOn(stream, guest);
    }, this.waitMs);
    return null;
  }

  private mayGrow(stream: SMTPServerDataStream, { octets }: Guest): boolean {
    return this.held < this.octets || octets < FREE || this.coming.eldest === stream;
  }
}

function goOn(stream: SMTPServerDataStream, guest: Guest): void {
  clearTimeout(guest.timer);
  guest.timer = undefined;
  stream.resume();
}

/**
 * The submission relay's: four and a half mails of the largest size or hundreds of ordinary ones at the same time, where
 * one processor stores a few of the largest in a second.
 */
export const messageRoom = new MessageRoom(48 * MIB);
