import net from 'node:net';
import type { MxHost, Resolver } from '#libs/dns';
import { isPublicAddress, TtlMap } from '#libs/kernel';
import type { Destination, Route, Router } from './route.js';
import { MailboxProviders } from './mailbox-providers.js';
import { OwnAddresses } from './own-addresses.js';
import { PolicyLookup, type PolicyRefusal } from '../tls/policy-lookup.js';
import type { PolicyDecision } from '../tls/decide-policy.js';
import { toEndpoint, type MxEndpoint } from './mx-endpoint.js';

export interface MxRouterOptions {
  port: number;
  allowPrivate: boolean;
  ownAddresses: { address: string; port: number }[];
  /** Absent: the shipped ones. */
  providers?: MailboxProviders;
}

/** The default of Postfix (`smtp_mx_address_limit`): a domain with 200 MX must not cause 200 connections. */
const MAX_ADDRESSES = 5;
/** MX hosts that are resolved at once, and in total if the first ones have no address. */
const EXCHANGES_AT_ONCE = 5;
const MAX_EXCHANGES = 15;

/** How long the endpoints of a domain are reused before they are computed from the answers of the resolver again. */
const RECENT_MS = 5000;
const MAX_RECENT = 10_000;

interface Placed {
  host: string;
  preference: number;
  address: string;
}

interface Choice {
  /** By preference, then IPv4 before IPv6. */
  rank: number;
  endpoint: MxEndpoint;
}

interface Recent {
  choices: Choice[];
  expiresAt: number;
}

/** Routes by MX: in order of preference, equal ones shuffled, to public addresses only. */
export class MxRouter implements Router {
  private readonly own: OwnAddresses;
  private readonly providers: MailboxProviders;
  private readonly recent = new TtlMap<string, Recent>(MAX_RECENT);

  constructor(
    private readonly resolver: Resolver,
    private readonly rules: MxRouterOptions,
    private readonly policies = new PolicyLookup({ sts: null, dane: null }),
  ) {
    this.providers = rules.providers ?? MailboxProviders.shipped();
    this.own = new OwnAddresses(rules.ownAddresses.filter((own) => own.port === rules.port));
  }

  async route(domain: string): Promise<Route> {
    const recent = this.recent.get(domain);
    if (recent !== undefined) return chosen(recent);
    const asked = performance.now();
    const route = await this.find(domain);
    return route.kind === 'deferred' && (await this.resolver.wasUnavailable(asked))
      ? { kind: 'dns_unavailable' }
      : route;
  }

  get outage(): string | null {
    return this.resolver.outage;
  }

  private async find(domain: string): Promise<Route> {
    if (domain.startsWith('[') || net.isIP(domain) !== 0) return unroutable('mail is not routed to address literals');
    this.policies.prefetch(domain);
    const answer = await this.resolver.mx(domain);
    switch (answer.kind) {
      case 'temporary':
        return unreachableDns(answer.text);
      case 'no_domain':
        return noDomain(`the domain ${domain} does not exist`);
      case 'null_mx':
        return nullMx(domain);
      case 'implicit':
        return this.reach([{ exchange: domain, preference: 0 }], domain, true);
      case 'hosts':
        return this.reach(
          inOrder(answer.hosts, (host) => host.preference),
          domain,
          false,
        );
    }
  }

  /** The queue is the provider of the first MX, or the domain if there is none. */
  async destination(domain: string): Promise<Destination | null> {
    const own = { queue: `domain:${domain}`, provider: null };
    if (net.isIP(domain) !== 0 || domain.startsWith('[')) return own;
    const asked = performance.now();
    const answer = await this.resolver.mx(domain);
    if (answer.kind === 'temporary' && (await this.resolver.wasUnavailable(asked))) return null;
    if (answer.kind !== 'hosts') return own;
    const exchanges = inOrder(answer.hosts, (host) => host.preference).map(({ exchange }) => exchange);
    const provider = this.providers.of(exchanges)?.name ?? null;
    return provider === null ? own : { queue: provider, provider };
  }

  cancel(): void {
    this.resolver.cancel();
  }

  private async reach(hosts: MxHost[], domain: string, implicit: boolean): Promise<Route> {
    if (hosts.length === 0) return unroutable(`no MX of ${domain} is a host name`);
    const placed: Placed[] = [];
    let temporary: string | null = null;
    const until = Math.min(hosts.length, MAX_EXCHANGES);
    for (let from = 0; from < until && placed.length === 0; from += EXCHANGES_AT_ONCE) {
      const some = hosts.slice(from, from + EXCHANGES_AT_ONCE);
      const answers = await Promise.all(some.map(({ exchange }) => this.resolver.addresses(exchange)));
      for (const [i, answer] of answers.entries()) {
        if (answer.kind === 'temporary') temporary = answer.text;
        if (answer.kind !== 'addresses') continue;
        const { exchange: host, preference } = some[i];
        for (const address of answer.addresses) placed.push({ host, preference, address });
      }
    }
    if (placed.length > 0) return this.permit(placed, { domain, implicit, temporary });
    if (temporary !== null) return unreachableDns(temporary);
    if (implicit) return noDomain(`the domain ${domain} has neither MX nor address`);
    return {
      kind: 'deferred',
      class: 'routing',
      reply: { code: null, enhanced: '4.4.4', text: `no MX of ${domain} has an address` },
    };
  }

  /** @param temporary Why the addresses of another MX host could not be looked up. */
  private async permit(
    placed: Placed[],
    { domain, implicit, temporary }: { domain: string; implicit: boolean; temporary: string | null },
  ): Promise<Route> {
    // RFC 5321 §5.1: our own host and all hosts of the same or a higher preference value are excluded, or there would be a loop.
    const own = placed.filter((place) => this.own.has(place.address));
    const loopAt = Math.min(...own.map((place) => place.preference));
    const permitted = placed.filter(
      (place) => place.preference < loopAt && (this.rules.allowPrivate || isPublicAddress(place.address)),
    );
    if (permitted.length === 0 && temporary !== null) return unreachableDns(temporary);
    if (permitted.length === 0) return unroutable(`every address of ${domain} is private or our own`);
    const hosts = [...new Set(permitted.map(({ host }) => host))];
    const decisions = await this.policies.decide(domain, hosts, implicit);
    const usable = permitted.flatMap((place) => this.choose(place, decisions[hosts.indexOf(place.host)]));
    const choices = inTurn(usable).slice(0, MAX_ADDRESSES);
    if (choices.length === 0) return forbidden(this.policies.refuse(hosts, decisions));
    const fresh = { choices, expiresAt: performance.now() + RECENT_MS };
    this.recent.set(domain, fresh, RECENT_MS);
    return chosen(fresh);
  }

  private choose({ host, address, preference }: Placed, decision: PolicyDecision): Choice[] {
    if (decision.kind === 'unusable') return [];
    const { requirement, policy } = decision;
    const rank = 2 * preference + (net.isIPv6(address) ? 1 : 0);
    const known = this.providers.of([host]);
    const line = {
      port: this.rules.port,
      tls: 'opportunistic',
      requirement,
      policy,
      login: null,
      source: null,
    } as const;
    const provider = {
      provider: known?.name ?? null,
      connections: known?.limits.connections ?? null,
      mailsPerConnection: known?.limits.mailsPerConnection ?? null,
    };
    return [{ rank, endpoint: toEndpoint({ host, address, ...line, ...provider }) }];
  }
}

function chosen({ choices, expiresAt }: Recent): Route {
  return {
    kind: 'endpoints',
    endpoints: inOrder(choices, (choice) => choice.rank).map((choice) => choice.endpoint),
    expiresAt,
  };
}

/**
 * The first address of each host and family, then the second of each and so on, so that every host has a place among
 * the first ones.
 */
function inTurn(choices: Choice[]): Choice[] {
  const turns = new Map<string, number>();
  const placed = choices.map((choice) => {
    const { host, address } = choice.endpoint;
    const key = `${host} ${net.isIP(address)}`;
    const turn = turns.get(key) ?? 0;
    turns.set(key, turn + 1);
    return { turn, choice };
  });
  return placed.sort((a, b) => a.turn - b.turn).map(({ choice }) => choice);
}

/** RFC 5321 §5.1: by preference, equal ones in a new random order for each message. */
function inOrder<T>(items: T[], rank: (item: T) => number): T[] {
  if (items.length < 2) return items;
  const shuffled = [...items];
  for (let i = shuffled.length - 1; i > 0; i -= 1) {
    const j = Math.floor(Math.random() * (i + 1));
    [shuffled[i], shuffled[j]] = [shuffled[j], shuffled[i]];
  }
  return shuffled.sort((a, b) => rank(a) - rank(b));
}

function unreachableDns(text: string): Route {
  return { kind: 'deferred', class: 'deferral', reply: { code: null, enhanced: '4.4.3', text } };
}

/** An outage of the zone looks the same, so the caller bounces only if the next attempt agrees. */
function noDomain(text: string): Route {
  return { kind: 'deferred', class: 'bad_domain', reply: { code: null, enhanced: '5.1.2', text } };
}

function nullMx(domain: string): Route {
  const text = `the domain ${domain} takes no mail (null MX)`;
  return { kind: 'bounced', class: 'bad_domain', reply: { code: 556, enhanced: '5.1.10', text } };
}

function unroutable(text: string): Route {
  return { kind: 'bounced', class: 'routing', reply: { code: null, enhanced: '5.4.4', text } };
}

/** No host meets the policy of the recipient domain, or the policy cannot be looked up. */
function forbidden({ policy, enhanced, text, tlsResults }: PolicyRefusal): Route {
  return { kind: 'deferred', class: 'transport_policy', reply: { code: null, enhanced, text }, policy, tlsResults };
}
