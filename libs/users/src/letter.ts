import type { Role } from '#libs/contracts';

/** A message for a user, which the program composes and sends. `token` belongs into its link. */
export type Letter =
  | { kind: 'password_reset'; to: string; token: string }
  | { kind: 'email_change'; to: string; token: string }
  | { kind: 'sign_up'; to: string; token: string }
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
