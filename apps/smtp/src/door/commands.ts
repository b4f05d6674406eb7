import { isUtf8 } from 'node:buffer';
import type { Connection } from './connection.js';
import type { Reply } from './replies.js';

/** What is wrong with a command line, or null. The library then reads it on its own. */
type Check = (line: string, connection: Connection) => Reply | null;
export type Handler = NonNullable<ReturnType<Connection['_getHandler']>>;

/** RFC 5321 §4.5.3.1.4 asks for 512 octets, and each extension for some more. */
const MAX_LINE = 2_048;
/** RFC 4954 §4: of a line of a login. */
const MAX_AUTH_LINE = 12_288;
const NOT_ASCII = /[^\x00-\x7f]/;
const CONTROLS = /[\x00-\x08\x0a-\x1f\x7f]/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const MECHANISMS = /^(?:PLAIN|LOGIN)$/i;
/** RFC 6152 §3; BINARYMIME would need BDAT. */
const BODY = /^(?:7BIT|8BITMIME)$/i;
/** RFC 3461 §4; `<>` is within it. */
const XTEXT = /^(?:[\x21-\x2a\x2c-\x3c\x3e-\x7e]|\+[0-9A-F]{2})+$/;

const NOT_BASE64: Reply = [501, '5.5.2 This is not base64'];
const NOT_HERE: Reply = [502, '5.5.1 Not implemented here'];
const UNKNOWN_PARAMETER: Reply = [555, '5.5.4 A parameter is not known or not offered here'];
const NEEDS_SMTPUTF8: Reply = [553, '5.6.7 An address beyond ASCII needs SMTPUTF8 in MAIL'];

/** Known to some standard, offered by no door of ours: 502, where 500 would say "no such word" (RFC 5321 §4.2.4). */
const NOT_IMPLEMENTED = new Set(['EXPN', 'BDAT', 'ETRN', 'ATRN', 'TURN', 'SEND', 'SOML', 'SAML', 'BURL']);
/** Commands of an old program that the library answers for fun. */
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
 * The library's handler of a command, behind a check of what the library lets pass and the standards do not: parameters
 * that nobody knows, arguments of commands that have none, login data that is not base64, addresses beyond ASCII without
 * SMTPUTF8. Undefined: there is no such command.
 */
export function checkedHandler(
  name: string,
  connection: Connection,
  handler: Handler | undefined,
): Handler | undefined {
  if (NO_COMMANDS.has(name)) return undefined;
  if (NOT_IMPLEMENTED.has(name)) return (_, next) => refuse(connection, NOT_HERE, next);
  const check = CHECKS[name];
  if (!handler || !check) return handler;
  return (command, next) => {
    const problem = check(command.toString(), connection);
    if (problem) refuse(connection, problem, next);
    else handler.call(connection, command, next);
  };
}

function refuse(connection: Connection, [code, text]: Reply, next: () => void): void {
  connection.send(code, text);
  next();
}

/**
 * What is wrong with a line, whatever command it is: octets that are no text, too many of them, login data that is not
 * base64.
 */
export function lineProblem(line: Buffer, connection: Connection): Reply | null {
  /** The line answers a 334. */
  const inLogin = connection._nextHandler !== false;
  if (line.length > MAX_LINE) {
    const login = inLogin || /^auth(?: |$)/i.test(line.toString('latin1', 0, 5));
    if (!login) return [500, '5.5.2 Line too long'];
    if (line.length > MAX_AUTH_LINE) return [500, '5.5.6 The line of a login is too long'];
  }
  const text = line.toString();
  if (inLogin) return text === '*' || BASE64.test(text.trim()) ? null : NOT_BASE64;
  if (CONTROLS.test(text) || !isUtf8(line)) return [500, '5.5.2 The line is not text'];
  return isDisabled(text, connection) ? NOT_HERE : null;
}

/** A door without logins knows the word all the same. */
function isDisabled(text: string, connection: Connection): boolean {
  const space = text.indexOf(' ');
  return connection._isDisabled((space < 0 ? text : text.slice(0, space)).toUpperCase());
}

function checkAuth(line: string, { secure, session }: Connection): Reply | null {
  if (!secure || session.user) return null;
  const [, mechanism, response] = line.trim().split(/\s+/);
  if (!mechanism) return [501, '5.5.4 Syntax: AUTH mechanism'];
  // What another mechanism wants is not known; the library refuses it by name.
  if (!MECHANISMS.test(mechanism) || response === undefined || response === '=') return null;
  return BASE64.test(response) ? null : NOT_BASE64;
}

function checkMail(line: string, connection: Connection): Reply | null {
  if (!/^MAIL FROM\s*:/i.test(line)) return [501, '5.5.4 Syntax: MAIL FROM:<address>'];
  const given = parameters(line);
  if (given.length === 0) return NOT_ASCII.test(line) ? NEEDS_SMTPUTF8 : null;
  const { options } = connection._server;
  const known = ['SIZE', 'BODY', 'SMTPUTF8'];
  if (connection._isSupported('AUTH')) known.push('AUTH');
  if (!options.hideDSN) known.push('RET', 'ENVID');
  if (!options.hideREQUIRETLS) known.push('REQUIRETLS');
  const strange = given.some(([key, value]) => !known.includes(key) || (key === 'BODY' && !BODY.test(value)));
  if (strange) return UNKNOWN_PARAMETER;
  if (given.some(([key, value]) => key === 'AUTH' && !XTEXT.test(value)))
    return [501, '5.5.4 AUTH takes an address as xtext or <>'];
  return NOT_ASCII.test(line) && !given.some(([key]) => key === 'SMTPUTF8') ? NEEDS_SMTPUTF8 : null;
}

function checkRcpt(line: string, { session, _server }: Connection): Reply | null {
  if (!/^RCPT TO\s*:/i.test(line)) return [501, '5.5.4 Syntax: RCPT TO:<address>'];
  const known = _server.options.hideDSN ? [] : ['NOTIFY', 'ORCPT'];
  if (parameters(line).some(([key]) => !known.includes(key))) return UNKNOWN_PARAMETER;
  const { mailFrom, smtpUtf8 } = session.envelope;
  return mailFrom && !smtpUtf8 && NOT_ASCII.test(line) ? NEEDS_SMTPUTF8 : null;
}

/** What follows the address, with the keys in upper case; none where there is no address: the library says that. */
function parameters(line: string): [key: string, value: string][] {
  if (line.indexOf('>') === line.length - 1) return [];
  const [, after = ''] = /^[^<>]*<[^<>]*>(?:\s+(.*))?$/.exec(line) ?? [];
  const words = after.split(/\s+/).filter(Boolean);
  return words.map((word) => {
    const [key, ...value] = word.split('=');
    return [key.toUpperCase(), value.join('=')];
  });
}

/** RFC 5321 §4.1.1: a parameter that the command does not have is an error of syntax. */
function withoutArgument(name: string): Check {
  return (line) => (line.trim().length > name.length ? [501, `5.5.4 Syntax: ${name}`] : null);
}
