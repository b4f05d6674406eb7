import type { Principal } from '#libs/accounts';

/** The email as a role without `emails.read` sees it: subjects are content, because they may hold sign-in codes. */
export const withoutContent = <E extends { subject: string }>({ scopes }: Pick<Principal, 'scopes'>, email: E): E =>
  scopes.has('emails.read') ? email : { ...email, subject: '' };
