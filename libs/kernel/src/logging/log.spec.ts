import { Refusal } from '#libs/contracts';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { Log } from './log.js';

interface Line {
  level: number;
  msg: string;
  err?: { stack: string };
}

function logged(error: unknown, fields?: object): Line {
  const lines: string[] = [];
  new Log(pino({}, { write: (line: string) => void lines.push(line) })).error('a job failed', error, fields);
  expect(lines).toHaveLength(1);
  return JSON.parse(lines[0]) as Line;
}

describe('the log of an error', () => {
  it('has the stack of an unexpected one', () => {
    const line = logged(new TypeError('x is undefined'));
    expect(line).toMatchObject({ level: 50, msg: 'a job failed' });
    expect(line.err?.stack).toContain('log.spec.ts');
  });

  it.each(['recipient_suppressed', 'conflict', 'rate_limit_exceeded', 'service_unavailable'] as const)(
    'has the reason of an expected refusal, and no stack: %s',
    (code) => {
      const line = logged(new Refusal(code, [], 'The reason.'), { job: 'j' });
      expect(line).toMatchObject({ level: 40, msg: 'a job failed', job: 'j', code, reason: 'The reason.' });
      expect(JSON.stringify(line)).not.toContain('log.spec.ts');
    },
  );

  it('has the stack of a refusal that stands for an unexpected error', () => {
    expect(logged(new Refusal('internal_server_error'))).toMatchObject({ level: 50 });
  });
});
