/** Sentences for actions; others are shown as they are. `details` are those of the entry. */
const SENTENCES: Record<string, string> = {
  'account.created': 'Account created',
  'account.updated': 'Account changed',
  'account.standing_changed': 'Account blocked or unblocked',
  'account.plan_changed': 'Plan changed',
  'account.resumed': 'Sending resumed',
  'account.pool_changed': 'Source pool changed',
  'account.limits_changed': 'Limits changed',
  'api_key.created': 'API key created',
  'api_key.updated': 'API key changed',
  'api_key.deleted': 'API key deleted',
  'domain.dkim_rotated': 'DKIM keys rotated',
  'domain.dkim_rotation_canceled': 'DKIM rotation canceled',
  'domain.dkim_switched': 'DKIM keys switched',
  'erasure.requested': 'Erasure requested',
  'invitation.created': 'Person invited',
  'invitation.revoked': 'Invitation revoked',
  'invitation.resent': 'Invitation sent again',
  'invitation.accepted': 'Invitation accepted',
  'member.role_changed': 'Role changed',
  'member.removed': 'Member removed',
  'session.started': 'Signed in',
  'session.ended': 'Session ended',
  'suppression.removed': 'Suppression removed',
  'user.created': 'User created',
  'user.renamed': 'Name changed',
  'user.password_changed': 'Password changed',
  'user.email_changed': 'Email address changed',
  'user.identity_linked': 'Single sign-on linked',
};

export const sentenceOf = (action: string): string => SENTENCES[action] ?? action;

/** Options of the filter: kinds of actions, by the part before the dot. */
export const KINDS = [
  { value: 'session', label: 'Sign-ins' },
  { value: 'member', label: 'Members' },
  { value: 'invitation', label: 'Invitations' },
  { value: 'user', label: 'Passwords and profiles' },
  { value: 'api_key', label: 'API keys' },
  { value: 'account', label: 'Account' },
  { value: 'domain', label: 'Domains' },
  { value: 'suppression', label: 'Suppressions' },
  { value: 'erasure', label: 'Erasures' },
];

/** The details worth showing in the list. */
export function summaryOf(details: unknown): string {
  const { email, name, from, to, role, method, plan, fields, reason } = details as Record<string, unknown>;
  const change = typeof from === 'string' && typeof to === 'string' ? `${from} → ${to}` : undefined;
  const words = [email, name, change, change === undefined ? role : undefined, method, plan, reason];
  const list = Array.isArray(fields) ? fields.join(', ') : undefined;
  return [...words, list].filter((word) => typeof word === 'string' && word !== '').join(' · ');
}
