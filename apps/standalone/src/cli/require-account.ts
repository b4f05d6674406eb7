import { Refusal } from '#libs/contracts';
import type { Administration } from './administration.js';

/** @throws Refusal not_found, with a sentence that names the account. */
export async function requireAccount({ accounts }: Administration, id: string): Promise<void> {
  if ((await accounts.find(id)) === null) throw new Refusal('not_found', [], `There is no account ${id}.`);
}
