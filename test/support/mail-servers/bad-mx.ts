import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

const PROGRAM = new URL('bad_mx.py', import.meta.url).pathname;

/** Paths of PEM files. */
export interface CertificateFiles {
  cert: string;
  key: string;
}

/** A step of a scripted host; bad_mx.py says what each does. */
export type BadStep =
  | string
  | null
  | { reply: string; then?: 'fin' | 'rst' }
  | { cut: 'fin' | 'rst' }
  | { silence: true }
  | { drip: string; every: number }
  | { flood: string; bytes: number }
  | { slow: number }
  | { inject: string; tls?: CertificateFiles }
  | { hang: true }
  | { times: BadStep[] }
  | { by: Record<string, BadStep> }
  | { after: number; step: BadStep };

type BadMoment =
  | 'banner'
  | 'ehlo'
  | 'helo'
  | 'starttls'
  | 'mail'
  | 'rcpt'
  | 'data'
  | 'content'
  | 'dot'
  | 'rset'
  | 'idle';

export type BadHost =
  | ({ kind?: 'scripted'; extensions?: string[]; pace?: 'bulk' | 'single' } & Partial<Record<BadMoment, BadStep>>)
  | {
      kind: 'honest';
      size?: number;
      without?: string[];
      only_helo?: true;
      utf8?: true;
      tls?: CertificateFiles;
    }
  | { kind: 'deaf' };

/** One line of the journal. `at` counts seconds. */
export interface BadEvent {
  at: number;
  event: 'ready' | 'open' | 'close' | 'command' | 'dot' | 'flooded';
  host: string;
  connection: number;
  line?: string;
  /** EHLO of an honest host: over TLS. */
  tls?: boolean;
  port?: number;
  /** `dot`: of the un-stuffed mail. */
  sha256?: string;
  bytes?: number;
  recipients?: string[];
  /** `<address>` and what followed it. */
  sender?: string;
  file?: string;
  eight_bit?: boolean;
}

/** Mail servers in another language, one per address of 127.0.0.0/8, all on one port. */
export class BadMx {
  readonly events: BadEvent[] = [];

  private constructor(
    private readonly child: ChildProcessByStdio<Writable, Readable, null>,
    private readonly spool: string,
  ) {}

  static async start(of: { python: string; port: number; hosts: Record<string, BadHost> }): Promise<BadMx> {
    const spool = mkdtempSync(join(tmpdir(), 'postloft-mx-'));
    const child = spawn(of.python, [PROGRAM], { stdio: ['pipe', 'pipe', 'inherit'] });
    const server = new BadMx(child, spool);
    const ready = new Promise<void>((resolve, reject) => {
      child.once('exit', (code) => reject(new Error(`bad_mx.py ended with ${code}`)));
      createInterface(child.stdout).on('line', (line) => {
        const event = JSON.parse(line) as BadEvent;
        if (event.event === 'ready') resolve();
        else server.events.push(event);
      });
    });
    child.stdin.write(`${JSON.stringify({ port: of.port, spool, hosts: of.hosts })}\n`);
    await ready;
    return server;
  }

  at(host: string, event: BadEvent['event']): BadEvent[] {
    return this.events.filter((one) => one.host === host && one.event === event);
  }

  /** Mails whose final dot came, on these hosts, in order. */
  dots(...hosts: string[]): BadEvent[] {
    return this.events.filter((one) => one.event === 'dot' && hosts.includes(one.host));
  }

  content(dot: BadEvent): Buffer {
    return readFileSync(dot.file ?? '');
  }

  async close(): Promise<void> {
    const ended = this.child.exitCode === null ? once(this.child, 'exit') : undefined;
    this.child.stdin.end();
    await ended;
    rmSync(this.spool, { recursive: true, force: true });
  }
}
