import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A TCP proxy that can break all connections at once. */
export interface CuttingProxy {
  port: number;
  /** Connections since the start. */
  connections(): number;
  /** Resets all connections; returns how many. */
  cut(): number;
  close(): Promise<void>;
}

export async function cuttingProxy(target: number): Promise<CuttingProxy> {
  const pairs = new Set<[Socket, Socket]>();
  let connections = 0;
  const server = createServer((client) => {
    connections += 1;
    const upstream = connect(target, '127.0.0.1');
    const pair: [Socket, Socket] = [client, upstream];
    pairs.add(pair);
    const end = () => {
      pairs.delete(pair);
      for (const socket of pair) socket.destroy();
    };
    for (const socket of pair) socket.on('error', end).on('close', end);
    client.pipe(upstream).pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cut = (): number => {
    const open = [...pairs];
    for (const [client, upstream] of open) {
      client.resetAndDestroy();
      upstream.destroy();
    }
    return open.length;
  };
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => connections,
    cut,
    close: () =>
      new Promise((resolve) => {
        cut();
        server.close(() => resolve());
      }),
  };
}
