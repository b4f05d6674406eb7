import { until } from '../timing/until.js';
import type { RunningService } from './program.js';

/** An entry of `GET /captured`. */
export interface Captured {
  id: string;
  email_id: string;
  mail_from: string;
  rcpt_to: string[];
}

type Service = Pick<RunningService, 'call' | 'json'>;

const listed = async ({ json }: Service, id: string) =>
  (await json<{ data: Captured[] }>('GET', `/captured?email_id=${id}`)).data;

/** What a service in capture mode kept of an email, as soon as it has `count` entries. */
export function capturedEntries(service: Service, id: string, count = 1): Promise<Captured[]> {
  const entries = async () => {
    const found = await listed(service, id);
    return found.length === count && found;
  };
  return until(entries, { what: `${count} captured messages of ${id}` });
}

/** The bytes of the newest message of an email. */
export async function capturedMessage(service: Service, id: string): Promise<Buffer> {
  const entry = await until(async () => (await listed(service, id)).at(0), { what: `a captured message of ${id}` });
  return Buffer.from(await (await service.call('GET', `/captured/${entry.id}/raw`)).arrayBuffer());
}
