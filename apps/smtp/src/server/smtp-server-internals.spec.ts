import { readdirSync, readFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { SMTPServer } from 'smtp-server';
import { SMTPConnection } from 'smtp-server/lib/smtp-connection.js';
import { SMTPStream } from 'smtp-server/lib/smtp-stream.js';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { selfSignedCertificate } from '../../../../test/support/fixtures/self-signed-certificate.js';
import { CORRECTIONS } from './replies.js';
import { readLinesFast } from './smtp-server-internals.js';

/** Every undocumented member of the package that is used: methods with their number of parameters, fields with their type. */
const METHODS = {
  SMTPServer: { connect: 2, _acceptSocket: 2, _onError: 1, _upgrade: 2 },
  SMTPConnection: {
    connectionReady: 1,
    handler_MAIL: 2,
    handler_STARTTLS: 2,
    init: 0,
    upgrade: 2,
    _armTimeout: 0,
    _createParser: 0,
    _getHandler: 1,
    _isDisabled: 1,
    _isSupported: 1,
    _onCommand: 2,
    _parseAddressCommand: 2,
    _resetSession: 0,
  },
  SMTPStream: { oncommand: 2, _countDataBytes: 1, _endDataMode: 3, _feedDataStream: 2, _write: 3 },
};
const FIELDS = {
  SMTPServer: { connections: 'Set', options: 'Object', _pendingSockets: 'Map' },
  SMTPConnection: {
    _closed: 'Boolean',
    _closing: 'Boolean',
    // False until DATA; a stream and null are covered by `smtp-server-behaviour.spec.ts`.
    _dataStream: 'Boolean',
    _handlerPending: 'Boolean',
    // False, or a function in a login.
    _nextHandler: 'Boolean',
    _parser: 'SMTPStream',
    _ready: 'Boolean',
    _server: 'SMTPServer',
    _socket: 'Socket',
    _upgrading: 'Boolean',
  },
  SMTPStream: {
    dataBytes: 'Number',
    isClosed: 'Boolean',
    _atDataStart: 'Boolean',
    _dataMode: 'Boolean',
    _dataStream: 'null',
    // False, or a buffer.
    _lastBytes: 'Boolean',
    _maxCommandLength: 'Number',
    _remainder: 'String',
  },
};
type ClassName = keyof typeof METHODS;

const certificate = selfSignedCertificate('smtp.test');
const program = fileURLToPath(new URL('..', import.meta.url));

describe('the private members of smtp-server that are used', () => {
  const server = new SMTPServer({ ...certificate, logger: false });
  const fresh = {
    SMTPServer: server,
    SMTPConnection: new SMTPConnection(server, new Socket()),
    SMTPStream: new SMTPStream(),
  };
  const prototypes = { SMTPServer, SMTPConnection, SMTPStream };
  const rows = <T>(table: Record<ClassName, object>) =>
    Object.entries(table).flatMap(([owner, members]) =>
      Object.entries(members).map(([name, value]) => [owner as ClassName, name, value as T] as const),
    );

  it.each(rows<number>(METHODS))('%s.%s is a method with %i parameters', (owner, name, parameters) => {
    const method: unknown = Reflect.get(prototypes[owner].prototype, name);
    expect(method).toBeTypeOf('function');
    expect((method as () => void).length).toBe(parameters);
  });

  it.each(rows<string>(FIELDS))('%s.%s is a field: %s', (owner, name, type) => {
    expect(Object.hasOwn(fresh[owner], name)).toBe(true);
    const value: unknown = Reflect.get(fresh[owner], name);
    expect(value === null ? 'null' : (value as object).constructor.name).toBe(type);
  });

  it('are all listed here', () => {
    const source = readFileSync(`${program}/server/smtp-server-internals.ts`, 'utf8');
    const listed = [...rows(METHODS), ...rows(FIELDS)].map(([, name]) => name);
    const used = [...privateNames(source), ...[...source.matchAll(/override (\w+)\(/g)].map(([, name]) => name)];
    expect(used.length).toBeGreaterThan(31);
    expect([...new Set(used)].filter((name) => !listed.includes(name))).toEqual([]);
    expect(listed.filter((name) => !new RegExp(`\\b${name}\\b`).test(source))).toEqual([]);
  });

  it('are used by no other file of the program', () => {
    const files = readdirSync(program, { recursive: true, encoding: 'utf8' }).filter(
      (file) => file.endsWith('.ts') && !file.endsWith('.spec.ts') && !file.endsWith('smtp-server-internals.ts'),
    );
    expect(files.length).toBeGreaterThan(15);
    const users = files.filter((file) => {
      const source = readFileSync(`${program}/${file}`, 'utf8');
      return privateNames(source).length > 0 || /from 'smtp-server\/lib\//.test(source);
    });
    expect(users).toEqual([]);
  });
});

describe('the sentences of smtp-server that are corrected', () => {
  const folder = fileURLToPath(new URL('.', import.meta.resolve('smtp-server')));
  const sources = readdirSync(folder).filter((file) => file.endsWith('.js'));
  const library = sources.map((file) => readFileSync(`${folder}/${file}`, 'utf8')).join('\n');

  it.each([...CORRECTIONS.keys()])('%s', (sentence) => {
    // The errors of the parser get their "Error: " from the connection.
    expect(library.includes(`'${sentence}'`) || library.includes(`'${sentence.replace(/^Error: /, '')}'`)).toBe(true);
  });
});

describe('readLinesFast', () => {
  const read = async (parser: SMTPStream, chunks: string[]): Promise<(string | null)[]> => {
    const lines: (string | null)[] = [];
    parser.oncommand = (line, next) => {
      lines.push(line.toString('latin1'));
      if (next) setImmediate(next);
    };
    for (const chunk of chunks)
      await new Promise<void>((resolve) => {
        parser.write(Buffer.from(chunk, 'latin1'), (error) => {
          if (error) lines.push(null);
          resolve();
        });
      });
    return lines;
  };

  it.each([
    ['whole lines', ['EHLO me\r\n', 'NOOP\n', '\r\n', '\n', 'a\rb\r\n']],
    ['pieces of lines', ['EH', 'LO me\r', '\nNOOP\r\n', 'Q', 'UIT\r\n']],
    ['several lines in one piece', ['A\r\nB\r\n', 'C\nD', '\r\n\r\n']],
    ['lines of the largest length', [`${'x'.repeat(14)}\r\n`, `${'y'.repeat(16)}\r\n`, 'z\r\n']],
    ['lines that are too long', ['x'.repeat(17)]],
  ])('reads %s as the library does', async (_, chunks) => {
    const options = { maxCommandLength: 16 };
    const expected = await read(silenced(new SMTPStream(options)), chunks);
    expect(await read(silenced(readLinesFast(new SMTPStream(options))), chunks)).toEqual(expected);
    expect(expected.length).toBeGreaterThan(0);
  });

  it('dispatches nothing once the connection is closed', async () => {
    const parser = readLinesFast(new SMTPStream());
    parser.isClosed = true;
    expect(await read(parser, ['NOOP\r\n'])).toEqual([]);
  });
});

const silenced = (parser: SMTPStream): SMTPStream => parser.on('error', () => undefined);

/** Names of members that begin with an underscore: accessed, destructured or declared. */
function privateNames(source: string): string[] {
  const names: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isPropertyAccessExpression(node)) names.push(node.name.text);
    else if (ts.isBindingElement(node) && ts.isObjectBindingPattern(node.parent))
      names.push((node.propertyName ?? node.name).getText());
    else if (ts.isClassElement(node) && node.name) names.push(node.name.getText());
    else if (ts.isStringLiteralLike(node)) names.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('source.ts', source, ts.ScriptTarget.Latest, true));
  return names.filter((name) => /^_[a-zA-Z]\w*$/.test(name));
}
