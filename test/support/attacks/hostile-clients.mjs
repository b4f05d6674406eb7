// Hostile clients in a process of their own. One attack per process; what came of it is sent to the parent.
import { pause, Talk, FROM } from './smtp-talk.mjs';

const attack = JSON.parse(process.argv[2]);
const { smtp, smtps, inbound, key } = attack;
/** So many addresses of loopback that no one of them is beyond its share. */
function addressOf(i) {
  const host = Math.floor(i / 50);
  return `127.0.${1 + (host >> 8)}.${host & 255}`;
}

/** What was missed is made up for, but not in a burst of more than this. */
const LATE_MS = 20;

/**
 * Waits so that its callers together go on `perSecond` times a second, evenly; without a number they go on at once. Hostile
 * clients have machines of their own: here they share the processors with what they attack and with the honest ones.
 */
function pacer(perSecond) {
  if (!perSecond) return () => undefined;
  let next = performance.now();
  return () => {
    const now = performance.now();
    next = Math.max(next + 1_000 / perSecond, now - LATE_MS);
    return next > now ? pause(next - now) : undefined;
  };
}
// ---- slowloris: `count` connections spread over all phases, each kept alive by a byte now and then;
// `first` of them are there already and have their addresses

async function slowloris() {
  const phases = Object.entries(PHASES).filter(([name]) => !attack.phases || attack.phases.includes(name));
  const paced = pacer(attack.perSecond ?? 500);
  const lives = [];
  for (let i = 0; i < attack.count; i++) {
    await paced();
    const [phase, open] = phases[i % phases.length];
    lives.push(slow(phase, open, addressOf((attack.first ?? 0) + i)));
  }
  return Promise.all(lives);
}

async function slow(phase, open, from) {
  const { talk, drip } = await open(from);
  const phaseAt = performance.now();
  const timer = setInterval(() => drip && talk.dripTo.write(drip), attack.everyMs);
  const life = await talk.closed;
  clearInterval(timer);
  return { phase, life, phaseLife: performance.now() - phaseAt, last: talk.last };
}

const plain = async (from, says = [], drip = null) => {
  const talk = new Talk(smtp, { from });
  talk.dripTo = talk.raw;
  await talk.reply();
  for (const line of says) await talk.say(line);
  return { talk, drip };
};
const tls = async (from, says = [], drip = null) => {
  const talk = new Talk(smtps, { from, secure: true });
  talk.dripTo = talk.stream;
  await talk.reply();
  for (const line of says) await talk.say(line);
  return { talk, drip };
};
const loggedIn = async (from, drip, toData = false) => {
  const talk = new Talk(smtps, { from, secure: true });
  talk.dripTo = talk.stream;
  await talk.logIn(key);
  if (toData) await talk.toData();
  return { talk, drip };
};
const raw = async (port, from, drip) => {
  const talk = new Talk(port, { from });
  talk.dripTo = talk.raw;
  return { talk, drip };
};
const HELLO = '\x16';

const PHASES = {
  'banner, silent': (from) => plain(from),
  'banner, a command begun': (from) => plain(from, [], 'E'),
  'tls, silent': (from) => raw(smtps, from, null),
  'tls, a hello begun': (from) => raw(smtps, from, HELLO),
  'starttls, silent': (from) => plain(from, ['EHLO slow.example', 'STARTTLS']),
  'starttls, a hello begun': (from) => plain(from, ['EHLO slow.example', 'STARTTLS'], HELLO),
  'ehlo, silent': (from) => tls(from, ['EHLO slow.example']),
  'ehlo, busy': (from) => tls(from, ['EHLO slow.example'], 'NOOP\r\n'),
  'login, user asked for': (from) => tls(from, ['EHLO slow.example', 'AUTH LOGIN'], 'Y'),
  'login, password asked for': (from) => tls(from, ['EHLO slow.example', 'AUTH LOGIN', 'cmVzZW5k'], 'Y'),
  'logged in, a command begun': (from) => loggedIn(from, 'M'),
  'data, dripping': (from) => loggedIn(from, 'x', true),
};

// ---- resets: `count` in each phase, ten at a time at most

async function resets() {
  const done = {};
  const paced = pacer(attack.perSecond);
  for (const [phase, cut] of Object.entries(CUTS)) {
    let begun = 0;
    const worker = async () => {
      while (begun < attack.count) {
        const i = begun++;
        await paced();
        (await cut(addressOf(i))).reset();
      }
    };
    await Promise.all(Array.from({ length: 10 }, worker));
    done[phase] = attack.count;
  }
  return done;
}

const CUTS = {
  connect: async (from) => new Talk(smtp, { from }),
  banner: async (from) => (await plain(from)).talk,
  ehlo: async (from) => (await plain(from, ['EHLO cut.example'])).talk,
  handshake: async (from) => {
    const { talk } = await plain(from, ['EHLO cut.example', 'STARTTLS']);
    talk.raw.write(Buffer.from('16030100c8010000c40303', 'hex'));
    return talk;
  },
  'tls hello': async (from) => {
    const talk = new Talk(smtps, { from });
    talk.raw.write(Buffer.from('16030100c8010000c40303', 'hex'));
    return talk;
  },
  login: async (from) => (await tls(from, ['EHLO cut.example', 'AUTH LOGIN'])).talk,
  mail: async (from) => {
    const { talk } = await loggedIn(from, null);
    await talk.say(`MAIL FROM:<${FROM}>`);
    return talk;
  },
  data: async (from) => {
    const { talk } = await loggedIn(from, null, true);
    talk.stream.write('Subject: cut\r\n\r\nhalf a li');
    return talk;
  },
  dot: async (from) => {
    const { talk } = await loggedIn(from, null, true);
    talk.stream.write(`From: ${FROM}\r\nSubject: cut\r\n\r\nall of it\r\n.\r\n`);
    return talk;
  },
};

// ---- fuzz: `lines` lines of junk and of almost right commands, at all listeners

async function fuzz() {
  const random = randomOf(attack.seed);
  const paced = pacer(attack.perSecond && attack.perSecond / 10);
  let lines = 0;
  let sessions = 0;
  const worker = async (w) => {
    while (lines < attack.lines) {
      const talk = await FUZZED[sessions++ % FUZZED.length](addressOf(w));
      for (let k = 0; k < 100 && !talk.raw.destroyed && lines < attack.lines; k += 10) {
        const batch = Array.from({ length: 10 }, () => junk(random));
        lines += batch.length;
        await paced();
        talk.stream.write(Buffer.concat(batch));
        await pause(1);
      }
      talk.close();
    }
  };
  await Promise.all(Array.from({ length: 8 }, (_, w) => worker(w)));
  return { lines, sessions };
}

const FUZZED = [
  async (from) => (await plain(from)).talk,
  async (from) => (await plain(from, ['EHLO fuzz.example'])).talk,
  async (from) => (await loggedIn(from, null)).talk,
  async (from) => (await raw(inbound, from, null)).talk,
  async (from) => (await loggedIn(from, null, true)).talk,
];

const WORDS = [
  'EHLO x',
  'HELO',
  'MAIL FROM:<>',
  `MAIL FROM:<${FROM}>`,
  'MAIL FROM:<a@b> SIZE=99999999999999999999',
  'RCPT TO:<a@b.example>',
  'RCPT TO:<"a b"@c.example> NOTIFY=NEVER',
  'DATA',
  '.',
  '..',
  'RSET',
  'NOOP',
  'VRFY root',
  'EXPN x',
  'HELP',
  'AUTH PLAIN',
  'AUTH LOGIN',
  'AUTH PLAIN =',
  '*',
  'STARTTLS',
  'BDAT 10 LAST',
  'XCLIENT ADDR=1.2.3.4',
  'GET / HTTP/1.1',
  'From: a@b',
  'WIZ',
  'KILL',
  '\xff\xfe\x00',
];

function junk(random) {
  const kind = random(6);
  const word = Buffer.from(WORDS[random(WORDS.length)], 'latin1');
  const end = Buffer.from(['\r\n', '\n', '\r\n.\r\n', '\r', '\0\r\n'][random(random(4) === 0 ? 5 : 1)], 'latin1');
  if (kind < 3) return Buffer.concat([word, end]);
  if (kind === 3) return Buffer.concat([Buffer.from(Array.from({ length: random(60) }, () => random(256))), end]);
  if (kind === 4) return Buffer.concat([Buffer.alloc(random(40) === 0 ? 20_000 : random(900), word), end]);
  word[random(word.length)] = random(256);
  return Buffer.concat([word, end]);
}

/** Seeded, so that a failure can be repeated. */
function randomOf(seed) {
  let state = seed >>> 0;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

// ---- flood: pipelined commands without reading, until the connection ends

async function flood() {
  const lives = [];
  const paced = pacer(attack.perSecond);
  for (let i = 0; i < attack.count; i++) {
    await paced();
    const { talk } = await loggedIn(addressOf(i), null);
    talk.stream.write('NOOP\r\n'.repeat(50_000));
    lives.push(talk.closed.then(() => talk.last));
  }
  return Promise.all(lives);
}

// ---- oversize: `count` senders of `octets` each, all at once; `stay` sends on without end

async function oversize() {
  const piece = Buffer.alloc(64 * 1024, 'x'.repeat(70) + '\r\n');
  return Promise.all(
    Array.from({ length: attack.count }, async (_, i) => {
      const { talk } = await loggedIn(addressOf(i), null, true);
      const began = performance.now();
      let limitAt = 0;
      let sent = 0;
      while (sent < attack.octets && !talk.stream.destroyed && talk.stream.writable) {
        sent += piece.length;
        if (!talk.stream.write(piece)) await Promise.race([drained(talk.stream), talk.closed]);
        if (limitAt === 0 && sent > attack.limit) limitAt = performance.now();
      }
      const reply = talk.reply();
      if (!talk.stream.destroyed) talk.stream.write('\r\n.\r\n');
      await Promise.race([reply, talk.closed]);
      const ended = performance.now();
      const last = talk.last;
      talk.close();
      return { last, sent, took: ended - began, afterLimit: limitAt && ended - limitAt };
    }),
  );
}

const drained = (stream) => new Promise((resolve) => stream.once('drain', resolve));

// ---- bomb: the messages of a file, one after another

async function bomb() {
  const { bombs } = await import('./mail-bombs.mjs');
  const paced = pacer(attack.perSecond);
  const results = [];
  for (const [name, make] of Object.entries(bombs)) {
    if (attack.only && !attack.only.includes(name)) continue;
    await paced();
    const { talk } = await loggedIn(addressOf(results.length), null);
    const message = make();
    const began = performance.now();
    const reply = await talk.send(message);
    results.push({ name, reply, took: performance.now() - began });
    talk.close();
  }
  return results;
}

// ---- guess: `count` wrong logins from one address, `beside` of them at the same time

async function guess() {
  const replies = [];
  const worker = async () => {
    while (replies.length < attack.count) {
      const talk = new Talk(smtps, { from: attack.from, secure: true });
      replies.push(await talk.logIn(`pl_live_wrong${replies.length}`));
      talk.close();
    }
  };
  await Promise.all(Array.from({ length: attack.beside }, worker));
  return replies;
}

// ---- mails: `count` sessions that send one mail after another, slowly, until their connection ends or `rounds` are done

async function mails() {
  const told = [];
  const session = async (i) => {
    const { talk } = await loggedIn(addressOf(i), null);
    for (let k = 0; !talk.raw.destroyed && k < (attack.rounds ?? Infinity); k++) {
      const subject = `${attack.tag}-${i}-${k}`;
      const to = attack.to.replace('#', String(i % 20));
      const ready = await talk.toData(to);
      if (!ready.startsWith('354')) break;
      talk.stream.write(`From: ${FROM}\r\nTo: ${to}\r\nSubject: ${subject}\r\n\r\n`);
      await pause(200 + ((i * 37) % 900));
      const reply = talk.reply();
      talk.stream.write('all of it\r\n.\r\n');
      told.push({ subject, to, reply: (await reply).join('\n') });
    }
    talk.close();
  };
  await Promise.all(Array.from({ length: attack.count }, (_, i) => session(i)));
  return told;
}

// ---- handshakes: new TLS connections as fast as they come, until nobody listens any more

async function handshakes() {
  let begun = 0;
  for (let refused = false; !refused;) {
    const talk = new Talk(smtps, { from: addressOf(begun++), secure: true });
    talk.raw.once('error', (error) => (refused = error.code === 'ECONNREFUSED'));
    setTimeout(() => talk.close(), 300);
    await pause(2);
  }
  return begun;
}

// ---- idle: `count` connections that greet and then say nothing; stays until the parent goes

async function idle() {
  let failed = 0;
  const talks = [];
  const worker = async (w, workers) => {
    for (let i = w; i < attack.count; i += workers) {
      const { talk } = await plain(attack.from ?? addressOf(i), ['EHLO idle.example']);
      if (talk.last.startsWith('250')) talks.push(talk);
      else failed += 1;
    }
  };
  await Promise.all(Array.from({ length: 50 }, (_, w) => worker(w, 50)));
  process.on('message', () => process.send({ open: talks.filter((talk) => !talk.raw.destroyed).length }));
  return { open: talks.length, failed };
}

// A port that nobody listens on any more must not end this process.
process.on('unhandledRejection', () => undefined);

const ATTACKS = { slowloris, resets, fuzz, flood, oversize, bomb, guess, mails, handshakes, idle };
process.on('disconnect', () => process.exit());
// Whoever listens lets go when it has heard: to end here could cut a long answer off.
process.send(await ATTACKS[attack.name]());
