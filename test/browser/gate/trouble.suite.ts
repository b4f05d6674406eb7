import { VERSION } from '../../support/services/program.js';
import { beforeAll, expect, it } from 'vitest';
import type { Profile } from '../../support/browser/chromium.js';
import { hangDatabase } from '../../support/persistence/hang-database.js';
import { until } from '../../support/timing/until.js';
import type { Stage } from './stage.js';

const LISTED = ['listed.example', 'refusing.example'];
const REPLY = '554 5.7.1 Service unavailable; Client host [127.0.0.1] blocked using zen.spamhaus.org';
const REFUSAL = '2 queues refuse us: listed at zen.spamhaus.org';

/** What the pages say while something is wrong. The last suite: its block list stays. */
export function troubleSuite(stage: () => Stage): void {
  let owner: Profile;
  beforeAll(async () => {
    owner = await stage().stranger();
    await owner.page.goto(await stage().loginLink());
    await owner.heading().waitFor();
  });

  it('shows a block list with the reply on the service page, on the overview, and to operators on every page', async () => {
    const { network, service } = stage();
    await owner.visit('Service');
    await owner.page.locator('[data-service-state]').waitFor();
    for (const domain of LISTED) await network.mailServer(domain, { on: { rcpt: REPLY } });
    await Promise.all(LISTED.map((domain) => service.send({ to: `first@${domain}` })));
    const begun = () => service.output().split('delivery_blocked begins').length - 1;
    await until(async () => begun() === LISTED.length, { what: 'the warnings' });
    await Promise.all(LISTED.map((domain) => service.send({ to: `second@${domain}` })));
    await owner.visit('Overview');
    await owner.page.getByRole('main').getByText('2 domains refuse us: listed at zen.spamhaus.org').waitFor();
    for (const domain of LISTED) await owner.link(domain).first().waitFor();
    await owner.visit('Domains');
    const banner = owner.page.getByRole('alert').filter({ hasText: REFUSAL });
    // Pages ask every half minute.
    await banner.getByText(REPLY).waitFor({ timeout: 75_000 });
    await banner.getByRole('link', { name: 'State of the service' }).click();
    const state = owner.page.locator('[data-service-state=warning]');
    await state.getByText('2 queues refuse us: our address is listed at zen.spamhaus.org.').waitFor();
    await state.getByText(REPLY).waitFor();
    await owner.page.getByText(`Postloft ${VERSION}`).waitFor();
    for (const figure of ['Accepted per minute', 'Delivered per minute'])
      expect(await owner.page.locator(`[data-number="${figure}"]`).innerText(), figure).toMatch(/\d/);
    await owner.page.getByText('Event log', { exact: true }).last().waitFor();
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    expect(metrics).toContain('postloft_delivery_blocked{provider="other",source=""} 2');
    expect(metrics).toContain('postloft_conditions{condition="delivery_blocked"} 2');
  });

  it('keeps its frame and the readiness while the database hangs, also after a reload, and continues by itself', async () => {
    const { service } = stage();
    const { page } = owner;
    // The other browser asks from time to time, too.
    for (const one of [owner, stage().owner]) one.expected.push(/status of 503/, /WebSocket/);
    await owner.visit('Service');
    await page.locator('[data-service-state]').waitFor();
    const goOn = hangDatabase(service.dataDir);
    try {
      const notice = page.getByRole('alert').filter({ hasText: 'The database does not answer.' });
      await notice.getByText(/Database: .*does not answer, since/).waitFor();
      // The figures of before stay.
      await page.locator('[data-number=PostgreSQL]').waitFor();
      await page
        .getByRole('table', { name: 'Readiness' })
        .getByText(/does not answer/)
        .waitFor();
      expect(await page.locator('[data-number=PostgreSQL]').count()).toBe(1);
      await page.reload();
      await notice.waitFor();
      await page.getByRole('heading', { level: 1, name: 'Service' }).waitFor();
      await page.getByRole('navigation').getByRole('link', { name: 'Queues', exact: true }).waitFor();
      const database = page.getByRole('table', { name: 'Readiness' }).getByRole('row', { name: 'Database' });
      await database.getByText(/does not answer/).waitFor();
      await database.getByText(/since/).waitFor();
    } finally {
      goOn();
    }
    await page.locator('[data-service-state=warning]').waitFor();
    await page.getByText('The database does not answer.').waitFor({ state: 'detached' });
    await owner.visit('Emails');
  });
}
