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
  const openFor = pinnedOpener(resolver);
  return (options, callback) => {
    openFor(options).then(
      (socket) => callback(null, socket),
      (error: Error) => callback(error, null),
    );
  };
}

export type Socket = Exclude<Parameters<buildConnector.Callback>[1], null>;

/** As `pinnedConnector`; the result settles when no socket is being opened any more, soon after `signal` aborts. */
export function pinnedOpener(
  resolver: TargetResolver,
): (options: buildConnector.Options, signal?: AbortSignal) => Promise<Socket> {
  const connect = buildConnector({ timeout: CONNECT_MS });
  return (options, signal) => openFirst(resolver, options, (to) => open(to, { connect, signal }));
}

/**
 * Tries the addresses one after the other: a host with a dead IPv6 address is still reached over IPv4, and the other way
 * round. Rejects with the first failure: without IPv6 on this machine the last one would always be about that.
 */
async function openFirst(
  resolver: TargetResolver,
  options: buildConnector.Options,
  openTo: (options: buildConnector.Options) => Promise<Socket>,
): Promise<Socket> {
  const host = options.hostname.replace(/^\[(.*)\]$/, '$1');
  let failure: Error | undefined;
  for (const address of await resolver.addresses(host)) {
    try {
      return await openTo({ ...options, hostname: address });
    } catch (error) {
      failure ??= error as Error;
    }
  }
  throw failure ?? new Error('no address');
}

/** undici aborts no connection that is being opened; this would go on for seconds per address. */
async function open(
  options: buildConnector.Options,
  { connect, signal }: { connect: buildConnector.connector; signal: AbortSignal | undefined },
): Promise<Socket> {
  signal?.throwIfAborted();
  let abort = (): void => undefined;
  try {
    return await new Promise<Socket>((resolve, reject) => {
      // The connector returns its socket, although its type does not say so.
      const opening = connect(options, (...[error, socket]) => {
        if (error) reject(error);
        else resolve(socket);
      }) as unknown as Socket;
      abort = () => opening.destroy(new Error('aborted'));
      signal?.addEventListener('abort', abort, { once: true });
    });
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}
