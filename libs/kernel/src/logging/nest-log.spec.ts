import { Logger } from '@nestjs/common';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Log } from './log.js';
import { NestLog } from './nest-log.js';

describe('NestLog', () => {
  let lines: Record<string, unknown>[];
  beforeEach(() => {
    lines = [];
    const write = (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>);
    Logger.overrideLogger(new NestLog(new Log(pino({ base: null, timestamp: false }, { write }))));
  });
  afterEach(() => Logger.overrideLogger(false));

  const nest = new Logger('Router');

  it('logs warnings and errors with the component of the framework', () => {
    nest.warn('a route is of an old form');
    nest.error(new Error('no such provider'));
    nest.error('it went wrong', 'Error: it went wrong\n    at there');
    nest.fatal('it cannot go on');
    expect(lines).toEqual([
      { level: 40, context: 'Router', msg: 'a route is of an old form' },
      {
        level: 50,
        context: 'Router',
        err: { type: 'Error', message: 'no such provider', stack: expect.stringContaining('nest-log.spec') as string },
        msg: 'no such provider',
      },
      { level: 50, context: 'Router', err: 'Error: it went wrong\n    at there', msg: 'it went wrong' },
      { level: 50, context: 'Router', msg: 'it cannot go on' },
    ]);
  });

  it('drops progress messages', () => {
    nest.log('mapped a route');
    nest.debug('looked');
    nest.verbose('looked twice');
    expect(lines).toEqual([]);
  });
});
