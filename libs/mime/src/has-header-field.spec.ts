import { describe, expect, it } from 'vitest';
import { hasHeaderField } from './has-header-field.js';

const has = (message: string) => hasHeaderField(Buffer.from(message), 'Feedback-ID');

describe('hasHeaderField', () => {
  it.each([
    'Feedback-ID: a\r\n\r\n',
    'From: a\r\nFEEDBACK-id:a\r\nTo: b\r\n\r\nbody',
    'From: a\r\nfeedback-id : a\r\n\r\n',
    'From: a\r\nFeedback-ID: a\r\n',
  ])('finds the field in %j', (message) => expect(has(message)).toBe(true));

  it.each([
    'From: a\r\n\r\nFeedback-ID: in the body\r\n',
    'Subject: Feedback-ID: x\r\n Feedback-ID: folded\r\n\r\n',
    'X-Feedback-ID: a\r\n\r\n',
    'Feedback-IDs: a\r\n\r\n',
    '\r\n\r\nFeedback-ID: a',
    '',
  ])('finds none in %j', (message) => expect(has(message)).toBe(false));
});
