import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { goldenReportMail } from '../support/samples/golden-reports.js';
import { describeRounds, inRounds } from '../support/attacks/honest-rounds.js';
import { HostileFixture } from '../support/attacks/hostile-fixture.js';
import { mail } from '../support/samples/mail.js';
import { until } from '../support/timing/until.js';

const SENDERS = 100;
const ADDRESSES = 25;
/** Per round. */
const SECONDS = 4;
/** Messages that the inbound port accepts per second, and as a burst after an idle time. */
const PER_SECOND = 50;
const FACTOR = 2;
/** Waits below this are not compared. */
const FLOOR_MS = 100;

interface Flood {
  taken: number;
  refused: string[];
}

/** Many servers report bounces at once, to the process that also accepts mail. */
describe('a flood of bounces', () => {
  let fixture: HostileFixture;
  let returnPath: string;
  let report: Buffer;

  beforeAll(async () => {
    fixture = await HostileFixture.open();
    const answer = await fixture.program.call('POST', '/emails', mail());
    const { id } = (await answer.json()) as { id: string };
    const captured = await until(async () => {
      const list = await fixture.program.call('GET', `/captured?email_id=${id}`);
      return ((await list.json()) as { data: { mail_from: string }[] }).data.at(0);
    });
    returnPath = captured.mail_from;
    const about = { returnPath, trace: 'unknown', messageId: '<unknown@shop.example>', recipient: 'ada@example.com' };
    report = goldenReportMail('postfix-unknown-user', about);
  });
  afterAll(() => fixture?.close());

  it('is accepted at a limited rate, and honest clients of the relay are hardly affected', async () => {
    const take = fixture.honest();
    await pause(2_000);
    const floods: Flood[] = [];
    const rounds = await inRounds(fixture, take, async () => {
      floods.push(await flood(fixture.program.ports.inbound, { returnPath, report }));
    });
    const taken = floods.map((seen) => seen.taken);
    console.log(
      `${SENDERS} servers for ${SECONDS} s: ${taken.join(', ')} reports taken; ${describeRounds(rounds)}, ` +
        `memory ${fixture.memory().peak} MiB at most`,
    );
    expect(floods.flatMap(({ refused }) => refused)).toEqual([]);
    expect(Math.min(...taken)).toBeGreaterThan(PER_SECOND);
    // The burst, and one message in progress per sender.
    expect(Math.max(...taken)).toBeLessThanOrEqual(PER_SECOND * (SECONDS + 2) + SENDERS);
    const { alone, beside, failures } = rounds;
    expect(failures).toEqual([]);
    expect(beside.mail).toBeLessThanOrEqual(Math.max(FACTOR * alone.mail, 2 * FLOOR_MS));
    expect(beside.ehlo).toBeLessThanOrEqual(Math.max(FACTOR * alone.ehlo, FLOOR_MS));
    expect(fixture.program.output()).not.toMatch(/"level":[56]0/);
  });
});

/** Each sender sends one report after another, as fast as they are accepted. */
async function flood(port: number, { returnPath, report }: { returnPath: string; report: Buffer }): Promise<Flood> {
  const seen: Flood = { taken: 0, refused: [] };
  const end = Date.now() + SECONDS * 1_000;
  const senders = Array.from({ length: SENDERS }, (_, i) => sendFrom(port, `127.2.0.${1 + (i % ADDRESSES)}`));
  await Promise.all(senders);
  return seen;

  function sendFrom(at: number, localAddress: string): Promise<void> {
    const socket = connect({ port: at, host: '127.0.0.1', localAddress });
    let heard = '';
    const begin = (): void => {
      socket.write(Date.now() < end ? `MAIL FROM:<>\r\nRCPT TO:<${returnPath}>\r\nDATA\r\n` : 'QUIT\r\n');
    };
    const answerTo = (line: string): void => {
      if (line.startsWith('220 ')) socket.write('EHLO mx.example\r\n');
      else if (line.startsWith('250 SIZE')) begin();
      else if (line.startsWith('354 ')) socket.write(Buffer.concat([report, Buffer.from('\r\n.\r\n')]));
      else if (line.startsWith('250 2.0.0')) {
        seen.taken += 1;
        begin();
      } else if (/^[45]/.test(line)) seen.refused.push(line);
    };
    socket.on('data', (chunk: Buffer) => {
      const lines = (heard + chunk.toString('latin1')).split('\r\n');
      heard = lines.pop() ?? '';
      lines.forEach(answerTo);
    });
    return new Promise((resolve) => {
      socket.on('error', () => undefined);
      socket.once('close', () => resolve());
    });
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
