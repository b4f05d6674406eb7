/** Holds the URL of the service host; set by the global set-up of the system tests. */
export const SERVICE_HOST = 'POSTLOFT_TEST_SERVICES';

/** A number that no other caller has, such as that of a loopback network: 127.n.0.0/16. */
export async function nextNumber(): Promise<number> {
  return (await ask('POST', '/numbers')) as number;
}

/** Notes that a service was started, where somebody counts that. */
export async function countStart(name: string): Promise<void> {
  if (process.env[SERVICE_HOST] !== undefined) await ask('POST', `/starts/${name}`);
}

export async function ask(method: string, path: string, body?: string): Promise<unknown> {
  const host = process.env[SERVICE_HOST];
  if (host === undefined) throw new Error('shared services exist in the project "system" only');
  const answer = await fetch(host + path, { method, body });
  if (answer.status !== 200) throw new Error(`${method} ${path}: ${await answer.text()}`);
  return answer.json();
}
