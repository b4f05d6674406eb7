import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { planOf } from '../../../../../test/support/delivery/throttling-fixture.js';
import { JsonFileError } from '../../json-reader.js';
import { MailboxProviders } from '../../routing/mailbox-providers.js';
import { readThrottlingPlan } from './read-throttling-plan.js';

function problem(content: object | string): string {
  try {
    planOf(content);
    return '';
  } catch (error) {
    if (error instanceof JsonFileError) return error.message;
    throw error;
  }
}

const POOLS = { bulk: [{ address: '192.0.2.1' }, { address: '192.0.2.2', helo: 'mx2.example.org' }] };

describe('the shipped limits', () => {
  const plan = readThrottlingPlan({ heloName: 'smtp.example.org' });

  it('recognise the large providers by their MX', () => {
    const providers = MailboxProviders.shipped();
    const expected: Record<string, string | null> = {
      'gmail-smtp-in.l.google.com': 'google',
      'aspmx.l.google.com': 'google',
      'smtp.google.com': 'google',
      'example-com.mail.protection.outlook.com': 'microsoft',
      'example-com.a-v1.mx.microsoft': 'microsoft',
      'outlook-com.olc.protection.outlook.com': 'outlook',
      'mta5.am0.yahoodns.net': 'yahoo',
      'mx01.mail.icloud.com': 'apple',
      'mx00.gmx.net': 'gmx',
      'mx-ha02.web.de': 'gmx',
      'mx00.t-online.de': 't-online',
      'smtp-in.orange.fr': 'orange',
      'smtpz4.laposte.net': 'laposte',
      'mxs.mail.ru': 'mail-ru',
      'mx.yandex.ru': 'yandex',
      'mx0a-00000000.pphosted.com': 'proofpoint',
      'eu-smtp-inbound-1.mimecast.com': 'mimecast',
      'mx.zoho.eu': 'zoho',
      'in1-smtp.messagingengine.com': 'fastmail',
      'mail.protonmail.ch': 'proton',
      'mx1.naver.com': 'naver',
      'mx3.qq.com': 'qq',
      '163mx01.mxmail.netease.com': 'netease',
      'mx1.comcast.net': 'comcast',
      'mx.notgoogle.com': null,
      'google.com.example.org': null,
    };
    for (const [exchange, provider] of Object.entries(expected))
      expect(providers.of([exchange])?.name ?? null, exchange).toBe(provider);
    expect(providers.of(['filter.example.org', 'mx00.gmx.net'])?.name).toBe('gmx');
  });

  it('have a rate for every provider, and a unique id for every automation', () => {
    for (const { name, limits, automations } of plan.providers.values()) {
      expect(limits.connections, name).toBeGreaterThan(0);
      expect(limits.perMinute, name).toBeGreaterThan(0);
      expect(limits.mailsPerConnection, name).toBeLessThanOrEqual(100);
      const ids = automations.map(({ id }) => id);
      expect(new Set(ids).size, name).toBe(ids.length);
    }
    expect(plan.pools).toEqual([]);
  });
});

describe("the operator's file", () => {
  it('changes single fields and keeps the rest', () => {
    const { providers, others } = planOf({ providers: { google: { connections: 3 } }, default: { per_minute: 60 } });
    expect(providers.get('google')).toMatchObject({ limits: { connections: 3, perMinute: 1800 } });
    expect(providers.get('google')?.automations.map(({ id }) => id)).toContain('google-unusual-rate');
    expect(providers.get('yahoo')?.limits.connections).toBe(5);
    expect(others.limits.perMinute).toBe(60);
  });

  it('adds providers, which are recognised', () => {
    const plan = planOf({ providers: { intranet: { mx: 'mx.corp.example', per_hour: 10 } } });
    expect(new MailboxProviders(plan).of(['a.mx.corp.example'])?.limits).toMatchObject({
      perHour: 10,
      connections: null,
    });
  });

  it('puts its automations first, replaces those of the same id, and removes those that match nothing', () => {
    const plan = planOf({
      automations: [{ id: 'busy', action: 'ignore' }],
      providers: {
        yahoo: {
          automations: [
            { id: 'mine', code: [421, 451], phase: 'mail', words: 'over there', action: 'suspend', minutes: 0.05 },
            { id: 'yahoo-deferred', enhanced: '4.7.0', action: 'slow_down', factor: 0.1, minutes: 1 },
          ],
        },
      },
    });
    const ids = plan.providers.get('yahoo')?.automations.map(({ id }) => id) ?? [];
    expect(ids.slice(0, 3)).toEqual(['mine', 'yahoo-deferred', 'yahoo-deferred-for-long']);
    expect(ids.filter((id) => id === 'yahoo-deferred')).toHaveLength(1);
    expect(ids).not.toContain('busy');
    expect(plan.providers.get('yahoo')?.automations[0].action).toEqual({ kind: 'suspend', forMs: 3000 });
  });

  it('has pools, rules and warm-ups', () => {
    const plan = planOf({
      sources: { ...POOLS, urgent: [{ address: '2001:db8::1' }, { address: '192.0.2.1' }] },
      rules: [
        { domain: 'news.example.com', pool: 'bulk' },
        { tag: 'stream=login=code', pool: 'urgent' },
      ],
      warm_up: [
        {
          address: '192.0.2.2',
          started: '2026-11-01',
          first_day: 100,
          providers: { google: { first_day: 20, factor: 1.5 } },
        },
      ],
    });
    expect(plan.pools[0]).toEqual({
      name: 'bulk',
      sources: [
        { address: '192.0.2.1', heloName: 'smtp.example.org' },
        { address: '192.0.2.2', heloName: 'mx2.example.org' },
      ],
    });
    expect(plan.pools[1].sources[1]).toBe(plan.pools[0].sources[0]);
    expect(plan.rules[1]).toEqual({ domain: null, tag: { key: 'stream', value: 'login=code' }, pool: 'urgent' });
    const warmUp = plan.warmUps.get('192.0.2.2');
    expect(warmUp).toMatchObject({
      startedAt: Date.UTC(2026, 10, 1),
      curve: { firstDay: 100, factor: 2, until: 20_000 },
    });
    expect(warmUp?.providers.get('google')).toEqual({ firstDay: 20, factor: 1.5, until: 20_000 });
  });

  it('accepts all examples of the documentation', () => {
    const page = readFileSync(new URL('../../../../../docs/delivery.md', import.meta.url), 'utf8');
    const examples = [...page.matchAll(/```json\n(.*?)```/gs)].map(([, text]) => JSON.parse(text) as object);
    const files = examples.filter((example) => !('waiting_for' in example));
    expect(files).toHaveLength(4);
    const sources = files.find((file) => 'sources' in file);
    for (const file of files) expect(problem({ ...sources, ...file })).toBe('');
  });

  it('is refused with a sentence that names the place and the allowed values', () => {
    const automation = (more: object) => ({ automations: [{ id: 'a', action: 'suspend', minutes: 1, ...more }] });
    const refusals: [content: object | string, sentence: string][] = [
      ['{', 'the file is not JSON:'],
      [[], 'the file must be an object in braces; it is []'],
      [{ provider: {} }, 'provider is not known here; allowed are comment, default, providers, automations'],
      [
        { providers: { google: { connections: 0 } } },
        'providers.google.connections must be a whole number from 1 to 1000; it is 0',
      ],
      [
        { providers: { google: { per_minute: '9' } } },
        'providers.google.per_minute must be a number from 0.01 to 1000000; it is "9"',
      ],
      [{ providers: { google: { rate: 9 } } }, 'providers.google.rate is not known here; allowed are connections,'],
      [{ providers: { mine: {} } }, 'providers.mine is a new provider and needs mx'],
      [{ providers: { mine: { mx: [] } } }, 'providers.mine.mx must not be empty'],
      [
        { providers: { mine: { mx: ['MX.example'] } } },
        'providers.mine.mx[0] must be the end of an MX name in small letters',
      ],
      [{ providers: { 'a b': {} } }, 'providers["a b"] has no proper name'],
      [{ providers: { capture: { mx: 'x' } } }, 'providers.capture has no proper name'],
      [automation({}), 'automations[0] needs at least one of code, enhanced, words and class'],
      [automation({ code: 250 }), 'automations[0].code must be a whole number from 400 to 599; it is 250'],
      [automation({ words: '(' }), 'automations[0].words is not a regular expression:'],
      [automation({ code: 421, phase: 'eot' }), 'automations[0].phase must be one of connect, greeting'],
      [automation({ code: 421, factor: 0.5 }), 'automations[0].factor belongs to slow_down only'],
      [
        automation({ code: 421, action: 'stop' }),
        'automations[0].action must be one of slow_down, suspend, ignore; it is "stop"',
      ],
      [automation({ code: 421, minutes: undefined }), 'automations[0] needs minutes, which suspend lasts'],
      [{ automations: [{ id: 'a', code: 421, action: 'slow_down', minutes: 1 }] }, 'automations[0] needs factor'],
      [{ automations: [{ code: 421 }] }, 'automations[0] needs id and action'],
      [{ sources: { bulk: [] } }, 'sources.bulk must not be empty'],
      [
        { sources: { bulk: [{ address: '192.0.2' }] } },
        'sources.bulk[0].address must be an IPv4 or IPv6 address; it is "192.0.2"',
      ],
      [
        { sources: { ...POOLS, more: [{ address: '192.0.2.2' }] } },
        'sources.more[0] gives 192.0.2.2 another helo than before: mx2.example.org',
      ],
      [{ rules: [{ domain: 'a.example', pool: 'bulk' }] }, 'rules[0].pool has no meaning without pools in sources'],
      [{ sources: POOLS, rules: [{ pool: 'bulk' }] }, 'rules[0] needs pool and at least one of domain and tag'],
      [
        { sources: POOLS, rules: [{ tag: 'x', pool: 'bulk' }] },
        'rules[0].tag must be a tag such as stream=bulk; it is "x"',
      ],
      [
        { sources: POOLS, warm_up: [{ address: '192.0.2.9', started: '2026-11-01' }] },
        'warm_up[0].address must be one of 192.0.2.1, 192.0.2.2',
      ],
      [
        { sources: POOLS, warm_up: [{ address: '192.0.2.1', started: '2026-13-01' }] },
        'warm_up[0].started must be a day of the calendar',
      ],
      [
        { sources: POOLS, warm_up: [{ address: '192.0.2.1', started: '2026-11-01', factor: 1 }] },
        'warm_up[0].factor must be a number from 1.01 to 10',
      ],
    ];
    for (const [content, sentence] of refusals) expect(problem(content), sentence).toContain(sentence);
    expect(() => readThrottlingPlan({ file: '/nowhere/shaping.json', heloName: '' })).toThrow('cannot be read');
  });
});
