import { expect } from 'vitest';
import { processesOn, type RunningProgram } from '../services/program.js';
import type { ScriptedMx } from '../mail-servers/scripted-mx.js';
import type { Sender } from '../services/sender.js';
import { until } from '../timing/until.js';

const SENDERS = 8;
/** At least, before each kill: a kill that finds nothing under way shows nothing. */
const MAILS_A_KILL = 51;

/** Clients that send until the service is killed, and what they were promised. */
export class KilledWhileSending {
  /** Subjects of the mails that were answered 201. */
  readonly answered = new Set<string>();
  sent = 0;
  private kills = 0;

  /** All mails go to `domain`. */
  constructor(
    private readonly sender: Sender,
    private readonly domain: string,
  ) {}

  /** Sends until enough was answered and some random time is over, then kills the whole process group. */
  async sendAndKill(program: RunningProgram): Promise<void> {
    const stop = { now: false };
    const senders = Array.from({ length: SENDERS }, () => this.sendUntil(stop));
    this.kills += 1;
    await new Promise((resolve) => setTimeout(resolve, 700 + Math.random() * 800));
    await until(async () => this.answered.size >= this.kills * MAILS_A_KILL, {
      what: `${MAILS_A_KILL} answers`,
      withinMs: 60_000,
    });
    await program.kill();
    stop.now = true;
    await Promise.all(senders);
    await until(async () => processesOn(program.dataDir).length === 0, { what: 'no process on the data directory' });
    expect(this.answered.size).toBeGreaterThanOrEqual(this.kills * MAILS_A_KILL);
  }

  hasArrived(sink: ScriptedMx): boolean {
    const arrived = new Set(this.arrivals(sink));
    return [...this.answered].every((subject) => arrived.has(subject));
  }

  duplicates(sink: ScriptedMx): number {
    const all = this.arrivals(sink);
    return all.length - new Set(all).size;
  }

  private arrivals(sink: ScriptedMx): string[] {
    const subjects = sink.accepted.map(({ content }) => /^Subject: (.*)\r$/m.exec(content.toString())?.[1] ?? '');
    return subjects.filter((subject) => subject.startsWith('killed-'));
  }

  private async sendUntil(stop: { now: boolean }): Promise<void> {
    while (!stop.now) {
      const subject = `killed-${this.sent++}`;
      const body = this.sender.mail({ subject, to: `${subject}@${this.domain}`, html: undefined });
      try {
        const response = await this.sender.call('POST', '/emails', body);
        if (response.status === 201) this.answered.add(subject);
        await response.arrayBuffer();
      } catch {
        // Cut by the kill: the answer is unknown, so nothing is promised.
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  }
}
