import type { LinkMail } from '#libs/notices';
import type { Invitations } from '#libs/users';
import type { InvitationDto } from './session.dto.js';

type Invite = Parameters<Invitations['create']>;

/**
 * Invites a person, who alone gets the link. An invitation whose message cannot be sent does not exist.
 * @throws Refusal of the invitation or of its message
 */
export async function sendInvitation(
  { invitations, mail }: { invitations: Invitations; mail: LinkMail },
  ...[by, given]: Invite
): Promise<InvitationDto> {
  const { invitation, letter } = await invitations.create(by, given);
  try {
    await mail.sendRequested(letter);
  } catch (error) {
    await invitations.revoke(by, invitation.id);
    throw error;
  }
  return invitation;
}
