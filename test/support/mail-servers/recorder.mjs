// A process of its own: a mail server and a webhook endpoint that append a line to a file before they answer, so that a
// line exists for everything that the service may count as done. The address decides what becomes of a message:
// `unknown-…` is refused at RCPT, `policy-…` after the final dot, `later-…` and `busy-…` at the same places but only the
// first time, everything else is accepted. Argument: the options of `recorder.ts` as JSON. Sends `{smtp, http}`, then
// counts.
import { createHash } from 'node:crypto';
import { openSync, writeSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';

const REPORT_MS = 100;
const END = '\r\n.\r\n';
const { dir, dotMs = 0, tls, dot = 'answer' } = JSON.parse(process.argv[2]);
const files = Object.fromEntries(
  ['arrivals', 'deferrals', 'webhooks'].map((name) => [name, openSync(join(dir, name), 'a')]),
);
const deferred = new Set();
/** Recipients that were accepted or refused for good, with repetitions, and requests. */
const counts = { outcomes: 0, requests: 0 };

const note = (name, ...entries) =>
  writeSync(files[name], entries.map((entry) => `${JSON.stringify({ ...entry, at: Date.now() })}\n`).join(''));
const kindOf = (recipient) => recipient.slice(0, recipient.indexOf('-'));
/** True once per recipient, which is then deferred. */
function isFirst(recipient) {
  if (deferred.has(recipient)) return false;
  deferred.add(recipient);
  note('deferrals', { recipient });
  return true;
}

class Session {
  recipients = [];
  inData = false;
  buffer = '';

  constructor(raw) {
    this.raw = raw;
    raw.setNoDelay(true);
    this.follow(raw);
    raw.write('220 mx.test ESMTP\r\n');
  }

  follow(socket) {
    this.socket = socket;
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk) => socket === this.socket && this.read(chunk));
  }

  read(chunk) {
    this.buffer += chunk.toString('latin1');
    let replies = '';
    for (let reply = this.next(); reply !== null; reply = this.next()) replies += reply;
    if (replies !== '') this.socket.write(replies, () => this.afterReplies());
    if (replies.startsWith('220 ')) this.follow(new TLSSocket(this.raw, { isServer: true, ...tls }));
    if (replies.endsWith('221 2.0.0 bye\r\n')) this.socket.end();
  }

  afterReplies() {
    if (this.inData && dot === 'reset before it') this.raw.resetAndDestroy();
  }

  /** The reply to the next command or message; null if it is not complete. */
  next() {
    const mark = this.inData ? END : '\r\n';
    const end = this.buffer.indexOf(mark);
    if (end < 0) return null;
    const text = this.buffer.slice(0, end);
    this.buffer = this.buffer.slice(end + mark.length);
    if (!this.inData) return `${this.command(text)}\r\n`;
    const reply = `${this.message(text)}\r\n`;
    if (dotMs > 0) setTimeout(() => this.finish(reply), dotMs);
    else this.finish(reply);
    return '';
  }

  finish(reply) {
    if (dot !== 'close') this.socket.write(dot === 'say goodbye' ? '421 4.7.0 goodbye\r\n' : reply);
    if (dot !== 'answer') this.socket.end();
  }

  offer() {
    const secure = tls !== undefined && this.socket === this.raw ? '250-STARTTLS\r\n' : '';
    return `250-mx.test\r\n250-PIPELINING\r\n250-ENHANCEDSTATUSCODES\r\n${secure}250 8BITMIME`;
  }

  command(line) {
    switch (line.slice(0, 4).toUpperCase()) {
      case 'EHLO':
        return this.offer();
      case 'STAR':
        return '220 2.0.0 go on';
      case 'MAIL':
      case 'RSET':
        this.recipients = [];
        return '250 2.0.0 ok';
      case 'RCPT':
        return this.recipient(/<(.*?)>/.exec(line)?.[1] ?? '');
      case 'DATA':
        if (this.recipients.length === 0) return '554 5.5.1 no valid recipients';
        this.inData = true;
        return '354 go on';
      case 'QUIT':
        return '221 2.0.0 bye';
      default:
        return '500 5.5.1 unknown command';
    }
  }

  recipient(address) {
    if (kindOf(address) === 'later' && isFirst(address)) return '450 4.2.0 Try again later';
    if (kindOf(address) === 'unknown') {
      counts.outcomes += 1;
      return '550 5.1.1 User unknown';
    }
    this.recipients.push(address);
    return '250 2.1.5 ok';
  }

  message(text) {
    this.inData = false;
    const { recipients } = this;
    this.recipients = [];
    if (recipients.some((one) => kindOf(one) === 'busy' && isFirst(one))) return '451 4.3.0 Try again later';
    counts.outcomes += recipients.length;
    if (recipients.some((one) => kindOf(one) === 'policy')) return '554 5.7.1 Message refused by policy';
    const subject = /^subject: *(.*)/im.exec(text)?.[1].trim() ?? '';
    const hash = createHash('sha256').update(`${text}\r\n`.replace(/^\.\./gm, '.'), 'latin1').digest('hex');
    note('arrivals', ...recipients.map((recipient) => ({ subject, recipient, hash })));
    return '250 2.0.0 accepted';
  }
}

async function record(request, response) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const { type } = JSON.parse(Buffer.concat(chunks).toString());
  note('webhooks', { id: request.headers['webhook-id'], type });
  counts.requests += 1;
  response.writeHead(200).end();
}

const smtp = net.createServer((socket) => new Session(socket));
const endpoint = http.createServer((request, response) => {
  record(request, response).catch(() => response.destroy());
});
// A service that is killed leaves its connections to the system, which resets them.
endpoint.keepAliveTimeout = 60_000;
const listen = (server) =>
  new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server.address().port)));
process.send({ smtp: await listen(smtp), http: await listen(endpoint) });
process.on('disconnect', () => process.exit());
setInterval(() => process.send(counts), REPORT_MS);
