import { Resolver } from '#libs/dns';
import { CaptureCourier } from './capture-courier.js';
import { ConnectionPool } from './smtp/connection-pool.js';
import type { Courier, CourierOptions } from './courier.js';
import { MxRouter } from './routing/mx-router.js';
import type { Router } from './routing/route.js';
import { SmarthostRouter } from './routing/smarthost-router.js';
import { SmtpCourier } from './smtp-courier.js';
import { DaneAvailability } from './tls/dane-availability.js';
import { PolicyLookup } from './tls/policy-lookup.js';
import { StsLookup } from './tls/sts-lookup.js';

/** Time-out of one DNS query to one server. With two tries c-ares takes 6 s at most. */
const DNS_MS = 2000;

/** Long enough for a host that accepts messages. Waiting for one that does not would delay messages to other hosts. */
const FREE_CONNECTION_MS = 1_000;

/** Creates the courier of the configured mode. Throws at start, with one sentence, if the mode lacks its setting. */
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

function policiesOf(options: CourierOptions, resolver: Resolver, timeoutMs: number): PolicyLookup {
  const { sts, dane, dnsServers: servers, mxPort, log = () => undefined } = options;
  return new PolicyLookup({
    sts: sts === undefined ? null : new StsLookup({ ...sts, texts: (name) => resolver.texts(name), log }),
    dane:
      dane === undefined
        ? null
        : new DaneAvailability({ ...dane, servers, mxPort, timeoutMs, track: (query) => resolver.track(query) }),
  });
}
