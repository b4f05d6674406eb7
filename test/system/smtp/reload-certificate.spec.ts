import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { mountCertificate } from '../../support/fixtures/mount-certificate.js';
import { openAccount, type ServiceAccount } from '../../support/services/service-client.js';
import { selfSignedCertificate } from '../../support/fixtures/self-signed-certificate.js';
import { SmtpTalk } from '../../support/smtp/smtp-talk.mjs';
import { until } from '../../support/timing/until.js';
import { ONE_CONNECTION, relayClient } from '../../support/services/relay-client.js';

/** Certificates are replaced without a restart, as a mounted secret (files behind a symbolic link) or in place. */
describe('a certificate that is renewed', () => {
  let program: ServiceAccount;
  let dir: string;

  beforeAll(async () => {
    program = await openAccount('webhooks');
    dir = dirname(program.certificate.cert);
  });

  const shown = async () => {
    const { smtp, smtps, inbound } = program.ports;
    return Promise.all([shownAt(smtps, false), shownAt(smtp, true), shownAt(inbound, true)]);
  };
  const refusals = () =>
    program.output().split('the new smtp certificate cannot be used; the old one stays').length - 1;
  const allShow = (name: string) =>
    until(async () => (await shown()).every((each) => each === name), { what: `the certificate of ${name}` });

  it('is used for new connections on every port, while an open session continues', async () => {
    expect(await shown()).toEqual(['first.test', 'first.test', 'first.test']);
    const open = relayClient(program, ONE_CONNECTION);
    const send = async (subject: string) =>
      (await open.sendMail({ from: program.from, to: 'a@example.com', subject, text: 'x' })).response;
    expect(await send('before')).toMatch(/^250 /);
    mountCertificate(dir, selfSignedCertificate('two.test'));
    await allShow('two.test');
    expect(await send('after')).toMatch(/^250 /);
    open.close();
  });

  it('is not used while its key is missing, broken or does not match, and the old one stays', async () => {
    const three = selfSignedCertificate('three.test');
    writeFileSync(join(dir, '..data', 'tls.crt'), three.cert);
    await until(async () => refusals() > 0, { what: 'a line about the certificate without its key' });
    expect(new Set(await shown())).toEqual(new Set(['two.test']));
    const before = refusals();
    writeFileSync(join(dir, '..data', 'tls.key'), three.key.slice(0, 60));
    await until(async () => refusals() > before, { what: 'a line about the broken key' });
    expect(new Set(await shown())).toEqual(new Set(['two.test']));
    writeFileSync(join(dir, '..data', 'tls.key'), three.key);
    await allShow('three.test');
    expect(program.output()).not.toContain(three.key.split('\n')[1]);
  });
});

/** The name in the certificate that a new connection sees. */
async function shownAt(port: number, startTls: boolean): Promise<string> {
  const talk = SmtpTalk.open(port);
  if (startTls) {
    await talk.reply();
    await talk.say('EHLO me.example');
    await talk.say('STARTTLS');
  }
  await talk.secure();
  const name = talk.certificateName;
  talk.close();
  return name;
}
