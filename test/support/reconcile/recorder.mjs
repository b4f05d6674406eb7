// A process of its own: a mail server and a webhook endpoint that append a line to a file before they answer, so that a
// line exists for everything that the service may count as done. The address decides what becomes of a message:
// `unknown-…` is refused at RCPT, `policy-…` after the final dot, `later-…` and `busy-…` at the same places but only the
// first time, everything else is accepted. Argument: JSON with `dir`. Sends `{smtp, http}`, then counts.
import { openSync, writeSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import { join } from 'node:path';

const REPORT_MS = 100;
const END = '\r\n.\r\n';
const { dir } = JSON.parse(process.argv[2]);
const arrivals = openSync(join(dir, 'arrivals'), 'a');
const deferrals = openSync(join(dir, 'deferrals'), 'a');
const webhooks = openSync(join(dir, 'webhooks'), 'a');
const deferred = new Set();
/** Recipients that were accepted or refused for good, with repetitions, and requests. */
const counts = { outcomes: 0, requests: 0 };

const kindOf = (recipient) => recipient.slice(0, recipient.indexOf('-'));
/** True once per recipient, which is then deferred. */
function isFirst(recipient) {
  if (deferred.has(recipient)) return false;
  deferred.add(recipient);
  writeSync(deferrals, `${recipient} ${Date.now()}\n`);
  return true;
}

class Session {
  recipients = [];
  inData = false;
  buffer = '';

  constructor(socket) {
    this.socket = socket;
    socket.setNoDelay(true);
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk) => this.read(chunk));
    socket.write('220 mx.test ESMTP\r\n');
  }

  read(chunk) {
    this.buffer += chunk.toString('latin1');
    let replies = '';
    for (let reply = this.next(); reply !== null; reply = this.next()) replies += reply;
    if (replies !== '') this.socket.write(replies);
    if (replies.includes('221 ')) this.socket.end();
  }

  /** The reply to the next command or message; null if it is not complete. */
  next() {
    const mark = this.inData ? END : '\r\n';
    const end = this.buffer.indexOf(mark);
    if (end < 0) return null;
    const text = this.buffer.slice(0, end);
    this.buffer = this.buffer.slice(end + mark.length);
    return `${this.inData ? this.message(text) : this.command(text)}\r\n`;
  }

  command(line) {
    switch (line.slice(0, 4).toUpperCase()) {
      case 'EHLO':
        return '250-mx.test\r\n250-PIPELINING\r\n250-ENHANCEDSTATUSCODES\r\n250 8BITMIME';
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
    const id = /^message-id: *<(.*)>/im.exec(text)?.[1] ?? '';
    writeSync(arrivals, recipients.map((one) => `${one} ${id} ${Date.now()}\n`).join(''));
    return '250 2.0.0 accepted';
  }
}

async function record(request, response) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const { type } = JSON.parse(Buffer.concat(chunks).toString());
  writeSync(webhooks, `${request.headers['webhook-id']} ${type} ${Date.now()}\n`);
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
