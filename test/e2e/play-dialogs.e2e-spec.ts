import { readFileSync } from 'node:fs';
import { connect as connectTls, type SecureVersion } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DialogueStage } from '../support/dialogue-stage.js';
import { Postfix, postfixMissing } from '../support/postfix.js';
import { play, type Theatre } from '../support/smtp-player.js';
import { differences, readDialogues } from '../support/smtp-script.js';

const folder = fileURLToPath(new URL('../dialogs', import.meta.url));
const dialogues = readDialogues(folder);
const performances = dialogues.flatMap((dialogue) =>
  dialogue.doors.map(
    (door) => [`${dialogue.file.replace('.txt', '')}: ${dialogue.title} (${door})`, dialogue, door] as const,
  ),
);

describe('the dialogues of the relay', () => {
  let stage: DialogueStage;
  beforeAll(async () => {
    stage = await DialogueStage.start();
  });
  afterAll(() => stage?.stop());

  it('are sixty or more', () => {
    expect(dialogues.length).toBeGreaterThanOrEqual(60);
  });
  it.concurrent.for(performances)('%s', ([, dialogue, door]) => play(dialogue, door, stage));

  const handshake = (maxVersion: SecureVersion) =>
    new Promise<string | null>((resolve) => {
      const socket = connectTls({
        port: stage.port('implicit'),
        host: '127.0.0.1',
        rejectUnauthorized: false,
        minVersion: 'TLSv1',
        maxVersion,
        // Else our own side refuses the old versions.
        ciphers: 'DEFAULT@SECLEVEL=0',
      });
      socket.once('secureConnect', () => resolve(socket.getProtocol()));
      socket.once('error', () => resolve('refused'));
      socket.on('secureConnect', () => socket.destroy());
    });

  it('are held within TLS 1.2 or newer', async () => {
    const versions: SecureVersion[] = ['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'];
    expect(await Promise.all(versions.map(handshake))).toEqual(['refused', 'refused', 'TLSv1.2', 'TLSv1.3']);
  });

  it('and their differences from Postfix stand in the tables of the folder', () => {
    // Tables are padded when they are formatted.
    const page = readFileSync(`${folder}/README.md`, 'utf8').replace(/ +/g, ' ');
    expect(differences(dialogues).filter((row) => !page.includes(row))).toEqual([]);
  });
});

/** Where Postfix answers otherwise, the dialogue says so and why; everywhere else both say the same. */
describe('the same dialogues with Postfix', () => {
  const missing = postfixMissing();
  let postfix: Postfix | undefined;
  beforeAll(async () => {
    if (missing === null) postfix = await Postfix.start();
    else if (process.env['POSTLOFT_REQUIRE_ENGINES'] === '1') throw new Error(missing);
  });
  afterAll(() => postfix?.stop());

  const theatre: Theatre = {
    postfix: true,
    port: (door) => (door === 'implicit' ? postfix?.ports.implicit : postfix?.ports.plain) as number,
    variable: (name) => (name === 'from' ? 'orders@sender.example' : undefined),
    login: () => ['', ''],
    act: async () => undefined,
  };
  const shared = performances.filter(([, dialogue]) => dialogue.notPostfix === null);
  it.concurrent.for(shared)('%s', async ([, dialogue, door], { skip }) => {
    if (missing !== null) skip(missing);
    await play(dialogue, door, theatre);
  });
});
