import { fork } from 'node:child_process';
import { once } from 'node:events';

const SCRIPT = new URL('./honest-client.mjs', import.meta.url);
const PAUSE_MS = 2;

/** How long answers took, in ms. */
export interface Waits {
  count: number;
  median: number;
  p99: number;
  worst: number;
}

/** The waits of somebody who asks `url` again and again while `during` runs. */
export async function waitsDuring(url: string, during: () => Promise<void>): Promise<Waits> {
  const client = fork(SCRIPT, [url, String(PAUSE_MS)]);
  const exited = once(client, 'exit');
  const latencies = once(client, 'message') as Promise<[number[]]>;
  const failed = exited.then(([code]) => Promise.reject(new Error(`the honest client ended with ${String(code)}`)));
  try {
    await Promise.race([during(), failed]);
    client.send('stop');
    const [sorted] = await Promise.race([latencies, failed]);
    sorted.sort((a, b) => a - b);
    const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
    return { count: sorted.length, median: at(0.5), p99: at(0.99), worst: at(1) };
  } finally {
    failed.catch(() => undefined);
    if (client.connected) client.disconnect();
    await exited;
  }
}
