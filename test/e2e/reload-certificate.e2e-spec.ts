import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { createTransport } from 'nodemailer';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startStandalone, type RunningProgram } from '../support/program.js';
import { selfSignedCertificate, type Certificate } from '../support/self-signed-certificate.js';
import { until } from '../support/until.js';

const FROM = 'orders@sandbox.postloft.test';
/** The program looks every second. */
const LOOKS_MS = 2_500;

/** M-31: certificates are replaced without a restart, as a mounted secret is (files behind a symbolic link) or in place. */
describe('a certificate that is renewed', () => {
  const dir = mkdtempSync(join(tmpdir(), 'postloft-tls-'));
  let program: RunningProgram;

  beforeAll(async () => {
    mount(selfSignedCertificate('one.test'));
    symlinkSync('..data/tls.crt', join(dir, 'tls.crt'));
    symlinkSync('..data/tls.key', join(dir, 'tls.key'));
    program = await startStandalone({ SMTP_TLS_CERT: join(dir, 'tls.crt'), SMTP_TLS_KEY: join(dir, 'tls.key') });
  });
  afterAll(async () => {
    await program?.stop();
    program?.clean();
    rmSync(dir, { recursive: true, force: true });
  });

  /** As an orchestrator does it: a new directory, then one rename of a link. */
  let version = 0;
  function mount({ cert, key }: Certificate): void {
    version += 1;
    const name = `..v${version}`;
    mkdirSync(join(dir, name));
    writeFileSync(join(dir, name, 'tls.crt'), cert);
    writeFileSync(join(dir, name, 'tls.key'), key);
    symlinkSync(name, join(dir, '..new'));
    renameSync(join(dir, '..new'), join(dir, '..data'));
  }
  const shown = async () => {
    const { smtp, smtps, inbound } = program.ports;
    return Promise.all([shownAt(smtps, false), shownAt(smtp, true), shownAt(inbound, true)]);
  };
  const allShow = (name: string) =>
    until(async () => (await shown()).every((each) => each === name), { what: `the certificate of ${name}` });

  it('is shown at every door to who comes then, while a session that is open goes on', async () => {
    expect(await shown()).toEqual(['one.test', 'one.test', 'one.test']);
    const open = createTransport({
      host: '127.0.0.1',
      port: program.ports.smtps,
      secure: true,
      pool: true,
      maxConnections: 1,
      tls: { rejectUnauthorized: false },
      auth: { user: FROM, pass: program.key },
    });
    const send = async (subject: string) =>
      (await open.sendMail({ from: FROM, to: 'a@example.com', subject, text: 'x' })).response;
    expect(await send('before')).toMatch(/^250 /);
    mount(selfSignedCertificate('two.test'));
    await allShow('two.test');
    expect(await send('after')).toMatch(/^250 /);
    open.close();
  });

  it('is not taken while its key is missing, broken or that of another, and the old one stays', async () => {
    const three = selfSignedCertificate('three.test');
    writeFileSync(join(dir, '..data', 'tls.crt'), three.cert);
    await new Promise((resolve) => setTimeout(resolve, LOOKS_MS));
    expect(new Set(await shown())).toEqual(new Set(['two.test']));
    expect(program.output()).toContain('the new smtp certificate cannot be used; the old one stays');
    writeFileSync(join(dir, '..data', 'tls.key'), three.key.slice(0, 60));
    await new Promise((resolve) => setTimeout(resolve, LOOKS_MS));
    expect(new Set(await shown())).toEqual(new Set(['two.test']));
    writeFileSync(join(dir, '..data', 'tls.key'), three.key);
    await allShow('three.test');
    expect(program.output()).not.toContain(three.key.split('\n')[1]);
  });
});

/** The name in the certificate that a new connection sees. */
async function shownAt(port: number, startTls: boolean): Promise<string> {
  const raw = connect(port, '127.0.0.1');
  if (startTls) {
    for (const command of ['EHLO me.example', 'STARTTLS']) {
      await new Promise((resolve) => raw.once('data', resolve));
      raw.write(`${command}\r\n`);
    }
    await new Promise((resolve) => raw.once('data', resolve));
  }
  const tls = await new Promise<TLSSocket>((resolve, reject) => {
    const socket = connectTls({ socket: raw, rejectUnauthorized: false }, () => resolve(socket));
    socket.once('error', reject);
  });
  const name = tls.getPeerCertificate().subject.CN;
  tls.destroy();
  return String(name);
}
