import { NotFoundException, PayloadTooLargeException } from '@nestjs/common';
import { Refusal, REFUSALS, type RefusalCode } from '#libs/contracts';
import { describe, expect, it } from 'vitest';
import { errorResponse } from './error-body.js';

describe('errorResponse', () => {
  it.each(Object.keys(REFUSALS) as RefusalCode[])('answers %s as the table of refusals defines it', (code) => {
    const { body, unexpected } = errorResponse(
      new Refusal(code, [{ field: 'to[3]', code: 'x', message: 'y' }]),
      'req_1',
    );
    const { status, name, error, message } = REFUSALS[code];
    expect(body).toEqual({
      statusCode: status,
      name,
      error,
      message,
      details: [{ field: 'to[3]', code: 'x', message: 'y' }],
      request_id: 'req_1',
    });
    expect(unexpected).toBe(false);
  });

  it("never answers 413: the framework's limit is the 422 of a mail that is too large", () => {
    expect(errorResponse(new PayloadTooLargeException(), 'req_1').body).toMatchObject({
      statusCode: 422,
      error: 'unprocessable_entity',
    });
    expect(errorResponse({ statusCode: 413 }, 'req_1').body.statusCode).toBe(422);
  });

  it.each([
    [new NotFoundException('Cannot GET /secret/path'), 404, 'not_found'],
    [{ statusCode: 400, message: 'FST_ERR_BAD_URL' }, 400, 'bad_request'],
    [{ statusCode: 414 }, 400, 'bad_request'],
    [{ statusCode: 415 }, 400, 'bad_request'],
  ])('does not pass on messages of the framework: %s', (thrown, status, error) => {
    const { body } = errorResponse(thrown, 'req_1');
    expect(body).toMatchObject({ statusCode: status, error });
    expect(JSON.stringify(body)).not.toMatch(/FST_|Cannot|secret/);
  });

  it.each(['54000', '54001', '54011', '54023'])(
    'answers 400 to a statement beyond the limits of the database: %s',
    (code) => {
      const { body, unexpected } = errorResponse(
        Object.assign(new Error('stack depth limit exceeded'), { code }),
        'req_1',
      );
      expect(body).toMatchObject({ statusCode: 400, details: [{ code: 'too_costly' }] });
      expect([unexpected, JSON.stringify(body).includes('stack')]).toEqual([false, false]);
    },
  );

  it.each([[new Error('SELECT * FROM accounts at /srv/app.js:1')], ['a string'], [undefined], [{ statusCode: 302 }]])(
    'reveals nothing about an unexpected error: %s',
    (thrown) => {
      const { body, unexpected } = errorResponse(thrown, 'req_1');
      expect(unexpected).toBe(true);
      expect(body).toMatchObject({ statusCode: 500, error: 'internal_server_error', details: [] });
      expect(body.message).toBe(REFUSALS.internal_server_error.message);
    },
  );

  it.each([
    { code: '57P01', message: 'terminating connection due to administrator command' },
    { code: 'ECONNREFUSED', message: 'connect ECONNREFUSED 127.0.0.1:5432' },
    new Error('timeout exceeded when trying to connect'),
  ])('asks for a retry if the database is unavailable: %s', (thrown) => {
    const { body, headers, unexpected } = errorResponse(thrown, 'req_1');
    expect(body).toMatchObject({ statusCode: 503, error: 'service_unavailable', name: 'application_error' });
    expect(headers['retry-after']).toBe('5');
    // The pool logs the outage once, instead of every request.
    expect(unexpected).toBe(false);
  });

  it('adds the challenge of a 401 and the wait of a 429 and a 503', () => {
    expect(errorResponse(new Refusal('missing_api_key'), 'r').headers['www-authenticate']).toMatch(/^Bearer/);
    expect(errorResponse(new Refusal('rate_limit_exceeded', [], undefined, 1), 'r').headers['retry-after']).toBe('1');
    expect(errorResponse(new Refusal('service_unavailable'), 'r').headers['retry-after']).toBe('5');
    expect(errorResponse(new Refusal('monthly_quota_exceeded'), 'r').headers).toEqual({});
  });
});
