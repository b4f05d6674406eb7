import { Refusal } from '#libs/contracts';
import type { RenewedInvitation } from '#libs/users';
import type { Command, CommandOutput } from './command.js';

const loginLink: Command = {
  name: 'login-link',
  positionals: [],
  options: { email: { type: 'string' } },
  synopsis: '[--email ADDRESS]',
  summary:
    'Prints a link that signs in to the dashboard once, within 15 minutes: as the first owner, or as another user.',
  prepare: ({ options: { email } }) => {
    const address = email === undefined ? undefined : String(email);
    return async (admin) => {
      const { firstOwner, publicUrl } = admin;
      await firstOwner.ensure();
      const link = await firstOwner.loginLink(address);
      const invitations = link === null && address !== undefined ? await admin.resendInvitations(address) : [];
      if (address !== undefined && invitations.length > 0)
        return admin.deliversMail ? resent(address, invitations) : invitationLinks(address, invitations, publicUrl);
      if (link === null) throw new Refusal('not_found', [], missing(address));
      const url = `${publicUrl}${link.path}`;
      return { json: { email: link.email, url }, text: url };
    };
  },
};

/** The link of an invitation is only in its message, which proves the address. */
function resent(email: string, invitations: readonly RenewedInvitation[]): CommandOutput {
  const names = invitations.map(({ accountId, accountName }) => `"${accountName}" (${accountId})`).join(', ');
  return {
    json: { email, invitations: invitations.map(({ accountId: account }) => ({ account })) },
    text:
      `${email} has no login yet, but is invited to ${names}. The invitation was sent again and is valid for seven days; ` +
      'earlier links to it no longer work.',
  };
}

/** In capture mode the message is delivered to nobody: the operator passes the link on. */
function invitationLinks(email: string, invitations: readonly RenewedInvitation[], base: string): CommandOutput {
  const links = invitations.map(({ accountId: account, accountName, letter: { token } }) => ({
    account,
    name: accountName,
    url: `${base}/app/invitation?token=${token}`,
  }));
  return {
    json: { email, invitations: links.map(({ account, url }) => ({ account, url })) },
    text: links.map(({ account, name, url }) => `Invitation to "${name}" (${account}): ${url}`).join('\n'),
  };
}

const missing = (address: string | undefined): string =>
  address === undefined
    ? 'There is no account yet: start the service first.'
    : `There is no user with the address ${address}.`;

export const LOGIN_LINK_COMMANDS: readonly Command[] = [loginLink];
