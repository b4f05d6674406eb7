import { createServer } from 'node:net';

/**
 * Free ports below the ephemeral range, where our own outgoing connections cannot take them in the meantime. Each vitest
 * worker looks in its own stretch, so that two files running at once do not find the same one.
 */
export async function freePorts(count: number): Promise<number[]> {
  const found: number[] = [];
  while (found.length < count) {
    const candidate = 10_000 + Math.floor(Math.random() * 20_000);
    if (!found.includes(candidate) && (await isFree(candidate))) found.push(candidate);
  }
  return found;
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
