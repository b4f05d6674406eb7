import { useEffect, useState } from 'react';
import { fetchSession } from '../src/api/session.tsx';

/** The credentials that requests are sent with. */
export type Credentials = { kind: 'key'; key: string } | { kind: 'session'; accountId: string };

/** What this page needs of the dashboard session of this browser. */
export type Login =
  | { kind: 'loading' }
  | { kind: 'none' }
  | { kind: 'owner'; email: string; account: string; accountId: string }
  /** Sessions of the other roles send the operations of the dashboard only. */
  | { kind: 'other'; email: string; role: string };

export function useLogin(): Login {
  const [login, setLogin] = useState<Login>({ kind: 'loading' });
  useEffect(() => {
    fetchSession().then(
      ({ viewer }) => setLogin(loginOf(viewer)),
      () => setLogin({ kind: 'none' }),
    );
  }, []);
  return login;
}

function loginOf(viewer: Awaited<ReturnType<typeof fetchSession>>['viewer']): Login {
  if (!viewer?.account) return { kind: 'none' };
  const { email } = viewer.user;
  const { id, name, role } = viewer.account;
  return role === 'owner' ? { kind: 'owner', email, account: name, accountId: id } : { kind: 'other', email, role };
}

/** Headers of requests, and the payload of `connection_init`. */
export const headersOf = (credentials: Credentials): Record<string, string> =>
  credentials.kind === 'key'
    ? { Authorization: `Bearer ${credentials.key}` }
    : { 'x-account-id': credentials.accountId };
