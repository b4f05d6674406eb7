import type { ClockSuspicion } from '#libs/persistence';
import type { Command, CommandOutput } from './command.js';

const show: Command = {
  name: 'retention show',
  positionals: [],
  options: {},
  summary: 'Says whether data expires, or retention is paused because the clock is not plausible.',
  prepare: () => async (admin) => outputOf(await admin.clock.suspicion(0)),
};

const confirm: Command = {
  name: 'retention confirm',
  positionals: [],
  options: {},
  summary: 'Confirms that the clock of the database is right, so that a paused retention goes on with its next round.',
  prepare: () => async (admin) => {
    const before = await admin.clock.suspicion(0);
    await admin.clock.confirm();
    return before === null ? outputOf(null) : confirmed(before);
  },
};

export const RETENTION_COMMANDS: readonly Command[] = [show, confirm];

function outputOf(found: ClockSuspicion | null): CommandOutput {
  if (found === null) return { json: { paused: false }, text: 'Retention is not paused: the clock is plausible.' };
  const { present, lastTrusted, trustedFrom } = jsonOf(found);
  const text = [
    `Retention is paused: the clock shows ${present}, and the service saw it run until ${lastTrusted}.`,
    `If the clock is right, run "retention confirm". Otherwise set it right. It is trusted from ${trustedFrom} on.`,
  ].join('\n');
  return { json: { paused: true, present, last_trusted: lastTrusted, trusted_from: trustedFrom }, text };
}

function confirmed(before: ClockSuspicion): CommandOutput {
  const { present } = jsonOf(before);
  const text = `Confirmed that it is ${present}. The next round, within ten minutes, deletes what is older than the periods.`;
  return { json: { paused: false, confirmed: present }, text };
}

const jsonOf = ({ present, lastTrusted, trustedFrom }: ClockSuspicion): Record<keyof ClockSuspicion, string> => ({
  present: present.toISOString(),
  lastTrusted: lastTrusted.toISOString(),
  trustedFrom: trustedFrom.toISOString(),
});
