import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DialogueStage } from '../support/dialogue-stage.js';
import { Postfix, postfixMissing } from '../support/postfix.js';
import { play, type Theatre } from '../support/smtp-player.js';
import { readDialogues } from '../support/smtp-script.js';

const dialogues = readDialogues(fileURLToPath(new URL('../dialogs', import.meta.url)));
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
