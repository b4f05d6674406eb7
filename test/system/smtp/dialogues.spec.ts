import { readFileSync } from 'node:fs';
import { connect as connectTls, type SecureVersion } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DialogueFixture } from './dialogue-fixture.js';
import { Postfix, postfixMissing } from '../../support/mail-servers/postfix.js';
import { play, type DialogueServer } from '../../support/smtp/smtp-player.js';
import { differences, readDialogues } from '../../support/smtp/smtp-script.js';

const folder = fileURLToPath(new URL('../../dialogs', import.meta.url));
const dialogues = readDialogues(folder);
const cases = dialogues.flatMap((dialogue) =>
  dialogue.modes.map(
    (mode) => [`${dialogue.file.replace('.txt', '')}: ${dialogue.title} (${mode})`, dialogue, mode] as const,
  ),
);

describe('the dialogues of the relay', () => {
  let fixture: DialogueFixture;
  beforeAll(async () => {
    fixture = await DialogueFixture.start();
  });

  it('are sixty or more', () => {
    expect(dialogues.length).toBeGreaterThanOrEqual(60);
  });
  it.concurrent.for(cases)('%s', ([, dialogue, mode]) => play(dialogue, mode, fixture));

  const handshake = (maxVersion: SecureVersion) =>
    new Promise<string | null>((resolve) => {
      const socket = connectTls({
        port: fixture.port('implicit'),
        host: '127.0.0.1',
        rejectUnauthorized: false,
        minVersion: 'TLSv1',
        maxVersion,
        // Otherwise the client itself refuses the old versions.
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

/** Where Postfix replies differently, the dialogue states the reply and the reason; elsewhere both replies are equal. */
describe('the same dialogues with Postfix', () => {
  const missing = postfixMissing();
  let postfix: Postfix | undefined;
  beforeAll(async () => {
    if (missing === null) postfix = await Postfix.start();
    else if (process.env['POSTLOFT_REQUIRE_ENGINES'] === '1') throw new Error(missing);
  });
  afterAll(() => postfix?.stop());

  const server: DialogueServer = {
    postfix: true,
    port: (mode) => (mode === 'implicit' ? postfix?.ports.implicit : postfix?.ports.plain) as number,
    variable: (name) => (name === 'from' ? 'orders@sender.example' : undefined),
    login: () => ['', ''],
    act: async () => undefined,
  };
  const shared = cases.filter(([, dialogue]) => dialogue.notPostfix === null);
  it.concurrent.for(shared)('%s', async ([, dialogue, mode], { skip }) => {
    if (missing !== null) skip(missing);
    await play(dialogue, mode, server);
  });
});
