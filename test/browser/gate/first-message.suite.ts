import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { printedLoginLink } from '../../support/chromium.js';
import type { DnsName } from '../../support/local-dns.js';
import { until } from '../../support/until.js';
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
    await owner.page.getByText('The message appears here as soon as it has been accepted.').waitFor();
    await owner.button('Create a key for sending').click();
    await owner.page.getByText('Copy it now: it is not shown again.').waitFor();
    const command = await owner.page.getByLabel('curl example', { exact: true }).innerText();
    const { stdout } = await run('sh', ['-c', `${command.trim()} --silent --show-error`]);
    expect(JSON.parse(stdout)).toHaveProperty('id');
    await mx.waitForMails(1);
    await owner.page.getByText('The last message is delivered.').waitFor();
    await owner.link('The last message').click();
    await owner.page.getByRole('heading', { level: 1, name: 'Hello' }).waitFor();
    await owner.page.getByRole('cell', { name: /^mx\.example\.com/ }).waitFor();
  });

  it('verifies a domain whose records, as the page shows them, are in DNS', async () => {
    const { owner, network } = stage();
    await owner.visit('Domains');
    await owner.button('Add a domain').click();
    await owner.page.getByRole('textbox', { name: 'Domain' }).fill(DOMAIN);
    await owner.button('Add').click();
    await owner.page.getByRole('heading', { level: 1, name: DOMAIN }).waitFor();
    expect(await owner.page.locator('main').getByText('active', { exact: true }).count()).toBe(0);
    for (const [name, records] of await shownRecords(stage())) network.dns.set(name, records);
    await owner.button('Verify now').click();
    await owner.page.locator('main').getByText('active', { exact: true }).waitFor();
    expect(network.dns.questions.some(({ name }) => name.endsWith(DOMAIN))).toBe(true);
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
    const bodies = owner.page.getByRole('textbox', { name: 'Content of settled messages' });
    await bodies.fill('3');
    await owner.page.getByRole('textbox', { name: 'Captured messages' }).fill('1');
    await owner.button('Save the periods').click();
    await until(async () => String(await kept()) === '3,1', { what: 'the periods of the domain' });
    await bodies.fill('');
    await owner.button('Save the periods').click();
    await until(async () => JSON.stringify(await kept()) === '[null,1]', { what: 'the period of the service' });
  });
}

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
