import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { expect, it } from 'vitest';
import { printedLoginLink } from '../../support/browser/chromium.js';
import type { ScriptedMx } from '../../support/mail-servers/scripted-mx.js';
import type { DnsName } from '../../support/dns/local-dns.js';
import { until } from '../../support/timing/until.js';
import type { Stage } from './stage.js';

const run = promisify(execFile);
const DOMAIN = 'news.example.org';

/** From the printed link to a delivered message and a domain of one's own, by what the pages say and nothing else. */
export function firstMessageSuite(stage: () => Stage): void {
  it('logs the first owner in by the printed link', async () => {
    const { owner, service } = stage();
    await owner.page.goto(await printedLoginLink(service));
    await owner.page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    expect(new URL(owner.page.url()).pathname).toBe('/app/');
  });

  it('leads to a key, and shows a command that sends a message, which then is delivered', async () => {
    const { owner, mx } = stage();
    await owner.visit('Getting started');
    await owner.page.getByText('Your email appears here as soon as it is accepted.').waitFor();
    await owner.button('Create sending key').click();
    await owner.page.getByText("Copy this key now: it won't be shown again.").waitFor();
    const command = await owner.page.getByLabel('curl example', { exact: true }).innerText();
    const { stdout } = await run('sh', ['-c', `${command.trim()} --silent --show-error`]);
    expect(JSON.parse(stdout)).toHaveProperty('id');
    await mx.waitForMails(1);
    await owner.page.getByText('The last email is delivered.').waitFor();
    await owner.link('The last email').click();
    await owner.page.getByRole('heading', { level: 1, name: 'Hello' }).waitFor();
    await owner.page.getByRole('cell', { name: /^mx\.example\.com/ }).waitFor();
  });

  it('sends a message from the page and shows how it is delivered', async () => {
    const { owner, mx } = stage();
    await owner.visit('Getting started');
    await owner.page.getByRole('textbox', { name: 'To' }).fill('me@example.com');
    await owner.button('Send an email now').click();
    await owner.page.getByText('Delivered to mx.example.com').waitFor();
    expect(mx.accepted.at(-1)?.recipients).toEqual(['me@example.com']);
    await owner.link('View this email').click();
    await owner.page.getByRole('heading', { level: 1, name: 'Your first email' }).waitFor();
  });

  it('offers the simulator for a first try, from which no mail leaves the service', async () => {
    const { owner, mx } = stage();
    await owner.visit('Getting started');
    const before = mx.accepted.length;
    const to = owner.page.getByRole('textbox', { name: 'To' });
    expect(await to.inputValue()).toBe('delivered@sim.postloft.test');
    await owner.button('Send an email now').click();
    await owner.page.getByText('Delivered by the simulator').waitFor();
    expect(mx.accepted.length).toBe(before);
    await owner.link('View in Captured').click();
    await owner.page.getByRole('heading', { level: 1, name: 'Your first email' }).waitFor();
    await owner.visit('Getting started');
    await owner.button('Simulator: bounced').click();
    expect(await to.inputValue()).toBe('bounced@sim.postloft.test');
    await owner.button('My address').click();
    await owner.page.getByText('If it bounces, no member of the account is suppressed.').waitFor();
  });

  it('shows why the first message was not delivered', async () => {
    const { owner } = stage();
    await owner.visit('Getting started');
    await owner.page.getByRole('textbox', { name: 'To' }).fill('bounced@sim.postloft.test');
    await owner.button('Send an email now').click();
    await owner.page.getByText('The email bounced.').waitFor();
    await owner.page.getByText('Server reply').waitFor();
  });

  it('shows the settings of the relay, with which a message is accepted', async () => {
    const { owner, mx } = stage();
    await owner.visit('Getting started');
    await owner.button('Create sending key').click();
    await owner.page.getByText("Copy this key now: it won't be shown again.").waitFor();
    await owner.page.getByRole('tab', { name: 'SMTP' }).click();
    const shown = await owner.page.getByLabel('SMTP example', { exact: true }).innerText();
    const value = (name: string) => new RegExp(`^${name}: +(.*)$`, 'm').exec(shown)?.[1] ?? '';
    const [starttls, tls] = value('Port').match(/\d+/g) ?? [];
    for (const port of [starttls, tls])
      await createTransport({
        host: value('Host'),
        port: Number(port),
        secure: port === tls,
        requireTLS: true,
        auth: { user: value('User name'), pass: value('Password') },
        tls: { ca: readFileSync(join(stage().service.dataDir, 'smtp-certificate.pem')) },
      }).sendMail({ from: value('User name'), to: `port-${port}@example.com`, subject: 'Hello', text: 'It works.' });
    await until(async () => [starttls, tls].every((port) => arrivedAt(mx, `port-${port}@example.com`)), {
      what: 'the messages from the relay',
    });
  });

  it('verifies a domain whose records, as the page shows them, are in DNS', async () => {
    const { owner, network } = stage();
    await owner.visit('Domains');
    await owner.button('Add domain').click();
    await owner.page.getByRole('textbox', { name: 'Domain' }).fill(DOMAIN);
    await owner.button('Add').click();
    await owner.page.getByRole('heading', { level: 1, name: DOMAIN }).waitFor();
    expect(await owner.page.locator('main').getByText('active', { exact: true }).count()).toBe(0);
    await owner.page.getByText('these records are verified: SPF, DKIM, DMARC').waitFor();
    for (const [name, records] of await shownRecords(stage())) network.dns.set(name, records);
    await owner.button('Verify now').click();
    await owner.page.locator('main').getByText('active', { exact: true }).waitFor();
    // The proposed DMARC record, now verified, has the policy none.
    const advice = owner.page.locator('[data-severity]');
    await advice.filter({ hasText: 'The DMARC policy is none' }).getByText('p=quarantine; rua=').waitFor();
    expect(await advice.filter({ hasText: 'these records are verified' }).count()).toBe(0);
    expect(network.dns.questions.some(({ name }) => name.endsWith(DOMAIN))).toBe(true);
  });

  it('says of a domain that the operator vouches for that its records are not checked', async () => {
    const { owner, service } = stage();
    await owner.visit('Domains');
    await owner.page.getByRole('link', { name: service.from.split('@')[1] }).click();
    const main = owner.page.locator('main');
    await main.getByText('Records are not checked').waitFor();
    expect(await main.getByText('not checked', { exact: true }).count()).toBe(4);
    expect(await main.getByText('verified', { exact: true }).count()).toBe(0);
    expect(await owner.button('Verify now').count()).toBe(0);
    await owner.visit('Domains');
    await owner.page.getByRole('link', { name: DOMAIN }).click();
    await owner.page.getByRole('heading', { level: 1, name: DOMAIN }).waitFor();
  });

  it('keeps content of a domain for a shorter time, or as long as the service does', async () => {
    const { owner, service } = stage();
    const kept = async () => {
      const id = new URL(owner.page.url()).pathname.split('/').at(-1);
      const { body_retention_days, captured_retention_days } = (await (
        await service.call('GET', `/domains/${id}`)
      ).json()) as Record<string, unknown>;
      return [body_retention_days, captured_retention_days];
    };
    const bodies = owner.page.getByRole('textbox', { name: 'Content of settled emails' });
    await bodies.fill('3');
    await owner.page.getByRole('textbox', { name: 'Captured emails' }).fill('1');
    await owner.button('Save').click();
    await until(async () => String(await kept()) === '3,1', { what: 'the periods of the domain' });
    await bodies.fill('');
    await owner.button('Save').click();
    await until(async () => JSON.stringify(await kept()) === '[null,1]', { what: 'the period of the service' });
  });
}

const arrivedAt = (mx: ScriptedMx, address: string): boolean =>
  mx.accepted.some(({ recipients }) => recipients.includes(address));

/** The table of DNS records, for the DNS server. */
async function shownRecords({ owner }: Stage): Promise<Map<string, DnsName>> {
  const rows = owner.page.getByRole('table').first().locator('tbody tr');
  const zone = new Map<string, DnsName>();
  for (const row of await rows.all()) {
    const [, type, name, value] = (await row.locator('td').allInnerTexts()).map((text) => text.split('\n')[0].trim());
    const known = zone.get(name) ?? {};
    if (type === 'TXT') zone.set(name, { ...known, TXT: [...(known.TXT ?? []), value] });
    else if (type === 'CNAME') zone.set(name, { CNAME: value });
    else if (type === 'MX') {
      const [preference, exchange] = value.split(' ');
      zone.set(name, { ...known, MX: [{ preference: Number(preference), exchange: exchange.replace(/\.$/, '') }] });
    } else throw new Error(`The page shows a record of the type ${type}: ${name} ${value}`);
  }
  expect(zone.size).toBeGreaterThan(1);
  return zone;
}
