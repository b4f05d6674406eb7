import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LocalDns } from '../../../../test/support/local-dns.js';
import type { SigningKey } from '../dkim/key-ring.js';
import { DnsServer } from './dns-server.js';
import { judgeKeyRecord } from './key-record.js';

const NAME = 'pl1._domainkey.mail.example';
const ALIAS = 'pl1.entry.dkim.postloft.test';
const KEY = `v=DKIM1; k=rsa; p=${'A'.repeat(300)}`;
const dkim = { key: { algorithm: 'rsa', publicKey: 'A'.repeat(300) } as SigningKey, alias: ALIAS };

let own: LocalDns;
let world: LocalDns;
beforeAll(async () => {
  own = await LocalDns.start();
  world = await LocalDns.start();
});
afterAll(() => Promise.all([own.close(), world.close()]));

/** The customer's server knows its zone only; the resolver knows both. */
function publish(zone: Record<string, { TXT?: string[]; CNAME?: string }>, elsewhere: typeof zone = {}): void {
  for (const [name, records] of Object.entries(zone)) for (const dns of [own, world]) dns.set(name, records);
  for (const [name, records] of Object.entries(elsewhere)) world.set(name, records);
}
function judge(from: 'zone' | 'everything' = 'everything') {
  const servers = { server: new DnsServer([own.address], from), resolver: new DnsServer([world.address]) };
  return judgeKeyRecord(NAME, dkim, servers);
}

describe('the record of a key', () => {
  it('may be split into several strings', async () => {
    publish({ [NAME]: { TXT: [KEY] } });
    expect(await judge()).toMatchObject({ verdict: 'verified', observed: [KEY] });
  });

  it('is followed through aliases where a server answers with nothing but them', async () => {
    publish(
      { [NAME]: { CNAME: 'pl1.keys.mail.example' }, 'pl1.keys.mail.example': { CNAME: ALIAS } },
      { [ALIAS]: { TXT: [KEY] } },
    );
    expect(await judge()).toMatchObject({ verdict: 'verified', observed: [KEY] });
  });

  it('of which a zone’s own server knows the alias alone is for the resolver to judge', async () => {
    publish({ [NAME]: { CNAME: ALIAS } }, { [ALIAS]: { TXT: [KEY] } });
    expect(await judge('zone')).toMatchObject({ verdict: 'unanswered' });
  });

  it('that is not published yet where the right alias leads is the service’s to publish', async () => {
    publish({ [NAME]: { CNAME: ALIAS } });
    world.remove(ALIAS);
    expect(await judge()).toMatchObject({
      verdict: 'missing',
      observed: [ALIAS],
      error: expect.stringContaining('the service has not published'),
    });
  });

  it('behind an alias that leads elsewhere names where, and what stands there', async () => {
    publish(
      { [NAME]: { CNAME: 'pl2.entry.dkim.postloft.test' } },
      { 'pl2.entry.dkim.postloft.test': { TXT: ['v=DKIM1; p=BBBB'] } },
    );
    expect(await judge()).toMatchObject({
      verdict: 'wrong',
      observed: ['pl2.entry.dkim.postloft.test', 'v=DKIM1; p=BBBB'],
      error: expect.stringContaining(`Let it lead to ${ALIAS}`),
    });
  });

  it('is not looked for in a circle', async () => {
    publish({ [NAME]: { CNAME: 'pl9._domainkey.mail.example' }, 'pl9._domainkey.mail.example': { CNAME: NAME } });
    expect(await judge()).toMatchObject({ verdict: expect.stringMatching(/missing|unanswered/) });
    expect(own.questions.length + world.questions.length).toBeLessThan(60);
  });

  it('is unusable where there are two', async () => {
    publish({ [NAME]: { TXT: [KEY, 'v=DKIM1; p=BBBB'] } });
    expect(await judge()).toMatchObject({ verdict: 'wrong', error: expect.stringContaining('more than one') });
  });
});
