import { setTimeout as later } from 'node:timers/promises';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openAccount, type ServiceAccount } from '../../support/services/service-client.js';
import { SmtpTalk } from '../../support/smtp/smtp-talk.mjs';
import { until } from '../../support/timing/until.js';

const QUEUED = /^250 2\.0\.0 queued as em_[0-9a-f]{32}$/;
const LISTED = /^550 5\.7\.1 This address is on the suppression list/;
/** Recipients are checked again at the final dot if their RCPT is older, in ms. */
const FRESH_MS = 1_000;

/** Relayed mail with suppressed recipients, or with too many. */
describe('recipients of the relay', () => {
  let program: ServiceAccount;
  let talk: SmtpTalk;
  let domainId: string;

  beforeAll(async () => {
    program = await openAccount('smtp');
    ({ domainId } = program);
  });

  beforeEach(async () => {
    talk = await SmtpTalk.loggedIn(program.ports.smtps, program.from, program.key);
  });
  afterEach(() => talk.close());

  const suppress = async (email: string, scope: object = {}) =>
    expect((await program.call('POST', '/suppressions', { email, ...scope })).status).toBe(201);
  const free = async (email: string) => program.call('DELETE', `/suppressions/${encodeURIComponent(email)}`);
  /** The replies to each RCPT. */
  const name = async (recipients: string[], client = talk): Promise<string[]> => {
    await client.say(`MAIL FROM:<${program.from}>`);
    const answers: string[] = [];
    for (const recipient of recipients) answers.push(await client.say(`RCPT TO:<${recipient}>`));
    return answers;
  };
  const hand = async (fields = '', client = talk): Promise<string> => {
    expect(await client.say('DATA')).toMatch(/^354 /);
    return client.say(`From: ${program.from}\r\nSubject: recipients\r\n${fields}\r\ntext\r\n.`);
  };
  const statuses = async (answer: string): Promise<Record<string, string>> => {
    const { recipients } = (await (await program.call('GET', `/emails/${answer.slice(-35)}`)).json()) as {
      recipients: { address: string; status: string }[];
    };
    return Object.fromEntries(recipients.map(({ address, status }) => [address, status]));
  };
  const some = (count: number, what: string) => Array.from({ length: count }, (_, i) => `${what}${i}@example.com`);

  it('a hundred of three hundred get the mail, the others 452 (RFC 5321 §4.5.3.1.10)', async () => {
    const answers = await name(some(300, 'many'));
    expect(answers.slice(0, 100).every((answer) => answer.startsWith('250 2.1.5 '))).toBe(true);
    expect(answers.slice(100).every((answer) => answer.startsWith('452 4.5.3 '))).toBe(true);
    expect(await hand()).toMatch(QUEUED);
  });

  it('the others get it when 150 are suppressed; without any recipient left the session continues', async () => {
    const gone = some(150, 'gone');
    for (const email of gone) await suppress(email);
    const answers = await name([...gone, 'here@example.com']);
    expect(answers.slice(0, 150).every((answer) => LISTED.test(answer))).toBe(true);
    expect(await hand()).toMatch(QUEUED);
    expect((await name(gone)).every((answer) => LISTED.test(answer))).toBe(true);
    expect(await talk.say('DATA')).toMatch(/^503 5\.5\.1 /);
    expect(await talk.say('RSET')).toMatch(/^250 /);
  });

  it('an address suppressed between RCPT and the final dot is left out, and the others get the mail', async () => {
    await name(['late-a@example.com', 'late-b@example.com']);
    await suppress('late-a@example.com');
    await later(FRESH_MS + 100);
    const answer = await hand('To: late-a@example.com\r\n');
    expect(answer).toMatch(QUEUED);
    await until(async () => (await statuses(answer))['late-b@example.com'] === 'delivered', { what: 'delivery' });
    expect(await statuses(answer)).toEqual({ 'late-a@example.com': 'suppressed', 'late-b@example.com': 'delivered' });
    await name(['late-b@example.com']);
    await suppress('late-b@example.com');
    await later(FRESH_MS + 100);
    expect(await hand()).toMatch(/^550 5\.7\.1 .*late-b@example\.com/);
  });

  it('one or two addresses that are all suppressed for the sending domain are rejected', async () => {
    for (const email of some(2, 'domain')) await suppress(email, { domain_id: domainId });
    for (const count of [1, 2]) {
      expect(await name(some(count, 'domain'))).toEqual(Array(count).fill(expect.stringMatching(/^250 2\.1\.5 /)));
      expect(await hand()).toMatch(/^550 5\.7\.1 .*domain0@example\.com/);
    }
    await name(['domain0@example.com', 'elsewhere@example.com']);
    const answer = await hand();
    expect(answer).toMatch(QUEUED);
    expect((await statuses(answer))['domain0@example.com']).toBe('suppressed');
  });

  it('quoted local parts are accepted in RCPT and in headers, and are the same address as without needless quotes', async () => {
    const answers = await name(['"ada lovelace"@example.com', '"a, <c>"@example.com', '"plain"@example.com']);
    expect(answers).toEqual(Array(3).fill(expect.stringMatching(/^250 2\.1\.5 /)));
    const answer = await hand('To: Ada <"ada lovelace"@example.com>\r\nCc: plain@example.com\r\n');
    expect(answer).toMatch(QUEUED);
    const all = ['"ada lovelace"@example.com', '"a, <c>"@example.com', 'plain@example.com'];
    const delivered = Object.fromEntries(all.map((address) => [address, 'delivered']));
    await until(async () => Object.values(await statuses(answer)).every((status) => status === 'delivered'), {
      what: 'delivery',
    });
    expect(await statuses(answer)).toEqual(delivered);
    const captured = await program.call('GET', `/captured?email_id=${answer.slice(-35)}`);
    const { data } = (await captured.json()) as { data: { rcpt_to: string[] }[] };
    expect(data.flatMap(({ rcpt_to }) => rcpt_to).toSorted()).toEqual(all.toSorted());

    await suppress('"quoted"@example.com');
    await suppress('"two words"@example.com');
    expect((await name(['quoted@example.com', '"two\\ words"@example.com'])).every((line) => LISTED.test(line))).toBe(
      true,
    );
    expect(await talk.say('RSET')).toMatch(/^250 /);
    expect(await name(['""@example.com', '"open@example.com', '"a"b@example.com', '"a@b"@example.com'])).toEqual(
      Array(4).fill(expect.stringMatching(/^501 5\.1\.3 /)),
    );
  });

  it('quoted local parts are accepted over the API, in every field but from', async () => {
    const send = (fields: object) =>
      program.call('POST', '/emails', { from: program.from, subject: 'quoted', text: 'x', ...fields });
    const to = ['"grace hopper"@example.com', '"grace"@example.com', 'grace@example.com'];
    const cc = '"GRACE"@example.com';
    const accepted = await send({ to, cc, reply_to: 'Help <"help desk"@example.com>' });
    expect(accepted.status).toBe(201);
    const { id } = (await accepted.json()) as { id: string };
    expect(Object.keys(await statuses(id)).toSorted()).toEqual(['"grace hopper"@example.com', 'grace@example.com']);
    const refused = await send({ to: 'a@example.com', from: '"news"@example.com' });
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({
      details: [{ field: 'from', message: expect.stringContaining('quoted local part') as string }],
    });
  });

  it('the recipients of the first submission identify a repeat, even if one was suppressed or freed since', async () => {
    const key = 'X-Service-Idempotency-Key: bounced\r\n';
    const all = some(3, 'again');
    await suppress(all[2]);
    expect((await name(all))[2]).toMatch(LISTED);
    const first = await hand(key);
    expect(first).toMatch(QUEUED);
    await suppress(all[0]);
    expect((await name(all))[0]).toMatch(LISTED);
    expect(await hand(key)).toBe(first);
    for (const email of all) await free(email);
    await name([...all].reverse());
    expect(await hand(key)).toBe(first);
  });

  it('the accepted recipients identify a repeat too, since a server does not repeat rejected ones', async () => {
    const key = 'X-Service-Idempotency-Key: refused\r\n';
    const all = some(3, 'left');
    await suppress(all[2]);
    await name(all);
    const first = await hand(key);
    await name(all.slice(0, 2));
    expect(await hand(key)).toBe(first);
    await suppress(all[0]);
    expect((await name(all.slice(0, 2)))[0]).toMatch(LISTED);
    expect(await hand(key)).toBe(first);
    await name([all[1]]);
    expect(await hand(key)).not.toBe(first);
  });

  it('test mail ignores the suppression list', async () => {
    await suppress('spared@example.com');
    const made = await program.call('POST', '/api-keys', { name: 'test', mode: 'test' });
    const { token } = (await made.json()) as { token: string };
    const client = await SmtpTalk.loggedIn(program.ports.smtps, program.from, token);
    expect(await name(['spared@example.com'], client)).toEqual([expect.stringMatching(/^250 2\.1\.5 /)]);
    expect(await hand('', client)).toMatch(QUEUED);
    client.close();
  });
});
