import { newId, type DomainEventData } from '#libs/contracts';
import {
  AutomaticRotation,
  DkimRotation,
  DomainEntity,
  DomainEntries,
  DomainKeys,
  DomainVerifier,
  SendingDomains,
  type DomainView,
} from '#libs/domains';
import { Log, SecretBox, Wakeups } from '#libs/kernel';
import { DueWorkLoop } from '#libs/persistence';
import { randomBytes } from 'node:crypto';
import { testConfig } from './database.js';
import { LocalDns } from './local-dns.js';
import { createTestDatabase, type OpenTestDatabase } from './test-database.js';
import { until } from './until.js';

/** The domain lib on a database of its own, looking at a local DNS. */
export interface DomainDesk {
  db: OpenTestDatabase;
  dns: LocalDns;
  entries: DomainEntries;
  domains: SendingDomains;
  verifier: DomainVerifier;
  rotation: DkimRotation;
  /** Of another process each. */
  newKeys(): DomainKeys;
  /** A name that nobody has yet. */
  newName(): string;
  /** Runs another verifier, as each delivery program does; ends with `close`. */
  watch(): void;
  view(accountId: string, id: string): Promise<DomainView>;
  /** Waits until the entry looks like this. */
  see(accountId: string, id: string, what: (view: DomainView) => boolean): Promise<DomainView>;
  /** The events of one domain in order. */
  events(id: string): Promise<{ type: string; sequence: number; data: DomainEventData }[]>;
  close(): Promise<void>;
}

export async function openDomainDesk(env: Record<string, string> = {}): Promise<DomainDesk> {
  const dns = await LocalDns.start();
  const db = await createTestDatabase([DomainEntity]);
  const config = testConfig(db.url, { DNS_SERVERS: dns.address, DOMAIN_CHECK_INTERVAL: '100ms', ...env });
  const box = new SecretBox(Buffer.alloc(32, 7));
  const wakeups = new Wakeups();
  const domains = new SendingDomains(db.dataSource.getRepository(DomainEntity), db.database, box, config);
  const rotation = new DkimRotation(db.database, box, config, wakeups);
  const automatic = new AutomaticRotation(rotation, config, Log.quiet());
  const newVerifier = () => new DomainVerifier(db.database, config, wakeups, automatic, Log.quiet());
  const view = async (accountId: string, id: string) => {
    const found = await domains.view(accountId, id);
    if (!found) throw new Error(`${id} is not there`);
    return found;
  };
  const running: {
    loop: DueWorkLoop<Awaited<ReturnType<DomainVerifier['claim']>>[number]>;
    verifier: DomainVerifier;
  }[] = [];
  return {
    db,
    dns,
    domains,
    entries: new DomainEntries(db.database, domains, box, config, wakeups),
    verifier: newVerifier(),
    rotation,
    newKeys: () => new DomainKeys(db.database, box),
    newName: () => `mail-${randomBytes(4).toString('hex')}.example`,
    watch: () => {
      const verifier = newVerifier();
      const loop = new DueWorkLoop(
        {
          name: 'domain verifier',
          claim: (limit) => verifier.claim(limit),
          work: (check) => verifier.check(check),
          concurrency: 50,
          pollMs: 20,
        },
        Log.quiet(),
      );
      wakeups.on('due-domains', () => loop.wake());
      loop.start();
      running.push({ loop, verifier });
    },
    view,
    see: (accountId, id, what) =>
      until(
        async () => {
          const seen = await view(accountId, id);
          if (!what(seen)) throw new Error(JSON.stringify(seen));
          return seen;
        },
        { withinMs: 10_000, everyMs: 20, what: `${id} to look as expected` },
      ),
    events: async (id) =>
      (
        await db.database.query<{ type: string; sequence: number; data: DomainEventData }>(
          'SELECT type, sequence, data FROM outbox WHERE key = $1 ORDER BY sequence',
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

/** Publishes records as an owner would; those of one name stand together. */
export function publish(dns: LocalDns, records: DomainView['records']): void {
  for (const { type, name, value } of records) dns.set(name, type === 'TXT' ? { TXT: [value] } : { CNAME: value });
}

export const required = (view: DomainView): DomainView['records'] => view.records.filter((record) => record.required);

export function recordOf(view: DomainView, record: string): DomainView['records'][number] {
  const found = view.records.find((each) => each.record === record);
  if (!found) throw new Error(`no ${record} record`);
  return found;
}
