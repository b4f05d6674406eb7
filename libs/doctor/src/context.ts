import { DEFAULT_SERVICE_DOMAIN, type Config } from '#libs/kernel';
import type { Database } from '#libs/persistence';
import { DoctorDns } from './probes/dns.js';
import { ExistingDatabase, type OpenedDatabase } from './probes/existing-database.js';
import { queryReadiness, type Readiness } from './probes/readiness.js';
import { findSourceAddresses, type SourceAddresses } from './probes/source-addresses.js';

interface ContextOptions {
  config: Config;
  signal: AbortSignal;
  /** The domain of `--domain`. */
  domain: string | null;
  /** The open database of the program that runs the checks. */
  database?: Database;
}

/** The input of the checks. Facts that several checks need are determined once. */
export class CheckContext {
  readonly dns: DoctorDns;
  private readonly cache = new Map<string, Promise<unknown>>();
  readonly config: Config;
  readonly signal: AbortSignal;
  /** The domain of `--domain`. */
  readonly requestedDomain: string | null;
  private readonly existingDatabase: ExistingDatabase;
  private readonly openDatabase: Database | undefined;

  constructor({ config, signal, domain, database }: ContextOptions) {
    this.config = config;
    this.signal = signal;
    this.requestedDomain = domain;
    this.openDatabase = database;
    this.dns = new DoctorDns(config);
    this.existingDatabase = new ExistingDatabase(config);
  }

  get serviceDomain(): string {
    return this.config.settings.SERVICE_DOMAIN;
  }

  /** The name of the service in EHLO and in its greeting. */
  get hostName(): string {
    return `smtp.${this.serviceDomain}`;
  }

  get hasDefaultDomain(): boolean {
    return this.serviceDomain === DEFAULT_SERVICE_DOMAIN;
  }

  /** The default domain is looked up only where DNS_SERVERS is set: no other name server can know it. */
  get skipsServiceDns(): boolean {
    return this.hasDefaultDomain && this.config.settings.DNS_SERVERS === undefined;
  }

  sourceAddresses(): Promise<SourceAddresses> {
    return this.cached('source addresses', () => findSourceAddresses(this.config, this.dns));
  }

  readiness(): Promise<Readiness> {
    return this.cached('readiness', () => queryReadiness(this.config, this.signal));
  }

  /** Null when no database has been created yet. @throws when it cannot be reached */
  database(): Promise<OpenedDatabase> {
    return this.cached('database', () => this.openDatabase ?? this.existingDatabase.open());
  }

  async close(): Promise<void> {
    this.dns.close();
    await this.existingDatabase.close();
  }

  private cached<T>(name: string, determine: () => Promise<T> | T): Promise<T> {
    const value = this.cache.get(name) ?? Promise.resolve(determine());
    this.cache.set(name, value);
    return value as Promise<T>;
  }
}
