import type { Role } from '#libs/contracts';

/** A message for a user, which the program composes and sends. `token` belongs into its link. */
export type Letter =
  | { kind: 'password_reset'; to: string; token: string }
  | { kind: 'email_change'; to: string; token: string }
  | { kind: 'sign_up'; to: string; token: string }
  /** To the former address, about the new one. */
  | { kind: 'email_changed'; to: string; email: string; ip: string }
  | { kind: 'password_changed'; to: string; ip: string }
  /** An identity of an OpenID provider logs in as this user from now on. */
  | { kind: 'identity_linked'; to: string; issuer: string; ip: string }
  | { kind: 'member_removed'; to: string; accountName: string }
  /** Somebody signed up with the address of a user. */
  | { kind: 'known_address'; to: string }
  | {
      kind: 'invitation';
      to: string;
      token: string;
      role: Role;
      accountName: string;
      invitedBy: { name: string; email: string };
    };
