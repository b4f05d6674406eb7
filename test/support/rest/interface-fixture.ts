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

/** The service as the interface document describes it, with what its examples need around it. */
export interface InterfaceFixture {
  program: ServiceAccount;
  receiver: WebhookReceiver;
  ask<T = Json>(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer<T>>;
  /** `POST /emails` with a valid mail, changed where the rule looks. */
  send(over?: Json, headers?: Record<string, string>): Promise<Answer<{ id: string; object: string } & Json>>;
  /** Sends and waits until the mail has this status. */
  sent(over?: Json, status?: string): Promise<Json & { id: string }>;
  /** The bytes that went out for a mail. */
  raw(id: string): Promise<string>;
  cli(...args: string[]): Promise<string>;
  /** A further account on the plan, with a key and a domain to send from. */
  account(plan: string): Promise<ServiceAccount>;
  stop(): Promise<void>;
}

export async function openInterface(service: ServiceName = 'rest'): Promise<InterfaceFixture> {
  const [program, receiver] = await Promise.all([openAccount(service), WebhookReceiver.start()]);
  const ask = async <T>(...request: Parameters<ServiceAccount['call']>): Promise<Answer<T>> => {
    const response = await program.call(...request);
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: (text === '' ? null : JSON.parse(text)) as T };
  };
  const send: InterfaceFixture['send'] = (over = {}, headers = {}) =>
    ask('POST', '/emails', program.mail(over), headers);
  return {
    program,
    receiver,
    ask,
    send,
    sent: async (over = {}, status = 'delivered') => {
      const { body } = await send(over);
      return until(
        async () => {
          const shown = (await ask<Json & { id: string }>('GET', `/emails/${body.id}`)).body;
          return shown['status'] === status ? shown : null;
        },
        { what: `status ${status} of ${body.id}` },
      );
    },
    raw: async (id) => {
      const captured = await until(async () => {
        const { body } = await ask<{ data: { id: string }[] }>('GET', `/captured?email_id=${id}`);
        return body.data[0];
      });
      return (await program.call('GET', `/captured/${captured.id}/raw`)).text();
    },
    cli: (...args) => cli(program.env, ...args),
    account: (plan) => accountOn(program, { plan }),
    stop: () => receiver.close(),
  };
}
