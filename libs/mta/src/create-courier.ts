import { CaptureCourier } from './capture-courier.js';
import { ConnectionPool } from './connection-pool.js';
import type { Courier, CourierOptions } from './courier.js';
import { MxRouter } from './mx-route.js';
import type { Router } from './mx-route.js';
import { Resolver } from './resolver.js';
import { SmarthostRouter } from './smarthost-route.js';
import { SmtpCourier } from './smtp-courier.js';
import { DaneSwitch } from './tls-policy/dane-switch.js';
import { PolicyDesk } from './tls-policy/policy-desk.js';
import { StsPolicies } from './tls-policy/sts-policies.js';

/** One DNS question to one server; two tries make 6 s at most with c-ares. */
const DNS_MS = 2000;

/** Long enough for a host that takes mail; whoever waits for one that does not is in the way of mail to others. */
const FREE_CONNECTION_MS = 1_000;

/** Builds the courier of the configured mode. Throws at start, with one sentence, when the mode lacks its setting. */
export function createCourier(options: CourierOptions): Courier {
  const log = options.log ?? (() => undefined);
  if (options.mode === 'capture') {
    if (options.capture === undefined) throw new Error('courier mode capture needs a place to keep the mail');
    return new CaptureCourier(options.capture, log);
  }
  const { timeouts, heloName, connectionsPerHost, freeConnectionMs = FREE_CONNECTION_MS } = options;
  return new SmtpCourier({
    router: routerOf(options),
    pool: new ConnectionPool({
      timeouts,
      heloName,
      connectionsPerHost,
      freeConnectionMs,
      log,
      onTls: options.onTls ?? (() => undefined),
    }),
    limits: timeouts,
    smarthost: options.mode === 'smarthost',
    log,
  });
}

function routerOf(options: CourierOptions): Router {
  const timeoutMs = Math.min(DNS_MS, options.timeouts.connect);
  const resolver = new Resolver({
    servers: options.dnsServers,
    timeoutMs,
    onOutage: options.onOutage ?? (() => undefined),
  });
  if (options.mode === 'smarthost') {
    if (options.smarthostUrl === undefined) throw new Error('courier mode smarthost needs the URL of the smarthost');
    return new SmarthostRouter(resolver, options.smarthostUrl);
  }
  const { mxPort: port, allowPrivateMx: allowPrivate, ownAddresses, providers } = options;
  const known = providers === undefined ? {} : { providers };
  return new MxRouter(
    resolver,
    { port, allowPrivate, ownAddresses, ...known },
    policiesOf(options, resolver, timeoutMs),
  );
}

function policiesOf(options: CourierOptions, resolver: Resolver, timeoutMs: number): PolicyDesk {
  const { sts, dane, dnsServers: servers, mxPort, onTls = () => undefined, log = () => undefined } = options;
  return new PolicyDesk({
    sts: sts === undefined ? null : new StsPolicies({ ...sts, texts: (name) => resolver.texts(name), log }),
    dane:
      dane === undefined
        ? null
        : new DaneSwitch({ ...dane, servers, mxPort, timeoutMs, ask: (question) => resolver.watched(question) }),
    onTls,
  });
}
