import { describe, expect, it } from 'vitest';
import { DELIVERY_COLUMNS } from '../history/delivery-view.js';
import { webhookAttempt, webhookEvent } from '../webhook-event.resource.js';
import { webhook } from '../webhook.resource.js';
import { CLAIM_JOBS } from './claim.js';
import { SETTLE } from './settle.js';

const names = (list: string): string[] => list.split(',').map((one) => one.trim().split(/[\s.]/).at(-1) as string);
const listIn = (text: string, pattern: RegExp): string[] => names(pattern.exec(text)?.[1] ?? '');

/** Columns that no response has, so that no definition names them. */
const OF_QUEUE = ['claimed_by', 'last_latency_ms', 'last_response'];
const OF_SECRETS = ['secret_sealed'];

describe('the statements of deliveries name columns of the definitions', () => {
  it('an attempt is written with all of its columns', () => {
    const written = listIn(SETTLE, /INSERT INTO webhook_attempts \(([^)]+)\)/);
    expect(written.toSorted()).toEqual([...names(webhookAttempt.columns), 'delivery_id', 'webhook_id'].toSorted());
  });

  it('a settle changes the delivery in columns that responses show', () => {
    const [, set = ''] = /UPDATE webhook_deliveries d\s+SET ([\s\S]+?)\n\s+FROM/.exec(SETTLE) ?? [];
    const changed = [...set.matchAll(/(\w+) = /g)].map(([, column]) => column);
    expect(changed.filter((one) => !names(webhookEvent.columns).includes(one))).toEqual(OF_QUEUE);
    expect(changed).toEqual(
      expect.arrayContaining(['status', 'due_at', 'attempts', 'last_status', 'last_error', 'updated_at']),
    );
  });

  it('a claim reads the endpoint by columns of its definition', () => {
    const read = [...CLAIM_JOBS.matchAll(/SELECT c\.\*, ([^\n]+)\n/g)]
      .flatMap(([, list]) => names(list))
      .filter(Boolean);
    expect(read.filter((one) => !names(webhook.columns).includes(one))).toEqual(OF_SECRETS);
  });

  it('a delivery is read by its alias', () => {
    expect(names(DELIVERY_COLUMNS)).toEqual(names(webhookEvent.columns));
    expect(DELIVERY_COLUMNS.startsWith('d.event_id, d.id, d.webhook_id, ')).toBe(true);
  });
});
