import { readFileSync } from 'node:fs';
import { EVENT_TYPES } from '#libs/contracts';
import { describe, expect, it } from 'vitest';
import { AsyncApi } from '../support/rest/async-api.js';

const PAGE = readFileSync(new URL('../../docs/kafka.md', import.meta.url), 'utf8');
/** By the letters before the underscore of its id. */
const TOPICS: Record<string, [topic: string, type?: string]> = {
  evt: ['email.events.v1'],
  atm: ['email.attempts.v1', 'email.attempt'],
  dlv: ['webhook.deliveries.v1', 'webhook.delivery'],
};

describe('docs/kafka.md', () => {
  const document = AsyncApi.strict();
  const records = [...PAGE.matchAll(/```json\n([^]*?)```/g)].map(
    ([, text]) => JSON.parse(text) as Record<string, string>,
  );

  it('has records as asyncapi.yaml describes them', () => {
    expect(records).toHaveLength(4);
    for (const value of records) {
      const [topic, type = value['type']] = TOPICS[value['id']?.split('_')[0] ?? 'evt'];
      const headers = { 'event-type': type, ...(value['id'] === undefined ? {} : { 'event-id': value['id'] }) };
      expect(document.problems(topic, { headers, value })).toEqual([]);
    }
  });

  it('is about a document that refuses other records', () => {
    const [event] = records;
    const headers = { 'event-id': event['id'], 'event-type': event['type'] };
    const wrong = { ...event, sequence: '3', further: 1, created_at: 'yesterday' };
    expect(document.problems('email.events.v1', { headers, value: wrong })).toHaveLength(3);
    expect(document.problems('email.attempts.v1', { headers, value: event })).toHaveLength(1);
  });

  it('is about a document with every event type', () => {
    // The other name of a temporary failure exists on webhooks only.
    const types = EVENT_TYPES.filter((type) => type !== 'email.delivery_delayed');
    expect(types.filter((type) => document.message('email.events.v1', type) === undefined)).toEqual([]);
  });
});
