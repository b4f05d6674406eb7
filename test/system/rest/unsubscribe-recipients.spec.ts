import { beforeAll, describe, expect, it } from 'vitest';
import { openAccount, type ServiceAccount } from '../../support/services/service-client.js';
import { until } from '../../support/timing/until.js';
import { relayClient } from '../../support/services/relay-client.js';
import { capturedEntries, type Captured } from '../../support/services/captured.js';

/** One-click unsubscription (RFC 8058) from the header of a received mail to the next mail. */
describe('unsubscribing by the link of a mail', () => {
  let program: ServiceAccount;
  beforeAll(async () => {
    program = await openAccount('rest');
  });

  const send = (over: Record<string, unknown>) =>
    program.call('POST', '/emails', program.mail({ list_unsubscribe: true, ...over }));
  const idOf = async (answer: Response) => {
    expect(answer.status).toBe(201);
    return ((await answer.json()) as { id: string }).id;
  };
  const captured = (id: string, count?: number) => capturedEntries(program, id, count);
  /** The values of the fields of a captured mail, unfolded. */
  const fields = async ({ id }: Captured) => {
    const raw = await (await program.call('GET', `/captured/${id}/raw`)).text();
    const head = raw.slice(0, raw.indexOf('\r\n\r\n')).replace(/\r\n[ \t]+/g, ' ');
    return new Map(head.split('\r\n').map((line) => line.split(/: ?(.*)/s, 2) as [string, string]));
  };
  const linkIn = async (mails: Captured) => {
    const [, url] = /<(http[^>]+)>/.exec((await fields(mails)).get('List-Unsubscribe') ?? '') ?? [];
    return url;
  };
  const click = (url: string) =>
    fetch(url, { method: 'POST', body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }) });
  const status = async (id: string) =>
    ((await (await program.call('GET', `/emails/${id}`)).json()) as { status: string }).status;
  const relay = () => relayClient(program);

  it('suppresses only the recipient of that copy, at once, over REST and SMTP', async () => {
    const [ada, bob, cy] = ['ada', 'bob', 'cy'].map((name) => `${name}@example.com`);
    const mails = await captured(await idOf(await send({ to: [ada, bob], bcc: cy })), 3);
    expect(mails.map(({ rcpt_to }) => rcpt_to.join()).sort()).toEqual([ada, bob, cy]);
    const links = await Promise.all(mails.map(linkIn));
    expect(new Set(links).size).toBe(3);
    for (const one of mails) {
      expect((await fields(one)).get('List-Unsubscribe-Post')).toBe('List-Unsubscribe=One-Click');
      expect((await fields(one)).get('DKIM-Signature')).toMatch(
        /h=.*:list-unsubscribe:list-unsubscribe:list-unsubscribe-post:/,
      );
    }
    const waiting = await idOf(await send({ to: bob, scheduled_at: new Date(Date.now() + 2_500).toISOString() }));

    expect((await click(links[mails.findIndex(({ rcpt_to }) => rcpt_to[0] === bob)])).status).toBe(200);
    expect((await send({ to: bob })).status).toBe(422);
    expect((await send({ to: ada })).status).toBe(201);
    await until(async () => (await status(waiting)) === 'suppressed');
    await expect(relay().sendMail({ from: program.from, to: bob, subject: 's', text: 't' })).rejects.toThrow(
      /550 5\.7\.1/,
    );
    const { response } = await relay().sendMail({ from: program.from, to: [ada, bob], subject: 's', text: 't' });
    expect(await captured(response.slice(-35))).toMatchObject([{ rcpt_to: [ada] }]);
  });

  it('is requested over SMTP by a control header, which is removed', async () => {
    const ask = (headers: Record<string, string>) =>
      relay().sendMail({
        from: program.from,
        to: ['dora@example.com', 'eve@example.com'],
        subject: 's',
        text: 't',
        headers,
      });
    const { response } = await ask({ 'X-Service-List-Unsubscribe': 'one-click' });
    const mails = await captured(response.slice(-35), 2);
    expect((await fields(mails[0])).has('X-Service-List-Unsubscribe')).toBe(false);
    expect((await click(await linkIn(mails[0]))).status).toBe(200);
    expect((await send({ to: mails[0].rcpt_to[0] })).status).toBe(422);
    expect((await send({ to: mails[1].rcpt_to[0] })).status).toBe(201);
    await expect(ask({ 'X-Service-List-Unsubscribe': 'yes' })).rejects.toThrow(/554 5\.6\.0/);
    await expect(
      ask({ 'X-Service-List-Unsubscribe': 'one-click', 'List-Unsubscribe': '<https://example.com/u>' }),
    ).rejects.toThrow(/554 5\.6\.0/);
  });
});
