import net from 'node:net';
import type { AddressAnswer, Resolver } from '#libs/dns';
import { isPublicAddress, parseUrl } from '#libs/kernel';
import type { Destination } from './route.js';
import type { Route, Router } from './route.js';
import { NO_REQUIREMENT } from '../tls/tls-requirement.js';
import { toEndpoint, type MxEndpoint } from './mx-endpoint.js';

interface Smarthost {
  host: string;
  port: number;
  tls: MxEndpoint['tls'];
  login: MxEndpoint['login'];
}

/** Default ports: a relay with a login listens on 587 (RFC 6409), one without on 25. */
const SUBMISSION = 587;
const SUBMISSIONS = 465;
const RELAY = 25;

/**
 * Routes every domain to one fixed host. A public host that receives our password, or that has a `smtps://` URL, must
 * have a valid certificate. Inside a private network any certificate is accepted, because they are often self-signed.
 */
export class SmarthostRouter implements Router {
  private readonly smarthost: Smarthost;
  private fixed: AddressAnswer | null = null;
  private last: { answer: AddressAnswer; route: Route } | null = null;

  /**
   * Throws for a URL that is neither `smtp://` nor `smtps://`. The message does not repeat the URL, which may contain a
   * password.
   */
  constructor(
    private readonly resolver: Resolver,
    url: string,
  ) {
    this.smarthost = readUrl(url);
    const { host } = this.smarthost;
    // DNS has no addresses for IP literals and usually none for "localhost".
    if (net.isIP(host) !== 0) this.fixed = { kind: 'addresses', addresses: [host] };
    else if (host === 'localhost') this.fixed = { kind: 'addresses', addresses: ['127.0.0.1', '::1'] };
  }

  async route(): Promise<Route> {
    const asked = performance.now();
    const answer = this.fixed ?? (await this.resolver.addresses(this.smarthost.host));
    if (answer.kind === 'temporary' && (await this.resolver.wasUnavailable(asked))) return { kind: 'dns_unavailable' };
    if (this.last?.answer !== answer) this.last = { answer, route: this.read(answer) };
    return this.last.route;
  }

  destination(): Promise<Destination> {
    return Promise.resolve({ queue: 'smarthost', provider: null });
  }

  get outage(): string | null {
    return this.resolver.outage;
  }

  cancel(): void {
    this.resolver.cancel();
  }

  private read(answer: AddressAnswer): Route {
    const { host } = this.smarthost;
    switch (answer.kind) {
      case 'addresses':
        return this.to(answer.addresses);
      case 'none':
        return unknownHost(`the smarthost ${host} has no address`);
      case 'temporary':
        return unknownHost(answer.text);
    }
  }

  private to(addresses: string[]): Route {
    const { host, port, tls, login } = this.smarthost;
    const mustProveName = login !== null || tls === 'implicit';
    const endpoints = addresses.map((address) =>
      toEndpoint({
        host,
        address,
        port,
        tls,
        login,
        requirement: mustProveName && isPublicAddress(address) ? { kind: 'webpki' } : NO_REQUIREMENT,
        policy: { name: 'opportunistic', published: null },
        provider: null,
        connections: null,
        mailsPerConnection: null,
        source: null,
      }),
    );
    return { kind: 'endpoints', endpoints, expiresAt: Infinity };
  }
}

function readUrl(text: string): Smarthost {
  const url = parseUrl(text);
  if (url === null || (url.protocol !== 'smtp:' && url.protocol !== 'smtps:') || url.hostname === '') {
    throw new Error('the smarthost URL must be smtp://host or smtps://host, with user:password@ and :port if needed');
  }
  const implicit = url.protocol === 'smtps:';
  const login =
    url.username === '' ? null : { user: decodeURIComponent(url.username), password: decodeURIComponent(url.password) };
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1').toLowerCase(),
    port: url.port === '' ? usualPort(implicit, login !== null) : Number(url.port),
    tls: implicit ? 'implicit' : 'opportunistic',
    login,
  };
}

function usualPort(implicit: boolean, login: boolean): number {
  if (implicit) return SUBMISSIONS;
  return login ? SUBMISSION : RELAY;
}

/** The host of the operator: its absence must not bounce a message. */
function unknownHost(text: string): Route {
  return { kind: 'deferred', class: 'deferral', reply: { code: null, enhanced: '4.4.3', text } };
}
