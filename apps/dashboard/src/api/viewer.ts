export type Role = 'owner' | 'admin' | 'developer' | 'viewer' | 'analyst';

export interface Membership {
  id: string;
  name: string;
  standing: 'active' | 'blocked' | 'overdue';
  plan: string;
  role: Role;
  operator: boolean;
  scopes: string[];
  abilities: string[];
}

export interface Viewer {
  user: { id: string; email: string; name: string; has_password: boolean; created_at: string };
  session: { id: string; expires_at: string; created_at: string };
  /** Null for a user without an account. */
  account: Membership | null;
  accounts: Membership[];
}
