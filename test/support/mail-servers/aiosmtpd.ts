import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Certificate } from '../fixtures/self-signed-certificate.js';
import { until } from '../timing/until.js';

export interface Aiosmtpd {
  /** The messages that it took, each behind the header fields that it adds. */
  mails(): Buffer[];
  stop(): Promise<void>;
}

/** The mail server aiosmtpd with STARTTLS and SMTPUTF8. `python` has it. */
export async function startAiosmtpd(python: string, at: { host: string; port: number } & Certificate) {
  const dir = mkdtempSync(join(tmpdir(), 'postloft-aiosmtpd-'));
  const [cert, key] = (['cert', 'key'] as const).map((name) => {
    writeFileSync(join(dir, name), at[name]);
    return join(dir, name);
  });
  const tls = ['--tlscert', cert, '--tlskey', key, '--no-requiretls'];
  const handler = ['-c', 'aiosmtpd.handlers.Mailbox', join(dir, 'mails')];
  const args = ['-m', 'aiosmtpd', '-n', '-u', '-l', `${at.host}:${at.port}`, ...tls, ...handler];
  const child = spawn(python, args, { stdio: 'inherit' });
  const ended = once(child, 'exit');
  const listens = async () => {
    const socket = connect(at.port, at.host);
    await once(socket, 'connect');
    return socket.destroy();
  };
  await until(listens, { what: 'aiosmtpd to listen' });
  const mails = () => readdirSync(join(dir, 'mails/new')).map((name) => readFileSync(join(dir, 'mails/new', name)));
  const stop = async () => {
    child.kill();
    await ended;
    rmSync(dir, { recursive: true, force: true });
  };
  return { mails, stop } satisfies Aiosmtpd;
}
