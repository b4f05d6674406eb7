import { expect } from 'vitest';
import type { GatewayApp } from '../fixtures/gateway-app.js';

/** What tests read of an object in an answer. */
export interface Entry {
  id: string;
  name: string;
  secret: string;
  token: string;
  responseStatus: number;
  nodes: Entry[];
  suppression: Entry;
}
interface Answer {
  data?: Record<string, Entry | null> | null;
  errors?: { message: string; extensions: Record<string, unknown> }[];
}

/** Asks one gateway over HTTP. */
export class GraphqlRequests {
  constructor(
    private readonly gateway: GatewayApp,
    private readonly key: string,
  ) {}

  async ask(query: string, variables: object = {}, key = this.key): Promise<Answer> {
    return (await this.gateway.agent(key).post('/graphql').send({ query, variables })).body as Answer;
  }

  /** The data of a request without errors. */
  async data(query: string, variables: object = {}, key = this.key): Promise<Record<string, Entry>> {
    const { data, errors } = await this.ask(query, variables, key);
    expect(errors).toBeUndefined();
    return data as Record<string, Entry>;
  }

  /** The message and the extensions of the only error. */
  async refusal(query: string, variables: object = {}, key = this.key): Promise<Record<string, unknown>> {
    const { errors = [] } = await this.ask(query, variables, key);
    expect(errors).toHaveLength(1);
    return { message: errors[0].message, ...errors[0].extensions };
  }
}

export const SEND_EMAIL = `mutation ($input: SendEmailInput!, $key: String) {
  sendEmail(input: $input, idempotencyKey: $key) { id replayed email { id status to tags { key value } } } }`;

export const emailFrom = (domain: string, over: object = {}) => ({
  from: `a@${domain}`,
  to: ['b@example.com'],
  subject: 'Hi',
  html: '<p>x</p>',
  ...over,
});
