import { firstAddress } from './find-address.js';
import { readQuotedReply, type QuotedReply } from './quoted-reply.js';

/** An SMTP dialogue that a report quotes. */
export interface Transcript {
  /** The failing reply to each recipient, by address in lower case. */
  replies: ReadonlyMap<string, QuotedReply>;
  /** The first failing reply to a command that concerns every recipient, such as DATA. */
  shared: QuotedReply | null;
  /** The lines that are not part of the dialogue. */
  rest: string[];
}

/** `>>> RCPT To:<ada@…>`, ` Tue 2026-11-10 09:15:02: <-- 550 …`. */
const ARROW = /^[\w:,./ \t-]{0,40}?(>>>|-->|<<<|<--)[ \t]{0,3}(.*)$/;
const RCPT = /^RCPT TO:/i;
/** A line of the reporting server about the reply before it: `550 5.1.1 <ada@…>... User unknown`. */
const NOTE = /^[ \t]{0,3}[245]\d\d[ -]/;
const CONTINUES = /^\d{3}-/;
const FAILING = /^[45]\d\d/;

/** Commands that were sent together, and the replies to them. */
class Exchange {
  readonly commands: string[] = [];
  readonly replies: { lines: string[]; about: string | null }[] = [];
  private open = false;

  addReply(line: string): void {
    if (this.open) this.replies[this.replies.length - 1].lines.push(line);
    else this.replies.push({ lines: [line], about: firstAddress(line)?.toLowerCase() ?? null });
    this.open = CONTINUES.test(line);
  }

  addNote(line: string): void {
    const last = this.replies.at(-1);
    const address = firstAddress(line)?.toLowerCase() ?? null;
    if (last !== undefined) last.about ??= address;
    this.open = false;
  }

  /** The recipient of the command that the reply belongs to; null: all; undefined: not known. */
  recipientOf(index: number): string | null | undefined {
    const { about } = this.replies[index];
    if (about !== null) return about;
    const isCounted = this.commands.length === 1 || this.commands.length === this.replies.length;
    if (!isCounted) return this.commands.some((command) => RCPT.test(command)) ? undefined : null;
    const command = this.commands[Math.min(index, this.commands.length - 1)];
    return RCPT.test(command) ? (firstAddress(command)?.toLowerCase() ?? undefined) : null;
  }
}

/** Reads the dialogue in the text of a report. Commands and replies are matched by address, or else by their number. */
export function readTranscript(lines: readonly string[]): Transcript {
  const rest: string[] = [];
  const exchanges: Exchange[] = [];
  for (const line of lines) {
    const [, arrow, text] = ARROW.exec(line) ?? [];
    const last = exchanges.at(-1);
    if (arrow === '>>>' || arrow === '-->') {
      const current = last !== undefined && last.replies.length === 0 ? last : new Exchange();
      if (current !== last) exchanges.push(current);
      current.commands.push(text);
    } else if (arrow !== undefined && last !== undefined) last.addReply(text);
    else if (last !== undefined && NOTE.test(line)) last.addNote(line);
    else rest.push(line);
  }
  return { ...repliesOf(exchanges), rest };
}

function repliesOf(exchanges: readonly Exchange[]): Omit<Transcript, 'rest'> {
  const replies = new Map<string, QuotedReply>();
  let shared: QuotedReply | null = null;
  for (const exchange of exchanges)
    for (const [i, { lines }] of exchange.replies.entries()) {
      const recipient = exchange.recipientOf(i);
      if (recipient === undefined || !FAILING.test(lines[0])) continue;
      const reply = readQuotedReply(lines.join(' '));
      if (recipient === null) shared ??= reply;
      else if (!replies.has(recipient)) replies.set(recipient, reply);
    }
  return { replies, shared };
}
