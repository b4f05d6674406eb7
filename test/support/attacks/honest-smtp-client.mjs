// Two honest clients in a process of their own: one says EHLO on a fresh connection again and again, one sends a small
// mail again and again on one connection. Notes how long each took, until it is told to stop.
import { pause, Talk, FROM } from './smtp-talk.mjs';

const { smtp, smtps, key } = JSON.parse(process.argv[2]);
const OWN = '127.0.0.9';
const MAIL = `From: ${FROM}\r\nTo: somebody@example.com\r\nSubject: Honest\r\n\r\nHonest text.`;
const waits = { ehlo: [], mail: [] };
const failures = [];
let running = true;
process.on('disconnect', () => process.exit());
process.on('message', (message) => {
  if (message === 'stop') running = false;
  else process.send(take());
});

await Promise.all([greet(), send()]);
process.exit();

function take() {
  const taken = { waits: { ehlo: waits.ehlo.splice(0), mail: waits.mail.splice(0) }, failures: failures.splice(0) };
  return taken;
}

async function greet() {
  while (running) {
    const began = performance.now();
    const talk = new Talk(smtp, { from: OWN });
    const banner = await talk.reply();
    const reply = banner.startsWith('220') ? await talk.say('EHLO honest.example') : banner;
    if (reply.startsWith('250')) waits.ehlo.push(performance.now() - began);
    else failures.push(`EHLO: ${reply}`);
    talk.end();
    await pause(5);
  }
}

async function send() {
  let talk = null;
  while (running) {
    if (!talk) {
      talk = new Talk(smtps, { from: OWN, secure: true });
      await talk.logIn(key);
    }
    const began = performance.now();
    const reply = await talk.send(MAIL);
    if (reply.startsWith('250')) waits.mail.push(performance.now() - began);
    else {
      failures.push(`mail: ${reply}`);
      talk.end();
      talk = null;
    }
    await pause(20);
  }
}
