import type { Config } from '#libs/kernel';
import { DnsDesk } from './dns-desk.js';
import { Installation, type OpenedDatabase } from './installation.js';
import { askReadiness, type Readiness } from './readiness.js';
import { findSources, type Sources } from './sources.js';

/** RFC 6761 §6.2: `test.` never exists; the default of SERVICE_DOMAIN is below it. */
const UNSET_DOMAIN = 'postloft.test';

/** What the checks look at. Whatever several of them need is found out once. */
export class Patient {
  readonly dns: DnsDesk;
  private readonly known = new Map<string, Promise<unknown>>();
  private readonly place: Installation;

  constructor(
    readonly config: Config,
    readonly signal: AbortSignal,
    /** A domain of a customer that is to be looked at as well. */
    readonly domain: string | null,
  ) {
    this.dns = new DnsDesk(config);
    this.place = new Installation(config);
  }

  get service(): string {
    return this.config.settings.SERVICE_DOMAIN;
  }

  /** The name that the service gives itself in EHLO and in its greeting. */
  get hostName(): string {
    return `smtp.${this.service}`;
  }

  /** Nobody has said yet what the service is called. */
  get hasDefaultName(): boolean {
    return this.service === UNSET_DOMAIN;
  }

  /** Nor can anybody be asked about the default name: only name servers of one's own may know it. */
  get isUnnamed(): boolean {
    return this.hasDefaultName && this.config.settings.DNS_SERVERS === undefined;
  }

  sources(): Promise<Sources> {
    return this.once('sources', () => findSources(this.config, this.dns));
  }

  readiness(): Promise<Readiness> {
    return this.once('readiness', () => askReadiness(this.config, this.signal));
  }

  /** @throws when there is a database and it cannot be reached */
  database(): Promise<OpenedDatabase> {
    return this.once('database', () => this.place.open());
  }

  async close(): Promise<void> {
    this.dns.close();
    await this.place.close();
  }

  private once<T>(name: string, find: () => Promise<T>): Promise<T> {
    const found = this.known.get(name) ?? find();
    this.known.set(name, found);
    return found as Promise<T>;
  }
}
