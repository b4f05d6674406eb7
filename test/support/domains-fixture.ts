import { randomBytes } from 'node:crypto';
import { newId, type DomainEventData, wholeAccount } from '#libs/contracts';
import {
  DkimRotation,
  DomainEntity,
  DomainEntries,
  DomainKeys,
  DomainVerifier,
  SendingDomains,
  type DomainView,
} from '#libs/domains';
import { Log, SecretBox, LocalNotifications } from '#libs/kernel';
import { JobRunner } from '#libs/persistence';
import { testConfig } from './database.js';
import { LocalDns } from './local-dns.js';
import { createTestDatabase, type OpenTestDatabase, OUTBOX_EVENTS } from './test-database.js';
import { until } from './until.js';

/** The domains library with its own database and a local DNS server. */
export interface DomainsFixture {
  db: OpenTestDatabase;
  dns: LocalDns;
  entries: DomainEntries;
  domains: SendingDomains;
  verifier: DomainVerifier;
  rotation: DkimRotation;
  /** As in another process. */
  newKeys(): DomainKeys;
  /** A name without an entry. */
  newName(): string;
  /** Runs another verifier, as each delivery program does. `close` stops it. */
  startVerifier(): void;
  view(accountId: string, id: string): Promise<DomainView>;
  /** Waits until the entry satisfies the condition. */
  waitFor(accountId: string, id: string, isExpected: (view: DomainView) => boolean): Promise<DomainView>;
  /** The events of one domain in order. */
  events(id: string): Promise<{ type: string; sequence: number; data: DomainEventData }[]>;
  close(): Promise<void>;
}

export async function openDomainsFixture(env: Record<string, string> = {}): Promise<DomainsFixture> {
  const dns = await LocalDns.start();
  const db = await createTestDatabase([DomainEntity]);
  const config = testConfig(db.url, { DNS_SERVERS: dns.address, DOMAIN_CHECK_INTERVAL: '100ms', ...env });
  const box = new SecretBox(Buffer.alloc(32, 7));
  const notifications = new LocalNotifications();
  const domains = new SendingDomains(db.dataSource.getRepository(DomainEntity), db.database, box, config);
  const rotation = new DkimRotation(db.database, box, config, notifications);
  const newVerifier = () => new DomainVerifier(db.database, config, notifications, rotation, Log.quiet());
  const view = async (accountId: string, id: string) => {
    const found = await domains.view(wholeAccount(accountId), id);
    if (!found) throw new Error(`${id} is not there`);
    return found;
  };
  const running: {
    loop: JobRunner<Awaited<ReturnType<DomainVerifier['claim']>>[number]>;
    verifier: DomainVerifier;
  }[] = [];
  return {
    db,
    dns,
    domains,
    entries: new DomainEntries(db.database, domains, box, config, notifications),
    verifier: newVerifier(),
    rotation,
    newKeys: () => new DomainKeys(db.database, box),
    newName: () => `mail-${randomBytes(4).toString('hex')}.example`,
    startVerifier: () => {
      const verifier = newVerifier();
      const loop = new JobRunner(
        {
          name: 'domain verifier',
          claim: (limit) => verifier.claim(limit),
          work: (check) => verifier.check(check),
          concurrency: 50,
          pollMs: 20,
        },
        Log.quiet(),
      );
      notifications.on('due-domains', () => loop.wake());
      loop.start();
      running.push({ loop, verifier });
    },
    view,
    waitFor: (accountId, id, isExpected) =>
      until(
        async () => {
          const seen = await view(accountId, id);
          if (!isExpected(seen)) throw new Error(JSON.stringify(seen));
          return seen;
        },
        { everyMs: 20, what: `${id} to look as expected` },
      ),
    events: async (id) =>
      (
        await db.database.query<{ type: string; sequence: number; data: DomainEventData }>(
          `SELECT type, sequence, data FROM ${OUTBOX_EVENTS} WHERE key = $1 ORDER BY sequence`,
          [id],
        )
      ).rows,
    close: async () => {
      for (const { loop, verifier } of running) {
        const stopped = loop.stop();
        verifier.stop();
        await stopped;
      }
      await db.close();
      await dns.close();
    },
  };
}

export const newAccountId = (): string => newId('acc');

/** Publishes records as the owner of a domain does. */
export function publish(dns: LocalDns, records: DomainView['records']): void {
  for (const { type, name, value } of records) dns.set(name, type === 'TXT' ? { TXT: [value] } : { CNAME: value });
}

export const required = (view: DomainView): DomainView['records'] => view.records.filter((record) => record.required);

export function recordOf(view: DomainView, record: string): DomainView['records'][number] {
  const found = view.records.find((each) => each.record === record);
  if (!found) throw new Error(`no ${record} record`);
  return found;
}
