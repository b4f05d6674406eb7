import { LIMITS, Refusal } from '#libs/contracts';
import { prepareRelayed, type RelayedMessage } from '#libs/mime';
import { describe, expect, it } from 'vitest';
import { relayedOptions } from './relayed-options.js';

const options = (...fields: string[]) => {
  const message = Buffer.from(['From: a@ex.com', ...fields, '', 'x', ''].join('\r\n'));
  return relayedOptions(
    prepareRelayed(message, {
      serviceDomain: 'postloft.test',
      messageId: () => 'm',
      date: () => new Date(),
    }) as RelayedMessage,
  );
};

function refusal(...fields: string[]): string[] {
  try {
    options(...fields);
    return [];
  } catch (error) {
    expect((error as Refusal).row.smtp).toBe('554 5.6.0');
    return (error as Refusal).details.map(({ field, message }) => `${field}: ${message}`);
  }
}

describe('control headers of a relayed message', () => {
  it('set no options when there are none', () => {
    expect(options()).toEqual({ tags: {}, scheduledAt: null, idempotencyKey: null, ignored: [] });
  });

  it('have the same meaning as the fields of the API', () => {
    const at = new Date(Date.now() + 3_600_000);
    expect(
      options(
        'X-Service-Tag-Order: 42',
        'x-service-tag-name: =?utf-8?q?Gr=C3=BC=C3=9Fe?=',
        `X-SERVICE-SCHEDULED-AT: ${at.toISOString()}`,
        'Resend-Idempotency-Key: k 1',
        'X-Service-List-Unsubscribe: One-Click',
        'X-Service-Track: Opens,clicks',
        'X-Service-Priority: Bulk',
      ),
    ).toEqual({
      tags: { order: '42', name: 'Grüße' },
      scheduledAt: at,
      idempotencyKey: 'k 1',
      unsubscribe: {},
      tracking: { opens: true, clicks: true },
      priority: 'bulk',
      ignored: [],
    });
    expect(options(`X-Service-Scheduled-At: ${new Date(Date.now() - 30_000).toISOString()}`).scheduledAt).toBeNull();
  });

  it('accept a time in the past, which means now', () => {
    for (const ago of [3_600_000, 30 * 24 * 3_600_000])
      expect(options(`X-Service-Scheduled-At: ${new Date(Date.now() - ago).toISOString()}`).scheduledAt).toBeNull();
  });

  it('are listed if they have no effect', () => {
    expect(options('X-Service-Schedule: tomorrow').ignored).toEqual(['X-Service-Schedule']);
  });

  it.each([
    ['a tag with a wrong key', 'X-Service-Tag-a/b: x', /^X-Service-Tag-a\/b: must have a key of 1 to 50 letters/],
    ['a tag without a key', 'X-Service-Tag-: x', /^X-Service-Tag-: must have a key/],
    ['a tag that is too long', `X-Service-Tag-a: ${'x'.repeat(51)}`, /^X-Service-Tag-a: must have at most 50 char/],
    ['a tag with a very long key', `X-Service-Tag-${'a'.repeat(900)}: x`, /^X-Service-Tag-a{66}: must have a key/],
    ['words for a time', 'X-Service-Scheduled-At: tomorrow', /^X-Service-Scheduled-At: must be an ISO 8601/],
    ['a time without offset', 'X-Service-Scheduled-At: 2099-01-01T00:00:00', /^X-Service-Scheduled-At: must be an/],
    ['a time too far ahead', 'X-Service-Scheduled-At: 2099-01-01T00:00:00Z', /at most 72 hours/],
    ['no time', 'X-Service-Scheduled-At:', /^X-Service-Scheduled-At: must be an ISO 8601/],
    ['no idempotency key', 'X-Service-Idempotency-Key:', /^X-Service-Idempotency-Key: must have 1 to 256 printable/],
    ['a long one', `Resend-Idempotency-Key: ${'k'.repeat(257)}`, /^X-Service-Idempotency-Key: must have 1 to 256/],
    ['one with umlauts', 'X-Service-Idempotency-Key: =?utf-8?q?=C3=BC?=', /printable ASCII/],
    ['another priority', 'X-Service-Priority: 1', /^X-Service-Priority: must be transactional or bulk/],
    ['another tracking', 'X-Service-Track: yes', /^X-Service-Track: must be opens, clicks, "opens, clicks" or off/],
    ['another unsubscription', 'X-Service-List-Unsubscribe: yes', /^X-Service-List-Unsubscribe: must be one-click/],
    ['two of them', 'X-Service-List-Unsubscribe: one-click\r\nList-Unsubscribe: <https://a.b/>', /must not be given/],
  ])('refuse %s, naming the header and its allowed values', (_what, field, sentence) => {
    expect(refusal(field)).toEqual([expect.stringMatching(sentence)]);
  });

  it('report all problems at once, including a 51st tag', () => {
    expect(refusal('X-Service-Track: yes', 'X-Service-Scheduled-At: x')).toHaveLength(2);
    const tags = (count: number) => Array.from({ length: count }, (_, i) => `X-Service-Tag-${i}: x`);
    expect(Object.keys(options(...tags(LIMITS.tagCount)).tags)).toHaveLength(LIMITS.tagCount);
    expect(refusal(...tags(LIMITS.tagCount + 1))).toEqual(['X-Service-Tag: must have at most 50 tags']);
  });
});
