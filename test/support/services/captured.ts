import { until } from '../timing/until.js';
import type { RunningService } from './program.js';

/** An entry of `GET /captured`. */
export interface Captured {
  id: string;
  email_id: string;
  mail_from: string;
  rcpt_to: string[];
}

/** What a service in capture mode kept of an email, as soon as it has `count` entries. */
export function capturedEntries({ json }: Pick<RunningService, 'json'>, id: string, count = 1): Promise<Captured[]> {
  return until(
    async () => {
      const { data } = await json<{ data: Captured[] }>('GET', `/captured?email_id=${id}`);
      return data.length === count && data;
    },
    { what: `${count} captured messages of ${id}` },
  );
}

/** The bytes of the only message of an email. */
export async function capturedMessage(service: Pick<RunningService, 'call' | 'json'>, id: string): Promise<Buffer> {
  const [entry] = await capturedEntries(service, id);
  return Buffer.from(await (await service.call('GET', `/captured/${entry.id}/raw`)).arrayBuffer());
}
