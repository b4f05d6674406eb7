import { createSecureContext, type SecureContext } from 'node:tls';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Config, Log, Poller, Shutdown, type TlsFiles } from '#libs/kernel';
import { CertificateStore } from './certificate-store.js';

const POLL_MS = 2_000;

interface Issued extends TlsFiles {
  version: string;
  context: SecureContext;
}

/** The certificates by ACME, as this process serves them. A renewed one is there within seconds, without a restart. */
@Injectable()
export class IssuedCertificates implements OnModuleInit {
  private readonly issued = new Map<string, Issued>();
  private readonly listeners = new Set<() => void>();

  constructor(
    private readonly store: CertificateStore,
    private readonly config: Config,
    private readonly log: Log,
    private readonly shutdown: Shutdown,
  ) {}

  async onModuleInit(): Promise<void> {
    if (!this.config.settings.ACME_TERMS_AGREED) return;
    await this.refresh();
    const poller = new Poller(
      { name: 'issued certificates', pollMs: POLL_MS, round: () => this.refresh().then(() => false) },
      this.log,
    );
    this.shutdown.on('work', 'issued certificates', () => poller.stop());
    poller.start();
  }

  /** Null if there is none for this host. */
  filesOf(host: string): TlsFiles | null {
    const found = this.issued.get(host.toLowerCase());
    return found === undefined ? null : { cert: found.cert, key: found.key };
  }

  /** For the name that a client asks for (RFC 6066 section 3). */
  contextOf(host: string): SecureContext | null {
    return this.issued.get(host.toLowerCase())?.context ?? null;
  }

  /** Calls back when a certificate was issued, renewed or removed. Returns a function that ends this. */
  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Loads what has changed in the database. */
  async refresh(): Promise<void> {
    const versions = await this.store.versions();
    const changed = [...versions].filter(([host, version]) => this.issued.get(host)?.version !== version);
    const removed = [...this.issued.keys()].filter((host) => !versions.has(host));
    if (changed.length + removed.length === 0) return;
    for (const host of removed) this.issued.delete(host);
    for (const { host, ...files } of await this.store.load(changed.map(([name]) => name)))
      this.issued.set(host, { ...files, context: createSecureContext({ ...files, minVersion: 'TLSv1.2' }) });
    for (const listener of this.listeners) listener();
  }
}
