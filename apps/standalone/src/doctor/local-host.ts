/** Names and addresses of this machine that nobody else can reach. */
export const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '::1', 'localhost']);

/** Where a listener of ours is reached from this machine: one on every address is reached on loopback. */
export function localHost(listens: string): string {
  if (listens === '0.0.0.0' || listens === '') return '127.0.0.1';
  return listens === '::' ? '::1' : listens;
}
