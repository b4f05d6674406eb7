import { Refusal } from '#libs/contracts';
import type { Command } from './command.js';

const loginLink: Command = {
  name: 'login-link',
  positionals: [],
  options: { email: { type: 'string' } },
  synopsis: '[--email ADDRESS]',
  summary:
    'Prints a link that logs in to the dashboard once, within 15 minutes: as the first owner, or as another user.',
  prepare: ({ options: { email } }) => {
    const address = email === undefined ? undefined : String(email);
    return async ({ firstOwner, publicUrl }) => {
      await firstOwner.ensure();
      const link = await firstOwner.loginLink(address);
      if (link === null) throw new Refusal('not_found', [], missing(address));
      const url = `${publicUrl}${link.path}`;
      return { json: { email: link.email, url }, text: url };
    };
  },
};

const missing = (address: string | undefined): string =>
  address === undefined
    ? 'There is no account yet: start the service first.'
    : `There is no user with the address ${address}.`;

export const LOGIN_LINK_COMMANDS: readonly Command[] = [loginLink];
