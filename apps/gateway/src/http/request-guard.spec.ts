import { LIMITS, Refusal } from '#libs/contracts';
import { describe, expect, it } from 'vitest';
import { bearerToken } from './caller.js';
import { bodyLimitsOf } from './body/body-limits.js';
import { requireReadableBody } from './request-guard.js';

const codeOf = (act: () => unknown): string => {
  try {
    act();
    return 'passes';
  } catch (error) {
    return (error as Refusal).code;
  }
};

describe('requireReadableBody', () => {
  it.each([
    [{}, 'passes'],
    [{ 'content-length': '0' }, 'passes'],
    [{ 'content-length': '2', 'content-type': 'application/json' }, 'passes'],
    [{ 'content-length': '2', 'content-type': 'Application/JSON; charset="UTF-8"' }, 'passes'],
    [{ 'content-length': '2', 'content-type': 'application/json', 'content-encoding': 'identity' }, 'passes'],
    [{ 'content-length': '2' }, 'wrong_content_type'],
    [{ 'content-length': '2', 'content-type': 'application/json; charset=utf8' }, 'passes'],
    [{ 'content-length': '2', 'content-type': 'application/json; profile="a;charset=x"; charset=us-ascii' }, 'passes'],
    [{ 'content-length': '2', 'content-type': 'application/json; charset=utf-16' }, 'wrong_content_type'],
    [{ 'content-length': '2', 'content-type': 'application/jsonp' }, 'wrong_content_type'],
    [{ 'content-length': '2', 'content-type': 'text/plain' }, 'wrong_content_type'],
    [{ 'content-length': '2', 'content-type': 'application/x-www-form-urlencoded' }, 'wrong_content_type'],
    [{ 'transfer-encoding': 'chunked', 'content-type': 'multipart/form-data' }, 'wrong_content_type'],
    [{ 'content-length': '2', 'content-type': 'application/json', 'content-encoding': 'gzip' }, 'compressed_body'],
    [{ 'content-length': '16777216', 'content-type': 'application/json' }, 'passes'],
    [{ 'content-length': '16777217', 'content-type': 'application/json' }, 'message_too_large'],
    [{ 'content-length': '16777217', 'content-type': 'text/plain' }, 'message_too_large'],
  ])('checks %j: %s', (headers, verdict) => {
    expect(
      codeOf(() => requireReadableBody({ headers }, { type: 'application/json', bytes: LIMITS.requestBytes })),
    ).toBe(verdict);
  });
});

describe('requireReadableBody of a route with a CSV body', () => {
  it.each([
    [{ 'content-length': '2', 'content-type': 'text/csv' }, 'passes'],
    [{ 'content-length': '2', 'content-type': 'text/csv; charset=utf-8; header=present' }, 'passes'],
    [{ 'content-length': '2', 'content-type': 'text/csv; charset=iso-8859-1' }, 'wrong_content_type'],
    [{ 'content-length': '2', 'content-type': 'application/json' }, 'wrong_content_type'],
    [{ 'content-length': '5242881', 'content-type': 'text/csv' }, 'message_too_large'],
  ])('checks %j: %s', (headers, verdict) => {
    expect(codeOf(() => requireReadableBody({ headers }, { type: 'text/csv', bytes: LIMITS.importBytes }))).toBe(
      verdict,
    );
  });
});

describe('the refusal of a body by its declared length', () => {
  const refused = (body: 'batch' | 'csv' | undefined) => {
    const limits = bodyLimitsOf(body && { body });
    const headers = { 'content-length': String(limits.bytes + 1), 'content-type': limits.type };
    try {
      requireReadableBody({ headers }, limits);
    } catch (error) {
      const { message, details } = error as Refusal;
      return { message, allowed: details.map((detail) => `${detail.code}: ${detail.message}`) };
    }
    return undefined;
  };

  it('is the same for an email as that of its actual size', () => {
    expect(refused(undefined)).toEqual({
      message: 'The mail is larger than 10 MB.',
      allowed: ['too_large: must have at most 10485760 bytes in all'],
    });
  });

  it('names a batch or a file', () => {
    expect(refused('batch')).toEqual({
      message: 'The batch is larger than 50 MiB.',
      allowed: ['too_large: must have at most 52428800 bytes in all'],
    });
    expect(refused('csv')).toEqual({
      message: 'The file is larger than 5 MiB.',
      allowed: ['too_large: must have at most 5242880 bytes in all'],
    });
  });
});

describe('bearerToken', () => {
  it.each([
    ['Bearer pl_live_x', 'pl_live_x'],
    ['bearer   pl_live_x  ', 'pl_live_x'],
  ])('reads %j', (header, token) => {
    expect(bearerToken(header)).toBe(token);
  });

  it.each([[undefined], [''], ['Bearer'], ['Bearer '], ['Basic cGw6cGw='], ['pl_live_x'], [7], [['Bearer a']]])(
    'finds no key in %j',
    (header) => {
      expect(codeOf(() => bearerToken(header))).toBe('missing_api_key');
    },
  );
});
