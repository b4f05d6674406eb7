import { describe, expect, it } from 'vitest';
import { UsageError } from './command.js';
import { table } from './output.js';
import { COMMANDS, helpText, parseCommandLine } from './parse-command-line.js';

const problem = (line: string): string => {
  try {
    parseCommandLine(line.split(' ').filter((word) => word !== ''));
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  return '';
};

describe('the command line', () => {
  it('accepts every command in the help', () => {
    for (const line of [
      'accounts create --name Letters',
      'accounts create --name Letters --plan unlimited --json',
      'accounts create --json --name=Letters --plan 5000',
      'accounts list',
      'accounts block acc_1',
      'accounts unblock acc_1 --json',
      'accounts overdue acc_1',
      'accounts settled acc_1',
      'accounts plan acc_1 free',
      'api-keys create acc_1',
      'api-keys create acc_1 --test --permission sending_access --name ci',
      'api-keys create acc_1 --scopes emails.send,emails.read --domain mail.example.com --ip 192.0.2.0/24,2001:db8::/32',
      'api-keys create acc_1 --expires 2999-01-31T09:30:00Z',
      'api-keys list acc_1 --json',
      'api-keys revoke key_1',
      'domains vouch acc_1 mail.example.com',
      'domains list acc_1',
      'queues',
      'queues --json',
      'queues resume google',
      'doctor',
      'doctor --json --only ptr,domains --domain shop.example.com',
      'inbound',
      'inbound --limit 1000 --json',
      'inbound show inb_01978c0e5f7b7c3a9d21f0b64c1e88aa',
      'inbound delete inb_01978c0e5f7b7c3a9d21f0b64c1e88aa',
      'parked list',
      'parked list --limit 1000 --consumer webhooks --json',
      'parked show prk_01978c0e5f7b7c3a9d21f0b64c1e88aa',
      'parked replay prk_01978c0e5f7b7c3a9d21f0b64c1e88aa',
      'parked replay all --consumer webhooks',
      'parked drop all',
      'consumers list --json',
      'consumers remove kafka-relay',
      'retention show',
      'retention confirm',
    ])
      expect(problem(line), line).toBe('');
    for (const { name } of COMMANDS) expect(helpText()).toContain(name);
  });

  it('rejects an invalid command line with one sentence', () => {
    expect(problem('')).toBe('Say what to do, for example: accounts list');
    expect(problem('frobnicate')).toBe('There is no command "frobnicate".');
    expect(problem('accounts')).toContain('"accounts" needs one of create, list, block');
    expect(problem('accounts explode acc_1')).toContain('There is no command "accounts explode"');
    expect(problem('queues resume')).toBe('"queues resume" needs <queue>.');
    for (const limit of ['0', '-1', '1001', 'all'])
      expect(problem(`inbound --limit=${limit}`)).toBe('--limit must be a number from 1 to 1000.');
    expect(problem('parked list --limit=0')).toBe('--limit must be a number from 1 to 1000.');
    for (const command of ['show', 'replay', 'drop'])
      expect(problem(`parked ${command} everything`)).toContain('The id must be one that "parked list" shows');
    expect(problem('parked drop prk_01978c0e5f7b7c3a9d21f0b64c1e88aa --consumer webhooks')).toContain('"all" only');
    expect(problem('inbound show em_1')).toContain('The id must be one that "inbound" lists');
    expect(problem('doctor --domain a.example,b.example')).toBe(
      '--domain must be a domain name such as mail.example.com.',
    );
    expect(problem('doctor --only ptr --domain shop.example.com')).toMatch(
      /^--domain is looked at by the check "domains"/,
    );
    expect(problem('doctor --only horoscope')).toMatch(
      /^There is no check "horoscope"; --only takes settings, name-servers, /,
    );
    expect(problem('doctor --domain nowhere')).toContain('--domain must be');
    expect(problem('doctor shop.example.com')).toContain('takes no further word');
    expect(problem('--json accounts list')).toContain('The command comes first');
    expect(problem('accounts list --colour')).toBe("Unknown option '--colour'.");
    expect(problem('accounts list --plan free')).toBe("Unknown option '--plan'.");
    expect(problem('accounts create')).toBe('--name is required.');
    expect(problem('accounts create --name')).toContain("'--name <value>' argument missing");
    expect(problem('accounts create --name N --plan gold')).toContain('"gold" is none of them');
    expect(problem('accounts create --name N --plan 0')).toContain('"0" is none of them');
    expect(problem('accounts plan acc_1')).toBe('"accounts plan" needs <plan>.');
    expect(problem('accounts block')).toBe('"accounts block" needs <account>.');
    expect(problem('accounts block a b')).toContain('"b" is one too many');
    expect(problem('api-keys create acc_1 --permission root')).toContain('"root" is neither');
    expect(problem('api-keys create acc_1 --permission full_access --scopes emails.send')).toContain('not both');
    expect(problem('api-keys create acc_1 --scopes root')).toContain('--scopes must be one of emails.send,');
    expect(problem('api-keys create acc_1 --ip 10.1.2.3/8')).toContain('--ip must be an IPv4 or IPv6 network');
    expect(problem('api-keys create acc_1 --expires tomorrow')).toContain('--expires must be an ISO 8601 timestamp');
    expect(problem('api-keys create acc_1 --expires 2001-01-01T00:00:00Z')).toBe('--expires must be in the future.');
  });

  it('accepts every form of asking for help', () => {
    for (const words of [['--help'], ['-h'], ['help'], ['accounts', 'create', '--help']])
      expect(parseCommandLine(words).kind).toBe('help');
  });

  it('aligns tables', () => {
    expect(
      table([
        { id: 'a', name: 'long name' },
        { id: 'bcd', name: 'x' },
      ]),
    ).toBe('id   name\na    long name\nbcd  x');
    expect(table([])).toBe('(none)');
  });
});
