// Honest clients in a process of their own, which note how long each answer took: one says EHLO on a fresh connection again
// and again, one sends a small mail again and again on one connection; or, with `url`, one asks for that over one
// connection. A test that makes large bodies would hold the event loop that it measures with.
import { Agent, get } from 'node:http';
import { pause, Talk, FROM } from './smtp-talk.mjs';

const { smtp, smtps, key, url } = JSON.parse(process.argv[2]);
const OWN = '127.0.0.9';
const MAIL = `From: ${FROM}\r\nTo: somebody@example.com\r\nSubject: Honest\r\n\r\nHonest text.`;
const waits = { ehlo: [], mail: [], get: [] };
const failures = [];
process.on('disconnect', () => process.exit());
process.on('message', () => process.send({ waits: taken(), failures: failures.splice(0) }));

await Promise.all(url ? [ask()] : [greet(), send()]);

function taken() {
  return Object.fromEntries(Object.entries(waits).map(([name, times]) => [name, times.splice(0)]));
}

async function ask() {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (;;) {
    const began = performance.now();
    await new Promise((resolve, reject) => {
      get(url, { agent }, (response) => response.resume().once('end', resolve)).once('error', reject);
    });
    waits.get.push(performance.now() - began);
    await pause(2);
  }
}

async function greet() {
  for (;;) {
    const began = performance.now();
    const talk = new Talk(smtp, { from: OWN });
    const [banner] = await talk.reply();
    const reply = banner.startsWith('220') ? await talk.say('EHLO honest.example') : banner;
    if (reply.startsWith('250')) waits.ehlo.push(performance.now() - began);
    else failures.push(`EHLO: ${reply}`);
    talk.close();
    await pause(5);
  }
}

async function send() {
  let talk = null;
  for (;;) {
    if (!talk) {
      talk = new Talk(smtps, { from: OWN, secure: true });
      await talk.logIn(key);
    }
    const began = performance.now();
    const reply = await talk.send(MAIL);
    if (reply.startsWith('250')) waits.mail.push(performance.now() - began);
    else {
      failures.push(`mail: ${reply}`);
      talk.close();
      talk = null;
    }
    await pause(20);
  }
}
