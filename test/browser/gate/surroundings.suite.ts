import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Profile } from '../../support/browser/chromium.js';
import { publish } from '../../support/dns/local-dns.js';
import { until } from '../../support/timing/until.js';
import { WebhookReceiver } from '../../support/webhooks/webhook-receiver.js';
import type { Stage } from './stage.js';

const NO_MAILBOX = '550 5.1.1 No such user here';
const GONE = 'nobody@gone.example';

interface Domain {
  id: string;
  status: string;
  warning_since: string | null;
  records: { record: string; type: string; name: string; value: string }[];
}

/** The settings of these tests. */
export const SURROUNDINGS = { DOMAIN_CHECK_INTERVAL: '500ms', WEBHOOK_RETRY_SCHEDULE: '1s,1h' };

/** Statements of the pages about trouble outside the service: an endpoint, a DNS record, the mailbox of a person. */
export function surroundingsSuite(stage: () => Stage): void {
  let owner: Profile;
  beforeAll(async () => {
    owner = await stage().stranger();
    await owner.page.goto(await stage().loginLink());
    await owner.heading().waitFor();
  });
  afterAll(() => owner?.context.close());

  it('says which endpoint of a webhook fails, since when, and what waits', async () => {
    const { service } = stage();
    const endpoint = await WebhookReceiver.start();
    endpoint.script('/down', 500);
    const url = endpoint.url('/down');
    const { id } = await service.json<{ id: string }>('POST', '/webhooks', { url, events: ['email.delivered'] });
    await service.send({ to: 'reader@example.com' });
    await endpoint.waitFor('/down', 2);
    await owner.visit('Webhooks');
    const row = owner.page.getByRole('row').filter({ hasText: '/down' });
    await row.getByText('failing', { exact: true }).waitFor();
    await row.getByText(/^since /).waitFor();
    await owner.visit('Overview');
    await owner.page.getByRole('alert').getByText('1 event waits.').waitFor();
    await owner.link(new URL(url).host).click();
    await owner.page.getByText('Calls are failing').waitFor();
    await owner.page.getByText('HTTP 500').locator('visible=true').first().waitFor();
    expect(await owner.page.locator('[data-number=Waiting]').innerText()).toBe('1');
    await service.call('DELETE', `/webhooks/${id}`);
    await endpoint.close();
  });

  it('does not call a domain active whose DKIM record is missing', async () => {
    const { service, network } = stage();
    const { id, records } = await service.json<Domain>('POST', '/domains', { name: 'shop.example.org' });
    publish(network.dns, records);
    const becomes = (judge: (domain: Domain) => boolean, what: string) =>
      until(async () => judge(await service.json<Domain>('GET', `/domains/${id}`)), { what, everyMs: 250 });
    await becomes(({ status }) => status === 'active', 'the domain to be active');
    const [dkim] = records.filter(({ record, type }) => record === 'DKIM' && type === 'TXT');
    network.dns.remove(dkim.name);
    // A check may be asked for once in ten seconds.
    await until(async () => (await service.call('POST', `/domains/${id}/verify`)).ok, { what: 'the check' });
    await becomes(({ warning_since }) => warning_since !== null, 'the missing record to be noticed');
    await owner.visit('Domains');
    const row = owner.page.getByRole('row').filter({ hasText: 'shop.example.org' });
    await row.getByText('records missing').waitFor();
    expect(await row.getByText('active', { exact: true }).count()).toBe(0);
    await owner.visit('Overview');
    await owner.page.getByRole('main').getByText('records missing').waitFor();
    await owner.open(`/app/domains/${id}`);
    await owner.page.getByText('DNS records are missing').waitFor();
    await owner.page.getByText('Emails are still sent', { exact: false }).waitFor();
  });

  it('marks a person whom no mail reaches, says why, and sends again', async () => {
    let isGone = true;
    const mx = await stage().network.mailServer('gone.example', {
      on: { rcpt: () => (isGone ? NO_MAILBOX : undefined) },
    });
    await owner.visit('Team');
    await owner.button('Invite').click();
    await owner.page.getByRole('textbox', { name: 'Email' }).fill(GONE);
    await owner.button('Send invitation').click();
    const row = owner.page
      .getByRole('table', { name: 'Pending invitations' })
      .getByRole('row')
      .filter({ hasText: GONE });
    await row.waitFor();
    const mark = row.locator('[data-mail-problem]');
    await until(
      async () => {
        await owner.page.reload();
        await row.waitFor();
        return (await mark.count()) === 1;
      },
      { what: 'the mark', everyMs: 500 },
    );
    expect(await mark.innerText()).toMatch(/^Mail to this person fails, since .*No such user here/s);
    await owner.visit('Accounts');
    await owner.button('Create account').click();
    await owner.page.getByRole('textbox', { name: 'Name' }).fill('Nobody Ltd');
    await owner.page.getByRole('textbox', { name: 'Email of the owner' }).fill(GONE);
    await owner.page.getByRole('dialog').getByRole('button', { name: 'Create account' }).click();
    await owner.page.getByText(`${GONE} was not invited`).waitFor();
    expect(await owner.page.getByText('on its way').count()).toBe(0);
    await owner.link('suppressions').click();
    await owner.page.getByRole('table', { name: 'Suppressions' }).getByText(GONE).waitFor();

    isGone = false;
    await owner.visit('Team');
    await row.getByRole('button', { name: 'Send again' }).click();
    await until(async () => mx.accepted.some(({ recipients }) => recipients.includes(GONE)), {
      what: 'the invitation',
    });
    await owner.page.reload();
    await row.waitFor();
    expect(await mark.count()).toBe(0);
  });
}
