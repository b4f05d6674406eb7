import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeInChromium, type Profile } from '../../support/browser/chromium.js';
import { hangDatabase } from '../../support/persistence/hang-database.js';
import { until } from '../../support/timing/until.js';
import { Statements } from './statements.js';
import { World } from './world.js';

const REPLY = '554 5.7.1 Service unavailable; Client host [127.0.0.1] blocked using zen.spamhaus.org';
const LISTED = ['listed.example', 'refusing.example'];
const WAITING_EACH = 3;
const WELL = /All systems operational/;
const NOT_ACCEPTED = /No emails are accepted/;
const DOWN = 'The database does not answer.';
/** Pages of every kind: live, with lists, with figures, of the operator. */
const PAGES = ['Overview', 'Emails', 'Statistics', 'Webhooks', 'Domains', 'Team', 'Queues', 'Service'];

const percent = (part: number, whole: number): string => `${Number(((100 * part) / whole).toFixed(1))}%`;

/** One evening: what breaks, what each page says of it, and whether that is true. Each trouble ends before the next. */
describeInChromium('The dashboard of a service in trouble', () => {
  let world: World;
  let operator: Profile;
  let statements: Statements;
  let accepted = 0;
  let delivered = 0;
  let bounced = 0;

  beforeAll(async () => {
    world = await World.open();
    await world.network.mailServer('well.example');
    operator = await world.operator();
    operator.expected.push(/status of 503/, /WebSocket/);
    statements = new Statements(operator);
  });
  afterAll(async () => {
    statements?.print();
    await world?.close();
  });

  /** Sends to a server that takes all mail, and waits for it. */
  const deliver = async (count: number): Promise<string[]> => {
    const ids: string[] = [];
    for (let i = 0; i < count; i += 1) ids.push(await world.service.send({ to: `reader-${i}@well.example` }));
    for (const id of ids)
      await until(async () => (await world.statusOf(id)) === 'delivered', { what: `the delivery of ${id}` });
    accepted += count;
    delivered += count;
    return ids;
  };

  const counts = () => [
    {
      truth: `${accepted} accepted`,
      says: [{ shows: '[data-number=Accepted]', words: new RegExp(`^${accepted}$`) }],
    },
    {
      truth: `${delivered} delivered`,
      says: [{ shows: '[data-number=Delivered]', words: new RegExp(`^${delivered}$`) }],
    },
  ];

  const shares = () => [
    counts()[0],
    {
      truth: `${delivered} delivered, ${bounced} bounced`,
      says: [
        `of ${delivered + bounced} settled recipients`,
        { shows: '[data-number="Delivery rate"]', words: new RegExp(`^${percent(delivered, delivered + bounced)}$`) },
      ],
    },
  ];

  it('says that nothing is wrong while nothing is', async () => {
    statements.about('none');
    await deliver(3);
    await statements.onPage('Service', {
      truth: 'nothing is wrong',
      says: [{ shows: '[data-service-state=ok]', words: WELL }],
    });
    await statements.onPage('Overview', ...counts(), { truth: 'nothing waits', says: ['Nothing is waiting.'] });
    await statements.onPage('Queues', { truth: 'nothing waits', says: ['Nothing is waiting'] });
    await statements.onPage('Statistics', ...shares());
    await statements.onPage('Domains', { truth: 'the domain may send', says: [/^active$/] });
  });

  it('says which endpoint of a webhook fails, since when, and what waits', async () => {
    statements.about('endpoint answers 500');
    const { endpoint, service } = world;
    endpoint.script('/down', 500);
    const begun = Date.now();
    const url = endpoint.url('/down');
    const { id } = await service.json<{ id: string }>('POST', '/webhooks', { url, events: ['email.delivered'] });
    const [email] = await deliver(2);
    // Two calls for each event; the third comes in an hour.
    await endpoint.waitFor('/down', 4);
    const events = new Set(endpoint.callsTo('/down').map(({ headers }) => headers['webhook-id'])).size;
    const minutes = Math.ceil((Date.now() - begun) / 60_000);
    await statements.onPage('Webhooks', {
      truth: `no call has succeeded for ${minutes} min; ${events} events wait`,
      says: [
        { shows: '[role=row]', words: /failing/ },
        { shows: '[role=row]', words: /since .*(second|minute)s? ago/ },
      ],
      never: [/^enabled$/],
    });
    await statements.at(
      'Webhook',
      `/app/webhooks/${id}`,
      { truth: 'no call has succeeded', says: ['Calls are failing', /^No call has succeeded since .*202\d/] },
      { truth: `${events} events wait`, says: [{ shows: '[data-number=Waiting]', words: new RegExp(`^${events}$`) }] },
      { truth: 'the endpoint answers 500', says: ['HTTP 500'], never: [/^enabled$/] },
      { truth: 'the next call is in an hour', says: [/next call in (1 hour|59 minutes|60 minutes)/] },
    );
    await statements.onPage('Overview', ...counts(), {
      truth: 'the endpoint fails',
      says: [new RegExp(`${new URL(url).host}.*(fail|fails|failing)`)],
    });
    await statements.at('Email', `/app/emails/${email}`, {
      truth: 'the email was delivered all the same',
      says: [/^delivered$/],
    });
    await statements.onPage('Service', {
      truth: 'mail flows: a customer’s endpoint is no trouble of the service',
      says: [{ shows: '[data-service-state=ok]', words: WELL }],
    });
    await service.call('DELETE', `/webhooks/${id}`);
  });

  it('says which DNS record of a domain is missing, before and after the domain loses its right to send', async () => {
    statements.about('DKIM record removed');
    const { service } = world;
    const domain = await world.verifiedDomain('shop.example.org');
    const mail = { from: `orders@${domain.name}`, to: 'reader@well.example' };
    world.setDkim(domain, false);
    await world.verify(domain);
    const path = `/app/domains/${domain.id}`;
    const missing = async () =>
      (await service.json<{ warning_since: string | null }>('GET', `/domains/${domain.id}`)).warning_since !== null;
    await until(missing, { what: 'the missing record to be noticed', everyMs: 250 });
    expect((await service.call('POST', '/emails', service.mail(mail))).status).toBe(201);
    accepted += 1;
    delivered += 1;
    await statements.at(
      'Domain',
      path,
      {
        truth: 'a required record is missing; the domain still sends',
        says: ['DNS records are missing', /Emails are still sent/],
      },
      { truth: 'DKIM is gone', says: [{ shows: 'tr', words: /DKIM.*failed/ }, /DKIM/] },
      { truth: 'SPF is there', says: [{ shows: 'tr', words: /SPF.*verified/ }] },
    );
    const notPlainlyActive = {
      truth: 'a required record is missing; the domain still sends',
      says: [/records are missing|records missing/],
    };
    await statements.onPage('Domains', notPlainlyActive);
    await statements.onPage('Overview', notPlainlyActive);

    await world.domainBecomes(domain, 'failed');
    expect((await service.call('POST', '/emails', service.mail(mail))).status).toBe(422);
    const refused = 'the record was missing for the whole grace period; sending is refused';
    await statements.at('Domain', path, {
      truth: refused,
      says: [{ shows: 'main', words: /failed/ }, /Nothing can be sent|cannot be sent|refused/],
      never: [/Emails are still sent/],
    });
    await statements.onPage('Domains', { truth: refused, says: [/^failed$/] });
    await statements.onPage('Overview', { truth: refused, says: [/^failed$/] });

    world.setDkim(domain, true);
    await world.domainBecomes(domain, 'active');
    await statements.at('Domain', path, {
      truth: 'the record is back',
      says: [/^active$/],
      never: ['DNS records are missing', /cannot be sent/],
    });
  });

  it('says who refuses our address, in which words, since when, and how much mail waits', async () => {
    statements.about('block list');
    const { network, service } = world;
    let isListed = true;
    for (const domain of LISTED)
      await network.mailServer(domain, { on: { rcpt: () => (isListed ? REPLY : undefined) } });
    await Promise.all(LISTED.map((domain) => service.send({ to: `first@${domain}` })));
    const begun = () => service.output().split('delivery_blocked begins').length - 1;
    await until(async () => begun() >= LISTED.length, { what: 'the refusals' });
    const ids: string[] = [];
    for (const domain of LISTED)
      for (let i = 0; i < WAITING_EACH; i += 1) ids.push(await service.send({ to: `reader-${i}@${domain}` }));
    // The first of each bounced: only its reply tells what is wrong.
    bounced += LISTED.length;
    accepted += LISTED.length * (1 + WAITING_EACH);
    const waiting = LISTED.length * WAITING_EACH;
    const held = `${waiting} recipients wait, because ${LISTED.length} servers refuse us`;
    const refusal = /2 queues refuse us: listed at zen\.spamhaus\.org/;
    await statements.onPage(
      'Overview',
      { truth: held, says: [refusal, REPLY, new RegExp(`^${waiting} recipients$`)] },
      ...counts(),
    );
    await statements.onPage('Domains', {
      truth: held,
      says: [
        { shows: '[role=alert]', words: REPLY },
        { shows: '[role=alert]', words: `${waiting} recipients wait` },
      ],
      withinMs: 75_000,
    });
    await statements.onPage('Service', {
      truth: held,
      says: [
        {
          shows: '[data-service-state=warning]',
          words: '2 queues refuse us: our address is listed at zen.spamhaus.org.',
        },
        { shows: '[data-service-state=warning]', words: `${waiting} recipients wait. Since` },
        { shows: '[data-service-state=warning]', words: REPLY },
        { shows: '[data-number="Waiting recipients"]', words: new RegExp(`^${waiting}$`) },
      ],
      never: [WELL],
    });
    await statements.onPage('Queues', {
      truth: held,
      says: [
        { shows: '[data-number="Waiting recipients"]', words: new RegExp(`^${waiting}$`) },
        { shows: '[data-number="Throttled queues"]', words: /^2$/ },
        REPLY,
        /our address is on a block list · since .* · until .* · 3 recipients held back/,
      ],
      never: ['Nothing is waiting'],
    });
    await statements.at('Email', `/app/emails/${ids[0]}`, {
      truth: 'it waits for a server that refuses us',
      says: [/blocked using zen\.spamhaus\.org/],
      never: [/^delivered$/],
    });
    await statements.onPage('Statistics', ...shares());

    isListed = false;
    await statements.onPage('Queues');
    const resume = operator.page.getByRole('main').getByRole('button', { name: /^Resume / });
    for (let left = LISTED.length; left > 0; left -= 1) {
      await resume.first().click();
      await operator.page.getByRole('dialog').getByRole('button', { name: 'Resume' }).click();
      await until(async () => (await resume.count()) < left, { what: 'the queue to be resumed' });
    }
    for (const id of ids)
      await until(async () => (await world.statusOf(id)) === 'delivered', { what: 'the delivery of held mail' });
    delivered += waiting;
    await statements.onPage('Queues', { truth: 'nothing waits any more', says: ['Nothing is waiting'] });
    await statements.onPage('Service', {
      truth: 'the servers take our mail again',
      says: [{ shows: '[data-service-state=ok]', words: WELL }],
    });
    await statements.onPage('Overview', ...counts(), {
      truth: 'nothing waits any more',
      says: ['Nothing is waiting.'],
    });
  });

  it('says that the certificate of the relay has expired', async () => {
    statements.about('expired certificate');
    world.mount(world.expired);
    await until(async () => (await world.verifyingClient(world.expired)) === 'CERT_HAS_EXPIRED', {
      what: 'clients to refuse the certificate',
    });
    const truth = 'clients that verify certificates refuse the relay (CERT_HAS_EXPIRED)';
    const expired = /SMTP_TLS_CERT.*expired on 20\d\d-\d\d-\d\d/;
    await statements.onPage('Service', {
      truth,
      says: [{ shows: '[data-service-state=critical]', words: expired }],
      never: [WELL],
    });
    await statements.onPage('Overview', { truth, says: [{ shows: '[role=alert]', words: expired }], withinMs: 75_000 });
    world.mount(world.valid);
    await until(async () => (await world.verifyingClient(world.valid)) === null, { what: 'the new certificate' });
    await statements.onPage('Service', {
      truth: 'the certificate was renewed',
      says: [{ shows: '[data-service-state=ok]', words: WELL }],
      never: [expired],
    });
  });

  it('says that no mail is accepted while the disk is full', async () => {
    statements.about('full disk');
    const { service } = world;
    const free = world.fillDisk();
    try {
      await until(
        async () => {
          const { status } = await service.call('POST', '/emails', service.mail({ to: 'y@well.example' }));
          // Until the disk is looked at again.
          if (status === 201) [accepted, delivered] = [accepted + 1, delivered + 1];
          return status === 503;
        },
        { what: 'mail to be refused' },
      );
      const truth = 'POST /emails is answered 503';
      for (const page of ['Overview', 'Emails', 'Domains', 'Getting started'])
        await statements.onPage(page, {
          truth,
          says: [{ shows: '[role=alert]', words: NOT_ACCEPTED }],
          withinMs: 75_000,
        });
      await statements.onPage('Service', {
        truth,
        says: [
          { shows: '[data-service-state=critical]', words: /the disk has less than \d+ MiB free/ },
          { shows: 'tr', words: /Storage.*the disk has less than/ },
        ],
        never: [WELL],
      });
    } finally {
      free();
    }
    await until(
      async () => (await service.call('POST', '/emails', service.mail({ to: 'x@well.example' }))).status === 201,
      {
        what: 'mail to be accepted',
      },
    );
    accepted += 1;
    delivered += 1;
    await statements.onPage('Service', {
      truth: 'mail is accepted again',
      says: [{ shows: '[data-service-state=ok]', words: WELL }],
      never: [NOT_ACCEPTED],
    });
    await statements.onPage('Overview', ...counts());
  });

  it('says on every page that the database does not answer, and since when', async () => {
    statements.about('hung database');
    await statements.onPage('Overview');
    const goOn = hangDatabase(world.service.dataDir);
    try {
      for (const page of PAGES)
        await statements.onPage(page, {
          truth: 'the database hangs',
          says: [
            { shows: '[role=alert]', words: DOWN },
            { shows: '[role=alert]', words: /Database: .*does not answer, since/ },
          ],
          never: [WELL, 'Nothing is waiting', /^No .* yet$/],
          withinMs: 60_000,
        });
    } finally {
      goOn();
    }
    await statements.onPage('Service', {
      truth: 'the database answers again',
      says: [{ shows: '[data-service-state=ok]', words: WELL }],
      never: [DOWN],
    });
    await statements.onPage('Overview', ...counts());
  });

  it('never contradicts the truth', () => {
    expect(statements.contradictions()).toEqual([]);
    expect(world.chromium.takeProblems()).toEqual([]);
  });
});
