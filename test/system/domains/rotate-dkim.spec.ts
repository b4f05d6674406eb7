import { Resolver } from 'node:dns/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DomainView } from '#libs/domains';
import { cli } from '../../support/services/cli.js';
import { publish } from '../../support/dns/local-dns.js';
import type { LocalDns } from '../../support/dns/local-dns.js';
import { judgeWithMailauth, judgeWithOpendkim, judgeWithPython } from '../../support/judges/mail-judges.js';
import { openAccount, openZones, type ServiceAccount } from '../../support/services/service-client.js';
import { until } from '../../support/timing/until.js';
import { capturedMessage } from '../../support/services/captured.js';

const ZONE = 'rotate-dkim.example';

let dns: LocalDns;
let program: ServiceAccount;

beforeAll(async () => {
  dns = await openZones([ZONE]);
  program = await openAccount('rest');
});
afterAll(() => dns?.close());

/** A domain and the mails that it sent. */
class Sender {
  readonly sent: Buffer[] = [];

  constructor(readonly domain: DomainView) {}

  static async add(name: string): Promise<Sender> {
    const answer = await program.call('POST', '/domains', { name });
    expect(answer.status).toBe(201);
    return new Sender((await answer.json()) as DomainView);
  }

  see(what: (seen: DomainView) => boolean): Promise<DomainView> {
    return until(
      async () => {
        const seen = (await (await program.call('GET', `/domains/${this.domain.id}`)).json()) as DomainView;
        if (!what(seen)) throw new Error(JSON.stringify(seen));
        return seen;
      },
      { what: `${this.domain.name} to look as expected` },
    );
  }

  rotate(method = 'POST'): Promise<Response> {
    return program.call(method, `/domains/${this.domain.id}/dkim/rotate`);
  }

  /** Sends a mail; resolves with the key slots of its signatures. */
  async send(): Promise<string[]> {
    const { name } = this.domain;
    const raw = await capturedMessage(program, await program.send({ from: `Shop <shop@${name}>` }));
    this.sent.push(raw);
    return signedAt(raw).map((at) => at.split('.')[0].slice('plabcdefgh'.length));
  }

  /** The current TXT records, aliases followed, at every name in the signatures of the mails sent so far. */
  async records(): Promise<Record<string, string>> {
    const resolver = new Resolver();
    resolver.setServers([dns.address]);
    const names = [...new Set(this.sent.flatMap(signedAt))];
    const found = names.map(async (at) => [at, (await resolver.resolveTxt(at)).map((s) => s.join('')).join()] as const);
    return Object.fromEntries(await Promise.all(found));
  }
}

/** The names of the keys that signed. */
function signedAt(raw: Buffer): string[] {
  const head = raw
    .subarray(0, raw.indexOf('\r\n\r\n'))
    .toString('latin1')
    .replaceAll(/\r\n[\t ]/g, ' ');
  return [...head.matchAll(/^DKIM-Signature:.*? d=([^;]+);.*? s=([^;]+);/gim)].map(
    ([, domain, selector]) => `${selector}._domainkey.${domain}`,
  );
}

const switched = (seen: DomainView) => seen.dkim.rotation?.status === 'switched';
const both = (seen: DomainView) =>
  seen.status === 'active' && seen.records.every(({ record, status }) => record !== 'DKIM' || status === 'verified');
/** Changes take effect within a second in every program. */
const counts = () => new Promise((resolve) => setTimeout(resolve, 1_000));
const keysOf = (seen: DomainView) => seen.records.filter(({ record }) => record === 'DKIM');

describe('DKIM keys are rotated', () => {
  const senders: Sender[] = [];

  it.concurrent('with a second record beside the first', async () => {
    const sender = await Sender.add(`txt.${ZONE}`);
    senders.push(sender);
    publish(dns, sender.domain.records);
    await sender.see(both);
    await counts();
    expect(await sender.send()).toEqual(['', 'e']);

    const answer = await sender.rotate();
    expect(answer.status).toBe(202);
    const begun = (await answer.json()) as DomainView;
    expect(begun.dkim.rotation).toMatchObject({ status: 'pending', switched_at: null });
    const again = await sender.rotate();
    expect([again.status, await again.json()]).toMatchObject([
      409,
      { error: 'conflict', details: [{ code: 'rotation_pending' }] },
    ]);
    expect(await sender.send()).toEqual(['', 'e']);

    publish(dns, keysOf(begun));
    const after = await sender.see(switched);
    await counts();
    expect(await sender.send()).toEqual(['2', '2e']);
    expect(keysOf(after).map(({ status }) => status)).toEqual(Array(4).fill('verified'));
    expect((await sender.rotate('DELETE')).status).toBe(409);
  });

  it.concurrent('through aliases to the zone of the service, without the owner', async () => {
    const sender = await Sender.add(`cname.${ZONE}`);
    senders.push(sender);
    publish(
      dns,
      sender.domain.records.filter(({ record }) => record !== 'DKIM'),
    );
    for (const { name, value } of sender.domain.dkim.cnames) dns.set(name, { CNAME: value });
    await publishZone();
    await sender.see(both);
    await counts();
    expect(await sender.send()).toEqual(['', 'e']);

    await cli(program.env, 'domains', 'rotate', sender.domain.id);
    expect(await sender.send()).toEqual(['', 'e']);
    await publishZone();
    await sender.see(switched);
    await counts();
    expect(await sender.send()).toEqual(['2', '2e']);
  });

  it.concurrent('at once with --force, for a domain that the operator vouches for', async () => {
    const all = (await (await program.call('GET', '/domains')).json()) as DomainView[];
    const vouched = new Sender(all.find(({ name }) => name === program.domain) ?? expect.fail());
    const shown = await cli(program.env, 'domains', 'rotate', vouched.domain.id, '--force');
    await counts();
    expect(await vouched.send()).toEqual(['2', '2e']);
    expect(shown).toContain(`2._domainkey.${program.domain}`);
  });

  it('and every mail verifies after it, sent before, during or after', async () => {
    expect(senders.map(({ sent }) => sent.length)).toEqual([3, 3]);
    for (const sender of senders) {
      const records = await sender.records();
      for (const raw of sender.sent) expect(await judgeWithMailauth(raw, records)).toEqual(['pass', 'pass']);
    }
  });

  it.skipIf(judgeWithPython === null)('dkimpy verifies them', async () => {
    for (const sender of senders) {
      const judged = await judgeWithPython?.({ signed: sender.sent, records: await sender.records() });
      expect(judged?.dkim).toEqual(sender.sent.map(() => [true, true]));
    }
  });

  it.skipIf(judgeWithOpendkim === null)('OpenDKIM verifies them', async () => {
    for (const sender of senders)
      expect(await judgeWithOpendkim?.(sender.sent, await sender.records())).toEqual(sender.sent.map(() => 0));
  });
});

/** Publishes the output of the command, as the operator's cron job does. */
async function publishZone(): Promise<void> {
  const lines = (await cli(program.env, 'domains', 'dkim-zone')).trim().split('\n');
  for (const line of lines) {
    const [, name, strings] = /^(\S+)\. \d+ IN TXT (.+)$/.exec(line) ?? expect.fail(line);
    dns.set(name, { TXT: [[...strings.matchAll(/"([^"]*)"/g)].map(([, text]) => text).join('')] });
  }
}
