import type net from 'node:net';
import tls from 'node:tls';
import { ORDINARY_EXTENSIONS, type MxAction, type MxMoment, type MxServer, type MxSession } from './mx-script.js';

/** What a server without a script replies; the other moments need more than a text. */
const ORDINARY: Partial<Record<MxMoment, string>> = {
  banner: '220 mx.test ESMTP ready',
  helo: '250 mx.test',
  starttls: '220 2.0.0 go ahead',
  mail: '250 2.1.0 sender ok',
  rcpt: '250 2.1.5 recipient ok',
  data: '354 end with a dot',
  dot: '250 2.0.0 taken',
  rset: '250 2.0.0 reset',
  quit: '221 2.0.0 bye',
};
const COMMANDS: readonly string[] = ['ehlo', 'helo', 'starttls', 'auth', 'mail', 'rcpt', 'data', 'rset', 'quit'];

const EMPTY = Buffer.alloc(0);
const FINAL_DOT = Buffer.from('\r\n.\r\n');
const FLOOD_BYTES = 64 * 1024;
/** Longer than it takes to acknowledge a packet, so that the next reply travels in one of its own. */
const SINGLE_MS = 20;

/** One connection of a `ScriptedMx`. */
export class MxConnection {
  private socket: net.Socket;
  private pending: Buffer = EMPTY;
  private chunks: Buffer[] = [];
  private tail: Buffer = EMPTY;
  private inData = false;
  private silent = false;
  private delayed = 0;
  private login: string | null = null;
  private loginLines: string[] | null = null;
  private mailOpen = false;
  private mailFrom = '';
  private parameters = '';
  private recipients: string[] = [];

  constructor(
    private readonly mx: MxServer,
    private readonly session: MxSession,
    socket: net.Socket,
  ) {
    this.socket = socket;
    socket.setNoDelay(true);
    socket.on('error', () => socket.destroy());
  }

  start(): void {
    if (this.mx.script.tls?.implicit === true) this.secure(() => this.act('banner', ''));
    else {
      this.listen();
      this.act('banner', '');
    }
  }

  private listen(): void {
    const socket = this.socket;
    socket.on('data', (chunk: Buffer) => {
      if (socket !== this.socket || this.silent) return;
      if (this.mx.script.pace === 'bulk') socket.cork();
      this.read(chunk);
      socket.uncork();
    });
  }

  private secure(ready: () => void): void {
    const { script } = this.mx;
    if (script.tls === undefined) return;
    const { key, cert, minVersion, maxVersion } = script.tls;
    const secured = new tls.TLSSocket(this.socket, {
      isServer: true,
      secureContext: tls.createSecureContext({ key, cert, minVersion, maxVersion }),
      SNICallback: (name, done) => {
        this.session.serverName = name;
        done(null);
      },
    });
    secured.on('error', () => secured.destroy());
    secured.once('secure', () => {
      this.session.tls = true;
      ready();
    });
    this.socket = secured;
    this.pending = EMPTY;
    this.listen();
  }

  private read(chunk: Buffer): void {
    let rest: Buffer | null = chunk;
    while (rest !== null && !this.silent) rest = this.inData ? this.readContent(rest) : this.readLine(rest);
  }

  /** Takes one command line; returns what follows it, or null when there is no whole line. */
  private readLine(chunk: Buffer): Buffer | null {
    const data = this.pending.length === 0 ? chunk : Buffer.concat([this.pending, chunk]);
    const end = data.indexOf('\r\n');
    this.pending = end === -1 ? data : EMPTY;
    if (end === -1) return null;
    const line = data.toString('utf8', 0, end);
    this.session.commands.push(line);
    this.command(line);
    return data.subarray(end + 2);
  }

  /** Takes content up to the final dot; looks at each byte once, so that large mails do not slow the test. */
  private readContent(chunk: Buffer): Buffer | null {
    // The line end of DATA counts as the one before the first line.
    const tail = this.chunks.length === 0 ? Buffer.from('\r\n') : this.tail;
    const seam = Buffer.concat([tail, chunk]);
    const end = seam.indexOf(FINAL_DOT);
    this.chunks.push(chunk);
    if (end === -1) {
      this.tail = Buffer.from(seam.subarray(-4));
      if (chunk.length > 0 && this.mx.script.on?.content !== undefined) this.act('content', '');
      return null;
    }
    const all = Buffer.concat([Buffer.from('\r\n'), ...this.chunks]);
    const after = seam.length - end - FINAL_DOT.length;
    const stuffed = all.subarray(2, Math.max(2, all.length - after - 3));
    this.chunks = [];
    this.inData = false;
    this.finish(Buffer.from(stuffed.toString('latin1').replace(/(^|\r\n)\.\./g, '$1.'), 'latin1'));
    return seam.subarray(seam.length - after);
  }

  private finish(content: Buffer): void {
    const { mailFrom, parameters, recipients, login } = this;
    const action = this.decide('dot', '') ?? this.ordinary('dot', '');
    const accepted = replyOf(action).startsWith('2');
    const { id: session, tls } = this.session;
    this.mx.keep({ mailFrom, parameters, recipients, content, session, tls, login, accepted, at: Date.now() });
    this.endMail();
    this.perform(action);
    const idle = this.decide('idle', '');
    if (idle !== undefined) this.perform(idle);
  }

  private command(line: string): void {
    const word = /^[A-Za-z]+/.exec(line)?.[0].toLowerCase() ?? '';
    if (this.loginLines !== null) this.continueLogin(line, this.loginLines);
    else if (!COMMANDS.includes(word)) this.perform('500 5.5.1 unknown command');
    else if (word === 'auth' && this.mx.script.on?.auth === undefined) this.beginLogin(line);
    else this.act(word as MxMoment, line);
  }

  private act(moment: MxMoment, line: string): void {
    const action = this.decide(moment, line) ?? this.ordinary(moment, line);
    const reply = replyOf(action);
    if (reply.startsWith('2')) this.take(moment, line);
    if (moment === 'data' && reply.startsWith('354')) this.inData = true;
    if (moment === 'content' && action === 'silence') this.socket.pause();
    this.perform(action);
    if (moment === 'starttls' && reply.startsWith('220')) this.secure(() => undefined);
    if (moment === 'quit') this.socket.end();
  }

  /** What an accepted command changes. */
  private take(moment: MxMoment, line: string): void {
    if (moment === 'mail') this.beginMail(line);
    if (moment === 'rcpt') this.recipients.push(addressIn(line));
    if (moment === 'rset') this.endMail();
  }

  private decide(moment: MxMoment, line: string): MxAction | undefined {
    return this.mx.decide(moment, { line, session: this.session.id, accepted: this.recipients });
  }

  private ordinary(moment: MxMoment, line: string): string {
    if (moment === 'ehlo') return this.offer();
    if (moment === 'data' && this.recipients.length === 0) return '503 5.5.1 no recipients';
    if (moment === 'rcpt' && !this.mailOpen) return '503 5.5.1 no sender';
    if (moment === 'rcpt' && !/^RCPT TO:<.*>/i.test(line)) return '501 5.5.4 syntax';
    return ORDINARY[moment] ?? '';
  }

  private offer(): string {
    const { extensions = ORDINARY_EXTENSIONS, tls: offered, login } = this.mx.script;
    const keywords = [...extensions];
    if (offered !== undefined && offered.implicit !== true && !this.session.tls) keywords.push('STARTTLS');
    if (login !== undefined) keywords.push(`AUTH ${login.mechanisms ?? 'PLAIN LOGIN'}`);
    const lines = ['mx.test greets you', ...keywords];
    return lines.map((text, i) => `250${i === lines.length - 1 ? ' ' : '-'}${text}`).join('\r\n');
  }

  private endMail(): void {
    this.mailOpen = false;
    this.recipients = [];
  }

  private beginMail(line: string): void {
    this.mailOpen = true;
    this.mailFrom = addressIn(line);
    this.parameters = line.slice(line.lastIndexOf('>') + 1).trim();
    this.recipients = [];
  }

  private beginLogin(line: string): void {
    const [, mechanism, initial] = line.split(' ');
    if (mechanism.toUpperCase() === 'PLAIN' && initial !== undefined) {
      const [, user, password] = Buffer.from(initial, 'base64').toString('utf8').split('\0');
      this.finishLogin(user, password);
      return;
    }
    this.loginLines = [];
    this.perform('334 VXNlcm5hbWU6');
  }

  private continueLogin(line: string, lines: string[]): void {
    lines.push(Buffer.from(line, 'base64').toString('utf8'));
    if (lines.length === 1) return this.perform('334 UGFzc3dvcmQ6');
    this.loginLines = null;
    this.finishLogin(lines[0], lines[1]);
  }

  private finishLogin(user: string, password: string): void {
    const { login } = this.mx.script;
    const right = login?.user === user && login.password === password;
    if (right) this.login = user;
    this.perform(right ? '235 2.7.0 welcome' : '535 5.7.8 wrong password');
  }

  private perform(action: MxAction): void {
    const socket = this.socket;
    if (action === 'silence') this.silent = true;
    else if (action === 'close' || action === 'reset') cut(socket, action);
    else if (typeof action === 'string') this.say(action);
    else if ('raw' in action) socket.write(action.raw);
    else if ('drip' in action) drip(socket, `${action.drip}\r\n`, action.everyMs);
    else if ('flood' in action) flood(socket, action, () => (this.mx.floods += 1));
    else socket.write(`${action.reply}\r\n`, () => this.perform(action.then));
  }

  private say(reply: string): void {
    if (reply === '') return;
    const { socket } = this;
    if (this.mx.script.pace !== 'single') socket.write(`${reply}\r\n`);
    else setTimeout(() => socket.write(`${reply}\r\n`), SINGLE_MS * (this.delayed += 1));
  }
}

/** The words an action will send as a reply; '' for actions without one. */
function replyOf(action: MxAction): string {
  if (typeof action === 'string') return action;
  if ('reply' in action) return action.reply;
  if ('drip' in action) return action.drip;
  return 'raw' in action ? String(action.raw) : '';
}

function addressIn(line: string): string {
  return /<(.*)>/.exec(line)?.[1] ?? '';
}

/** Ends a connection, politely or by RST. */
export function cut(socket: net.Socket, how: 'close' | 'reset'): void {
  // A TLS socket cannot send an RST itself.
  if (how === 'reset' && !(socket instanceof tls.TLSSocket)) socket.resetAndDestroy();
  else socket.destroy();
}

function drip(socket: net.Socket, text: string, everyMs: number): void {
  let sent = 0;
  const timer = setInterval(() => {
    if (sent >= text.length || socket.destroyed) clearInterval(timer);
    else socket.write(text[sent]);
    sent += 1;
  }, everyMs);
  socket.on('close', () => clearInterval(timer));
}

function flood(socket: net.Socket, of: { flood: string; bytes: number }, done: () => void): void {
  const block = of.flood.repeat(Math.ceil(FLOOD_BYTES / of.flood.length));
  let left = of.bytes;
  const pour = (): void => {
    while (left > 0 && !socket.destroyed) {
      left -= block.length;
      if (!socket.write(block)) return void socket.once('drain', pour);
    }
    if (!socket.destroyed) done();
  };
  pour();
}
