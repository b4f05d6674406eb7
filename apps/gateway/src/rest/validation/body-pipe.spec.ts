import { Refusal } from '#libs/contracts';
import { describe, expect, it } from 'vitest';
import { BodyPipe } from './body-pipe.js';
import { unknownFieldsHeader } from './unknown-fields.js';
import { SendEmailDto } from '../emails/send-email.dto.js';

const pipe = new BodyPipe();
const read = (body: unknown): SendEmailDto =>
  pipe.transform(body, { type: 'body', metatype: SendEmailDto }) as SendEmailDto;
const MAIL = { from: 'a@example.com', to: 'b@example.com', subject: 'Hello', text: 'Hi' };

function refusalOf(body: unknown): { code: string; fields: string[]; sentence: string } {
  try {
    read(body);
  } catch (error) {
    const refusal = error as Refusal;
    return { code: refusal.code, fields: refusal.details.map((detail) => detail.field), sentence: refusal.message };
  }
  return { code: 'passes', fields: [], sentence: '' };
}

describe('BodyPipe with the body of POST /emails', () => {
  it('copies every field of an email unchanged', () => {
    const body = {
      ...MAIL,
      html: '<p>Hi</p>',
      cc: ['C <c@example.com>'],
      bcc: 'd@example.com',
      reply_to: ['e@example.com'],
      headers: { 'X-Campaign': '7' },
      tags: { kind: 'login' },
      attachments: [{ filename: 'a.txt', content: 'aGk=', content_type: 'text/plain' }],
      scheduled_at: new Date(Date.now() + 3_600_000).toISOString(),
    };
    expect({ ...read(body) }).toEqual(body);
  });

  it('lists every missing field at once', () => {
    const { code, fields, sentence } = refusalOf({});
    expect(code).toBe('missing_required_field');
    expect(fields).toEqual(['from', 'to', 'subject', 'html']);
    expect(sentence).toBe('from is required; to is required; subject is required; and 1 more.');
  });

  it('lists every invalid value at once, with its path', () => {
    const { code, fields } = refusalOf({
      ...MAIL,
      to: ['ok@example.com', 'no', 'x@example.com, y@example.com'],
      tags: { ok: 'x', 'not ok': 'y', long: 'x'.repeat(51) },
      headers: { Bcc: 'x@example.com' },
      attachments: [{ filename: '', content: '###' }],
      scheduled_at: '2026-01-01',
    });
    expect(code).toBe('validation_error');
    expect(fields).toEqual([
      'to[1]',
      'to[2]',
      'attachments[0].filename',
      'attachments[0].content',
      'headers.Bcc',
      'tags.not ok',
      'tags.long',
      'scheduled_at',
    ]);
  });

  it('reports invalid base64 as an invalid attachment if there is no other problem', () => {
    expect(refusalOf({ ...MAIL, attachments: [{ filename: 'a.txt', content: 'a' }] }).code).toBe('bad_attachment');
    expect(refusalOf({ ...MAIL, subject: '', attachments: [{ filename: 'a.txt', content: 'a' }] }).code).toBe(
      'validation_error',
    );
  });

  it('requires html or text', () => {
    expect(refusalOf({ ...MAIL, text: undefined }).fields).toEqual(['html']);
    expect(refusalOf({ ...MAIL, text: undefined, html: '<p>' }).code).toBe('passes');
  });

  it.each([[null], [0], [7], [true], [[]], [[[]]], [{}], [{ toString: 'x' }], [''], [[null]]])(
    'handles %j in any field without an internal error',
    (value) => {
      for (const field of ['from', 'to', 'subject', 'html', 'text', 'cc', 'bcc', 'reply_to', 'headers', 'tags']) {
        const { code, fields } = refusalOf({ ...MAIL, [field]: value });
        // Null in `text` is taken as absent, so `html` is required.
        const isAbsent = value === null && field === 'text';
        expect(isAbsent ? ['missing_required_field'] : ['passes', 'validation_error']).toContain(code);
        if (!isAbsent) for (const named of fields) expect(named.startsWith(field)).toBe(true);
      }
      for (const field of ['attachments', 'scheduled_at'])
        expect(['passes', 'validation_error', 'missing_required_field']).toContain(
          refusalOf({ ...MAIL, [field]: value }).code,
        );
    },
  );

  it.each([['text'], [7], [[MAIL]], [true]])('refuses the body %j, which is not an object', (body) => {
    expect(refusalOf(body)).toMatchObject({ code: 'validation_error', fields: [''] });
  });

  it('drops unknown fields and lists them for the header', () => {
    const body = { ...MAIL, topic_id: 1, 'b\r\nad': 2, ä: 3 };
    expect(Object.keys(read(body)).sort()).toEqual(['from', 'subject', 'text', 'to']);
    expect(unknownFieldsHeader(body)).toBe('topic_id, b%0D%0Aad, %C3%A4');
    expect(unknownFieldsHeader(MAIL)).toBeUndefined();
    expect(unknownFieldsHeader(undefined)).toBeUndefined();
  });

  it('lists at most twenty unknown fields, each truncated', () => {
    const body: Record<string, unknown> = { ...MAIL };
    for (let i = 0; i < 100; i++) body[`${'😀'.repeat(100)}${i}`] = i;
    read(body);
    const names = unknownFieldsHeader(body)?.split(', ') ?? [];
    expect(names).toHaveLength(20);
    expect(decodeURIComponent(names[0])).toBe('😀'.repeat(64));
  });
});
