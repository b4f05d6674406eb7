import net from 'node:net';
import { isPublicAddress } from '#libs/kernel';
import type { Destination } from './courier.js';
import type { BounceClass, ServerReply, TlsPolicyName } from './delivery-outcome.js';
import { MailboxProviders } from './shaping/mailbox-provider.js';
import { OwnAddresses } from './own-addresses.js';
import type { MxHost, Resolver } from './resolver.js';
import { PolicyDesk } from './tls-policy/policy-desk.js';
import type { Refusal } from './tls-policy/policy-desk.js';
import type { Decision } from './tls-policy/policy-for.js';
import { toTarget } from './target.js';
import type { Target } from './target.js';

export type Route =
  | { kind: 'targets'; targets: Target[] }
  | {
      kind: 'deferred' | 'bounced';
      class: BounceClass;
      reply: ServerReply;
      /** The rule that left no host over. */
      policy?: TlsPolicyName;
    }
  /** None of our name servers answers: nothing was tried. */
  | { kind: 'no_dns' };

/** Where the mail of a domain goes. */
export interface Router {
  route(domain: string): Promise<Route>;
  /** Never rejects; null: none of our name servers answers. */
  destination(domain: string): Promise<Destination | null>;
  /** A sentence, while none of our name servers answers; else null. */
  readonly outage: string | null;
  /** Breaks off what is being looked up. */
  cancel(): void;
}

export interface MxRules {
  port: number;
  allowPrivate: boolean;
  ownAddresses: { address: string; port: number }[];
  /** Absent: the shipped ones. */
  providers?: MailboxProviders;
}

/** Postfix's yardstick (`smtp_mx_address_limit`): a domain with 200 MX must not cost 200 connects. */
const MAX_ADDRESSES = 5;
/** Exchanges resolved at once, and in all when the first ones have no address. */
const EXCHANGES_AT_ONCE = 5;
const MAX_EXCHANGES = 15;

/** How long one domain's permitted targets are reused before they are derived from the resolver's answers again. */
const RECENT_MS = 5000;
const MAX_RECENT = 10_000;

interface Placed {
  host: string;
  preference: number;
  address: string;
}

interface Choice {
  /** Preference first, IPv4 before IPv6 second. */
  rank: number;
  target: Target;
}

/** Routes by MX: preference order, equal ones shuffled, only addresses that mail from outside may reach. */
export class MxRouter implements Router {
  readonly #own: OwnAddresses;
  readonly #providers: MailboxProviders;
  readonly #recent = new Map<string, { choices: Choice[]; until: number }>();

  constructor(
    private readonly resolver: Resolver,
    private readonly rules: MxRules,
    private readonly policies = new PolicyDesk({ sts: null, dane: null, onTls: () => undefined }),
  ) {
    this.#providers = rules.providers ?? MailboxProviders.shipped();
    this.#own = new OwnAddresses(rules.ownAddresses.filter((own) => own.port === rules.port));
  }

  async route(domain: string): Promise<Route> {
    const recent = this.#recent.get(domain);
    if (recent !== undefined && recent.until > performance.now()) return chosen(recent.choices);
    this.#recent.delete(domain);
    const asked = performance.now();
    const route = await this.#find(domain);
    return route.kind === 'deferred' && (await this.resolver.wasAway(asked)) ? { kind: 'no_dns' } : route;
  }

  get outage(): string | null {
    return this.resolver.outage;
  }

  async #find(domain: string): Promise<Route> {
    if (domain.startsWith('[') || net.isIP(domain) !== 0) return unroutable('mail is not routed to address literals');
    this.policies.expect(domain);
    const answer = await this.resolver.mx(domain);
    switch (answer.kind) {
      case 'temporary':
        return unreachableDns(answer.text);
      case 'no_domain':
        return noDomain(`the domain ${domain} does not exist`);
      case 'null_mx':
        return nullMx(domain);
      case 'implicit':
        return this.#reach([{ exchange: domain, preference: 0 }], domain, true);
      case 'hosts':
        return this.#reach(
          inOrder(answer.hosts, (host) => host.preference),
          domain,
          false,
        );
    }
  }

  /** The provider that the first MX belongs to is the queue; without one the domain is. */
  async destination(domain: string): Promise<Destination | null> {
    const own = { queue: `domain:${domain}`, provider: null };
    if (net.isIP(domain) !== 0 || domain.startsWith('[')) return own;
    const asked = performance.now();
    const answer = await this.resolver.mx(domain);
    if (answer.kind === 'temporary' && (await this.resolver.wasAway(asked))) return null;
    if (answer.kind !== 'hosts') return own;
    const exchanges = inOrder(answer.hosts, (host) => host.preference).map(({ exchange }) => exchange);
    const provider = this.#providers.of(exchanges)?.name ?? null;
    return provider === null ? own : { queue: provider, provider };
  }

  cancel(): void {
    this.resolver.cancel();
  }

  async #reach(hosts: MxHost[], domain: string, implicit: boolean): Promise<Route> {
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
    if (placed.length > 0) return this.#permit(placed, { domain, implicit, temporary });
    if (temporary !== null) return unreachableDns(temporary);
    if (implicit) return noDomain(`the domain ${domain} has neither MX nor address`);
    return {
      kind: 'deferred',
      class: 'routing',
      reply: { code: null, enhanced: '4.4.4', text: `no MX of ${domain} has an address` },
    };
  }

  /** `temporary`: why the addresses of some other exchange could not be found now. */
  async #permit(
    placed: Placed[],
    { domain, implicit, temporary }: { domain: string; implicit: boolean; temporary: string | null },
  ): Promise<Route> {
    // RFC 5321 §5.1: our own host in the list ends it; what is not better would send the mail back to us.
    const own = placed.filter((place) => this.#own.has(place.address));
    const loopAt = Math.min(...own.map((place) => place.preference));
    const permitted = placed.filter(
      (place) => place.preference < loopAt && (this.rules.allowPrivate || isPublicAddress(place.address)),
    );
    if (permitted.length === 0 && temporary !== null) return unreachableDns(temporary);
    if (permitted.length === 0) return unroutable(`every address of ${domain} is private or our own`);
    const hosts = [...new Set(permitted.map(({ host }) => host))];
    const decisions = await this.policies.decide(domain, hosts, implicit);
    const usable = permitted.flatMap((place) => this.#choose(place, decisions[hosts.indexOf(place.host)]));
    const choices = inTurn(usable).slice(0, MAX_ADDRESSES);
    if (choices.length === 0) return forbidden(this.policies.refuse(hosts, decisions));
    if (this.#recent.size >= MAX_RECENT) this.#recent.clear();
    this.#recent.set(domain, { choices, until: performance.now() + RECENT_MS });
    return chosen(choices);
  }

  #choose({ host, address, preference }: Placed, decision: Decision): Choice[] {
    if (decision.kind === 'unusable') return [];
    const { proof, policy } = decision;
    const rank = 2 * preference + (net.isIPv6(address) ? 1 : 0);
    const known = this.#providers.of([host]);
    const line = { port: this.rules.port, tls: 'opportunistic', proof, policy, login: null, source: null } as const;
    const provider = {
      provider: known?.name ?? null,
      connections: known?.pace.connections ?? null,
      mailsPerConnection: known?.pace.mailsPerConnection ?? null,
    };
    return [{ rank, target: toTarget({ host, address, ...line, ...provider }) }];
  }
}

function chosen(choices: Choice[]): Route {
  return { kind: 'targets', targets: inOrder(choices, (choice) => choice.rank).map((choice) => choice.target) };
}

/** The first address of each host and family, then the second of each, …: many of one leave a place for the others. */
function inTurn(choices: Choice[]): Choice[] {
  const turns = new Map<string, number>();
  const placed = choices.map((choice) => {
    const { host, address } = choice.target;
    const key = `${host} ${net.isIP(address)}`;
    const turn = turns.get(key) ?? 0;
    turns.set(key, turn + 1);
    return { turn, choice };
  });
  return placed.sort((a, b) => a.turn - b.turn).map(({ choice }) => choice);
}

/** RFC 5321 §5.1: by preference, equal ones in random order, anew for every mail. */
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

/** A zone outage looks like this too: the caller bounces only when the next attempt agrees. */
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

/** What the recipients' domain asks of its hosts, none of them has; or nobody can say now. */
function forbidden({ policy, enhanced, text }: Refusal): Route {
  return { kind: 'deferred', class: 'transport_policy', reply: { code: null, enhanced, text }, policy };
}
