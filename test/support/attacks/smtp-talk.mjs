// The client of the processes that attack: a reply that does not come because the connection has ended is empty.
import { SmtpTalk } from '../smtp/smtp-talk.mjs';

export const FROM = 'orders@sandbox.postloft.test';

export class Talk extends SmtpTalk {
  constructor(port, options) {
    super(port, { limitMs: Infinity, ...options });
  }

  async reply() {
    return super.reply().catch(() => ['']);
  }

  logIn(key) {
    return super.logIn(FROM, key);
  }

  /** Until the server waits for the message. */
  async toData(to = 'somebody@example.com') {
    await this.say(`MAIL FROM:<${FROM}>`);
    await this.say(`RCPT TO:<${to}>`);
    return this.say('DATA');
  }

  /** The reply to the message, which has no final dot yet. */
  async send(message, to) {
    const ready = await this.toData(to);
    if (!ready.startsWith('354')) return ready;
    // At once: what is written later waits for the acknowledgement of what was written before.
    this.stream.write(`${message}\r\n.\r\n`, 'latin1');
    return (await this.reply()).join('\n');
  }
}

export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
