import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readArrived } from './arrived-mail.js';
import { COMMON } from './ready-mail.js';
import type { RelayClient } from './relay-clients.js';
import type { RelayFixture } from '../../support/smtp/relay-fixture.js';
import { until } from '../../support/timing/until.js';

/** Domains of the recipients in docs/smtp.md. */
export const RELAY_DOMAINS = ['example.org', 'xn--bcher-kva.example'] as const;

/** One test for each client: what it submits to the service arrives in the sink behind it. */
export function relayClientsSuite(clients: readonly RelayClient[], start: () => Promise<RelayFixture>): void {
  let fixture: RelayFixture;

  beforeAll(async () => {
    fixture = await start();
    fixture.write(COMMON.fileName, COMMON.file);
  });
  afterAll(() => fixture?.stop());

  it.for(clients.map((client, i) => [client.name, client, i] as const))(
    '%s: a mail with a file and Unicode arrives as it was sent, signed, without blind recipients',
    async ([, client, i], { skip }) => {
      const missing = missingOf(client);
      if (missing) skip(missing);
      await expectDelivered(fixture, client, `client-${i}@example.org`);
    },
  );
}

/** What a client lacks here, or null; with POSTLOFT_REQUIRE_ENGINES=1 it must lack nothing. */
function missingOf({ needs, optional, missing: otherwise = () => null }: RelayClient): string | null {
  const absent = [...needs, ['python3', '--version']].find(
    ([command, ...args]) => spawnSync(command, args, { stdio: 'ignore' }).status !== 0,
  );
  const missing = absent ? `${absent[0]} does not work here` : otherwise();
  if (missing && !optional && process.env['POSTLOFT_REQUIRE_ENGINES'] === '1') throw new Error(missing);
  return missing;
}

async function expectDelivered(fixture: RelayFixture, client: RelayClient, plain: string): Promise<void> {
  const recipient = client.recipient?.(plain) ?? plain;
  await client.submit(fixture, plain);
  const mail = await fixture.arrived(recipient);
  const { others = [], fromName = COMMON.fromName, text = COMMON.text, tags = {} } = client.sends ?? {};
  // Each domain of the recipients has a delivery of its own, one as soon as the other.
  const reached = () =>
    new Set(
      fixture.sink.accepted
        .filter(({ content }) => content.includes(recipient))
        .flatMap(({ recipients }) => recipients),
    );
  await until(async () => reached().size > others.length, { what: 'a copy for every recipient' });
  expect(reached()).toEqual(new Set([recipient, ...others]));
  expect(mail.mailFrom).toMatch(/^b\+[a-z2-7]+@/);
  const [read] = readArrived([mail.content]);
  expect(read).toMatchObject({
    subject: COMMON.subject,
    fromName,
    fromAddress: fixture.sender.from,
    files: [
      {
        filename: COMMON.fileName,
        type: 'application/pdf',
        sha256: createHash('sha256').update(COMMON.file).digest('hex'),
      },
    ],
  });
  expect(read.text.replaceAll('\r\n', '\n').trimEnd()).toBe(text.trimEnd());
  expect(read.fields.filter((field) => field === 'bcc' || field.startsWith('x-service-'))).toEqual([]);
  expect(mail.content.includes(COMMON.blind)).toBe(false);
  expect(await fixture.signatures(mail)).toEqual(['pass', 'pass']);
  expect(await fixture.tagsOf(recipient)).toEqual(tags);
}
