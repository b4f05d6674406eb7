import { isAscii, isUtf8 } from 'node:buffer';
import type { Reply } from './replies.js';
import type { BaseConnection, CommandHandler } from './smtp-server-internals.js';

/** Returns the reply to a line that is refused; null leaves it to the library. */
type Check = (line: string, connection: BaseConnection) => Reply | null;

/** Of every command; RFC 5321 §4.5.3.1.4 requires 512 octets, and each extension some more. */
const MAX_LINE = 2_048;
/** RFC 4954 §4, for the lines of a login. */
const MAX_AUTH_LINE = 12_288;
const NOT_ASCII = /[^\x00-\x7f]/;
const CONTROLS = /[\x00-\x08\x0a-\x1f\x7f]/;
const GREETING = /^(?:ehlo|helo)[ \t]/i;
/** The library splits the line at every kind of space. */
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u;
const QUESTION_MARK = 0x3f;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const MECHANISMS = /^(?:PLAIN|LOGIN)$/i;
/** RFC 6152 §3; BINARYMIME would need BDAT. */
const BODY = /^(?:7BIT|8BITMIME)$/i;
/** RFC 3461 §4; `<>` is within it. */
const XTEXT = /^(?:[\x21-\x2a\x2c-\x3c\x3e-\x7e]|\+[0-9A-F]{2})+$/;

/** A command up to the end of its address, before the blank that precedes its parameters. */
const ADDRESS = /^[^<>]*<[^<>]*>(?=\s|$)/;

const NOT_BASE64: Reply = [501, '5.5.2 This is not base64'];
const NOT_HERE: Reply = [502, '5.5.1 Not implemented here'];
const UNKNOWN_PARAMETER: Reply = [555, '5.5.4 A parameter is not known or not offered here'];
const NEEDS_SMTPUTF8: Reply = [553, '5.6.7 An address beyond ASCII needs SMTPUTF8 in MAIL'];

/** Commands of some RFC that no listener offers: 502, where 500 would mean an unknown command (RFC 5321 §4.2.4). */
const NOT_IMPLEMENTED = new Set(['EXPN', 'BDAT', 'ETRN', 'ATRN', 'TURN', 'SEND', 'SOML', 'SAML', 'BURL']);
/** Sendmail jokes that the library answers. */
const NO_COMMANDS = new Set(['WIZ', 'SHELL', 'KILL']);

const CHECKS: Partial<Record<string, Check>> = {
  AUTH: checkAuth,
  MAIL: checkMail,
  RCPT: checkRcpt,
  DATA: withoutArgument('DATA'),
  RSET: withoutArgument('RSET'),
  QUIT: withoutArgument('QUIT'),
};

/**
 * The library's handler of a command behind a check of what the library accepts against the RFCs: unknown parameters,
 * arguments of commands that have none, login data that is not base64, addresses beyond ASCII without SMTPUTF8.
 * Undefined: there is no such command.
 */
export function checkedHandler(
  name: string,
  connection: BaseConnection,
  handler: CommandHandler | undefined,
): CommandHandler | undefined {
  if (NO_COMMANDS.has(name)) return undefined;
  if (NOT_IMPLEMENTED.has(name)) return (_, next) => refuse(connection, NOT_HERE, next);
  const check = CHECKS[name];
  if (!handler || !check) return handler;
  return (command, next) => {
    const problem = check(command.toString(), connection);
    if (problem) refuse(connection, problem, next);
    else handler(command, next);
  };
}

function refuse(connection: BaseConnection, [code, text]: Reply, next: () => void): void {
  connection.send(code, text);
  next();
}

/**
 * The reply to a line that is refused whatever its command: too long, not text, a disabled command, or login data that is
 * not base64.
 */
export function lineProblem(line: Buffer, connection: BaseConnection): Reply | null {
  const { isInLogin } = connection;
  if (line.length > MAX_LINE) {
    const login = isInLogin || /^auth(?: |$)/i.test(line.toString('latin1', 0, 5));
    if (!login) return [500, '5.5.2 Line too long'];
    if (line.length > MAX_AUTH_LINE) return [500, '5.5.6 The line of a login is too long'];
  }
  const text = line.toString();
  if (isInLogin) return text === '*' || BASE64.test(text.trim()) ? null : NOT_BASE64;
  if (CONTROLS.test(text) || !(isUtf8(line) || isGreeting(line))) return [500, '5.5.2 The line is not text'];
  return isDisabled(text, connection) ? NOT_HERE : null;
}

/**
 * An EHLO or HELO line whose name is ASCII or UTF-8 without invisible characters. Windows programs give the name of the machine
 * in the charset of the system (Latin-1, Windows-1251, GBK, Shift_JIS), which says nothing that is needed: each of its octets
 * beyond ASCII becomes a question mark. Other lines are returned as they are.
 */
export function normaliseGreeting(line: Buffer): Buffer {
  if (isAscii(line) || !isGreeting(line)) return line;
  if (isUtf8(line) && !INVISIBLE.test(line.toString())) return line;
  return Buffer.from(line.map((octet) => (octet < 0x80 ? octet : QUESTION_MARK)));
}

const isGreeting = (line: Buffer): boolean => GREETING.test(line.toString('latin1', 0, 5));

/** A listener without logins knows AUTH all the same: 502, not 500. */
function isDisabled(text: string, connection: BaseConnection): boolean {
  const space = text.indexOf(' ');
  return connection.isCommandDisabled((space < 0 ? text : text.slice(0, space)).toUpperCase());
}

function checkAuth(line: string, { secure, session }: BaseConnection): Reply | null {
  if (!secure || session.user) return null;
  const [, mechanism, response] = line.trim().split(/\s+/);
  if (!mechanism) return [501, '5.5.4 Syntax: AUTH mechanism'];
  // The library refuses other mechanisms by name.
  if (!MECHANISMS.test(mechanism) || response === undefined || response === '=') return null;
  return BASE64.test(response) ? null : NOT_BASE64;
}

function checkMail(line: string, connection: BaseConnection): Reply | null {
  if (!/^MAIL FROM\s*:/i.test(line)) return [501, '5.5.4 Syntax: MAIL FROM:<address>'];
  const given = parameters(line);
  if (given.length === 0) return NOT_ASCII.test(line) ? NEEDS_SMTPUTF8 : null;
  const { hideDSN, hideREQUIRETLS } = connection.serverOptions;
  const known = ['SIZE', 'BODY', 'SMTPUTF8'];
  if (connection.isCommandSupported('AUTH')) known.push('AUTH');
  if (!hideDSN) known.push('RET', 'ENVID');
  if (!hideREQUIRETLS) known.push('REQUIRETLS');
  const unknown = given.some(([key, value]) => !known.includes(key) || (key === 'BODY' && !BODY.test(value)));
  if (unknown) return UNKNOWN_PARAMETER;
  if (given.some(([key, value]) => key === 'AUTH' && !XTEXT.test(value)))
    return [501, '5.5.4 AUTH takes an address as xtext or <>'];
  return NOT_ASCII.test(line) && !given.some(([key]) => key === 'SMTPUTF8') ? NEEDS_SMTPUTF8 : null;
}

function checkRcpt(line: string, { session, serverOptions }: BaseConnection): Reply | null {
  if (!/^RCPT TO\s*:/i.test(line)) return [501, '5.5.4 Syntax: RCPT TO:<address>'];
  const known = serverOptions.hideDSN ? [] : ['NOTIFY', 'ORCPT'];
  if (parameters(line).some(([key]) => !known.includes(key))) return UNKNOWN_PARAMETER;
  const { mailFrom, smtpUtf8 } = session.envelope;
  return mailFrom && !smtpUtf8 && NOT_ASCII.test(line) ? NEEDS_SMTPUTF8 : null;
}

/** The parameters behind the address, keys in upper case; empty without an address, which the library refuses. */
function parameters(line: string): [key: string, value: string][] {
  const [address] = ADDRESS.exec(line) ?? [];
  if (address === undefined || address.length === line.length) return [];
  const words = line.slice(address.length).split(/\s+/).filter(Boolean);
  return words.map((word) => {
    const [key, ...value] = word.split('=');
    return [key.toUpperCase(), value.join('=')];
  });
}

/** RFC 5321 §4.1.1: an argument of a command that has none is a syntax error. */
function withoutArgument(name: string): Check {
  return (line) => (line.trim().length > name.length ? [501, `5.5.4 Syntax: ${name}`] : null);
}
