import { capturedMessage } from '../services/captured.js';
import { cli } from '../services/cli.js';
import type { ServiceName } from '../services/profiles.js';
import { accountOn, openAccount, type ServiceAccount } from '../services/service-client.js';
import { until } from '../timing/until.js';
import { WebhookReceiver } from '../webhooks/webhook-receiver.js';

export type Json = Record<string, unknown>;
export interface Answer<T = Json> {
  status: number;
  headers: Headers;
  body: T;
}

export type InterfaceFixture = Awaited<ReturnType<typeof openInterface>>;

/** The service as the interface document describes it, with what its examples need around it. */
export async function openInterface(service: ServiceName = 'rest') {
  const [program, receiver] = await Promise.all([openAccount(service), WebhookReceiver.start()]);
  const ask = async <T = Json>(...request: Parameters<ServiceAccount['call']>): Promise<Answer<T>> => {
    const response = await program.call(...request);
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: (text === '' ? null : JSON.parse(text)) as T };
  };
  /** `POST /emails` with a valid mail, changed where the rule looks. */
  const send = (over: Json = {}, headers: Record<string, string> = {}) =>
    ask<{ id: string; object: string } & Json>('POST', '/emails', program.mail(over), headers);
  return {
    program,
    receiver,
    ask,
    send,
    /** Sends and waits until the mail has this status. */
    sent: async (over: Json = {}, status = 'delivered') => {
      const { body } = await send(over);
      const shown = async () => {
        const email = await program.json<Json & { id: string }>('GET', `/emails/${body.id}`);
        return email['status'] === status && email;
      };
      return until(shown, { what: `status ${status} of ${body.id}` });
    },
    /** The bytes that went out for a mail. */
    raw: async (id: string) => (await capturedMessage(program, id)).toString(),
    cli: (...args: string[]) => cli(program.env, ...args),
    /** A further account on the plan, with a key and a domain to send from. */
    account: (plan: string) => accountOn(program, { plan }),
    stop: () => receiver.close(),
  };
}
