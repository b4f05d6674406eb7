import { setTimeout as sleep } from 'node:timers/promises';
import { SmtpTalk } from './smtp-talk.mjs';
import type { Dialogue, TlsMode, Step } from './smtp-script.js';

const SILENCE_MS = 150;
/** RFC 2034 §4 and RFC 5321 §4.5.3.1.5, §4.2: its code, of the same class; 512 octets; printable ASCII. */
const CODED = /^(?:([245])\d\d[ -]\1\.\d{1,3}\.\d{1,3} |3\d\d(?: |$))/;
const MAX_REPLY_OCTETS = 510;
const PRINTABLE = /^[\x20-\x7e]*$/;

/** A server that dialogues are played against, and what is written in their place there. */
export interface DialogueServer {
  /** The standard's own server is asked the same: its replies are those behind `P:`, and it knows no login. */
  postfix: boolean;
  port(mode: TlsMode): number;
  /** `{name}` in a line. */
  variable(name: string): string | undefined;
  /** User name and password. */
  login(who: string): [user: string, password: string];
  act(action: string): Promise<void>;
}

/** Plays one dialogue from the greeting to its last line; throws with what was said when a reply is another one. */
export async function play(dialogue: Dialogue, mode: TlsMode, server: DialogueServer): Promise<void> {
  const player = new Player(server, mode);
  try {
    await player.enter();
    for (const step of dialogue.steps) await player.perform(step);
  } catch (error) {
    throw new Error(`${(error as Error).message}\n--- what was said:\n${player.transcript()}`, { cause: error });
  } finally {
    player.leave();
  }
}

class Player {
  private talk!: SmtpTalk;
  private segment: Buffer[] | null = null;
  private readonly said: string[] = [];
  private readonly kept = new Map<string, string>();

  constructor(
    private readonly server: DialogueServer,
    private readonly mode: TlsMode,
  ) {
    this.kept.set('listener', mode);
  }

  transcript(): string {
    return this.said.slice(-40).join('\n');
  }

  async enter(): Promise<void> {
    const { mode } = this;
    this.talk = SmtpTalk.open(this.server.port(mode));
    if (mode === 'implicit') await this.talk.secure();
    await this.expect(['220 *'], true);
    if (mode !== 'starttls') return;
    await this.ehlo();
    this.send(Buffer.from('STARTTLS\r\n'));
    await this.expect(['220 2.0.0 *'], false);
    await this.talk.secure();
  }

  leave(): void {
    this.talk.close();
  }

  perform(step: Step): Promise<void> {
    return this.acts[step.does](step as never);
  }

  private readonly acts: { [Does in Step['does']]: (step: Extract<Step, { does: Does }>) => Promise<void> } = {
    send: async ({ text, lineEnd }) => this.send(this.octets(`${text}${lineEnd ? '\\r\\n' : ''}`)),
    expect: ({ lines, codeless, postfix }) => this.expect((this.server.postfix && postfix) || lines, codeless),
    offers: ({ keywords, postfix }) => this.expectOffers((this.server.postfix && postfix) || keywords),
    segment: ({ steps, bytewise }) => this.sendTogether(steps, bytewise),
    again: () => {
      this.leave();
      return this.enter();
    },
    starttls: () => this.talk.secure(),
    ehlo: () => this.ehlo(),
    login: ({ who }) => this.login(who),
    mail: () => this.say('MAIL FROM:<{from}>', '250 2.1.0 *'),
    rcpt: () => this.say('RCPT TO:<ada@example.com>', '250 2.1.5 *'),
    data: () => this.say('DATA', '354 *'),
    pause: ({ ms }) => sleep(ms),
    act: ({ action }) => this.server.act(action),
    silence: () => this.expectSilence(),
    closed: () => this.expectEnd(),
  };

  private async say(line: string, reply: string): Promise<void> {
    this.send(this.octets(`${line}\\r\\n`));
    await this.expect([reply], false);
  }

  private async ehlo(): Promise<void> {
    this.send(Buffer.from('EHLO client.example\r\n'));
    await this.reply();
  }

  private async login(who: string): Promise<void> {
    await this.ehlo();
    if (!this.server.postfix) await this.say(`AUTH PLAIN {auth${who === '' ? '' : ` ${who}`}}`, '235 2.7.0 *');
  }

  private async sendTogether(steps: Step[], bytewise: boolean): Promise<void> {
    this.segment = [];
    for (const step of steps) await this.perform(step);
    const octets = Buffer.concat(this.segment);
    this.segment = null;
    if (!bytewise) return this.send(octets);
    for (const octet of octets) {
      this.talk.write(Buffer.of(octet));
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  private send(octets: Buffer): void {
    if (this.segment) {
      this.segment.push(octets);
      return;
    }
    this.said.push(`C: ${JSON.stringify(octets.subarray(0, 300).toString('latin1'))}`);
    this.talk.write(octets);
  }

  private async expect(patterns: string[], codeless: boolean): Promise<void> {
    const lines = await this.reply();
    const wrong = lines.length !== patterns.length || lines.some((line, i) => !this.fits(line, patterns[i]));
    if (wrong) throw new Error(`expected ${patterns.join(' / ')}\nbut came ${lines.join(' / ')}`);
    if (!this.server.postfix && !codeless) lines.forEach(requireCode);
  }

  private async expectOffers(keywords: string): Promise<void> {
    const [first, ...rest] = await this.reply();
    const offered = rest.map((line) => line.slice(4)).sort();
    const wanted = keywords.split(/, ?/).sort();
    if (!first.startsWith('250') || offered.join() !== wanted.join())
      throw new Error(`expected offers ${wanted.join(', ')}\nbut came ${first} / ${offered.join(', ')}`);
  }

  private async expectSilence(): Promise<void> {
    await sleep(SILENCE_MS);
    if (this.talk.pending !== '') throw new Error(`expected silence but came ${this.talk.pending}`);
  }

  private async expectEnd(): Promise<void> {
    await this.talk.end();
    // A handshake that went wrong ends with octets of its own.
    if (/^\d{3}[ -]/m.test(this.talk.pending)) throw new Error(`expected the end but came ${this.talk.pending}`);
  }

  private async reply(): Promise<string[]> {
    const lines = await this.talk.reply();
    this.said.push(...lines.map((line) => `S: ${line}`));
    const wrong = lines.find((line) => line.length > MAX_REPLY_OCTETS || !PRINTABLE.test(line));
    if (wrong !== undefined) throw new Error(`is no reply line: ${wrong}`);
    return lines;
  }

  /** `*` is any text; `{name}` what it was when it came first. */
  private fits(line: string, pattern: string): boolean {
    const names: string[] = [];
    const source = pattern.replace(/\{(\w+)\}|\*|[.+?^${}()|[\]\\]/g, (found, name: string | undefined) => {
      if (found === '*') return '.*';
      if (name === undefined) return `\\${found}`;
      const known = this.kept.get(name) ?? this.server.variable(name);
      if (known !== undefined) return known.replace(/[.+?^${}()|[\]\\]/g, '\\$&');
      names.push(name);
      return '(\\w+)';
    });
    const match = new RegExp(`^${source}$`).exec(line);
    names.forEach((name, i) => match && this.kept.set(name, match[i + 1]));
    return match !== null;
  }

  /** The octets of a line: `{name}`, `{x*12}`, `\r`, `\n`, `\t`, `\0`, `\\` and `\xff`; all else is UTF-8. */
  private octets(text: string): Buffer {
    const filled = text.replace(/\{([^{}]+)\}/g, (_, name: string) => this.variable(name));
    const pieces = filled.split(/(\\x[0-9a-f]{2}|\\[rnt0\\])/);
    return Buffer.concat(
      pieces.map((piece, i) => (i % 2 === 0 ? Buffer.from(piece) : Buffer.from(escaped(piece), 'latin1'))),
    );
  }

  private variable(name: string): string {
    const [, octet, count] = /^(.+)\*(\d+)$/.exec(name) ?? [];
    if (octet !== undefined) return octet.repeat(Number(count));
    const [word, who = ''] = name.split(' ');
    if (['auth', 'user64', 'key64'].includes(word)) return this.credentials(word, who);
    const value = this.kept.get(name) ?? this.server.variable(name);
    if (value === undefined) throw new Error(`nobody says what {${name}} is`);
    return value;
  }

  private credentials(word: string, who: string): string {
    const [user, password] = this.server.login(who);
    const text = word === 'auth' ? `\0${user}\0${password}` : word === 'user64' ? user : password;
    return Buffer.from(text).toString('base64');
  }
}

const ESCAPES: Record<string, string> = { '\\r': '\r', '\\n': '\n', '\\t': '\t', '\\0': '\0', '\\\\': '\\' };
const escaped = (piece: string): string => ESCAPES[piece] ?? String.fromCharCode(Number.parseInt(piece.slice(2), 16));

function requireCode(line: string): void {
  if (!CODED.test(line)) throw new Error(`has no enhanced code of its class: ${line}`);
}
