import { buildConnector } from 'undici';
import type { TargetResolver } from './target-resolver.js';

/** For one address, TLS included: a few addresses fit into the time of one request. */
const CONNECT_MS = 5_000;

/**
 * A connector for undici: resolves, checks, and connects to exactly the checked address, with the name in TLS. Nothing is
 * resolved a second time, so that a name cannot change in between (DNS rebinding). undici's own `lookup` hook does not
 * suffice: it is not called for IP literals.
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
 * Tries the addresses one after the other: a host with a dead IPv6 address is still reached over IPv4, and the other way
 * round. Rejects with the first failure: without IPv6 on this machine the last one would always be about that.
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
