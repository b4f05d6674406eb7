import { buildConnector } from 'undici';
import type { TargetResolver } from './target-resolver.js';

/** For one address, TLS included; a few addresses fit into the time of one call. */
const CONNECT_MS = 5_000;

/**
 * How the HTTP client opens a socket: resolve, judge, and connect to exactly the address that was judged, with TLS
 * asking for the certificate of the name. Nothing is looked up a second time, so a name cannot change in between
 * (DNS rebinding). The client's own `lookup` hook would not do: it is never called for IP literals.
 */
export function pinnedConnector(resolver: TargetResolver): buildConnector.connector {
  const connect = buildConnector({ timeout: CONNECT_MS });
  return (options, callback) => {
    openFirst(resolver, options, connect).then(
      (socket) => callback(null, socket),
      (error: Error) => callback(error, null),
    );
  };
}

type Socket = Exclude<Parameters<buildConnector.Callback>[1], null>;

/**
 * The addresses in turn: a host with a dead IPv6 address is still reached over IPv4, and the other way round. The first
 * failure is the telling one: where IPv6 is missing here, the last one would always say so.
 */
async function openFirst(
  resolver: TargetResolver,
  options: buildConnector.Options,
  connect: buildConnector.connector,
): Promise<Socket> {
  const host = options.hostname.replace(/^\[(.*)\]$/, '$1');
  let failure: Error | undefined;
  for (const address of await resolver.addresses(host)) {
    try {
      return await open({ ...options, hostname: address }, connect);
    } catch (error) {
      failure ??= error as Error;
    }
  }
  throw failure ?? new Error('no address');
}

function open(options: buildConnector.Options, connect: buildConnector.connector): Promise<Socket> {
  return new Promise((resolve, reject) => {
    connect(options, (...[error, socket]) => {
      if (error) reject(error);
      else resolve(socket);
    });
  });
}
