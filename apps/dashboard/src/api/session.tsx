import { createContext, useCallback, useContext, useEffect, useMemo, useState, type ReactNode } from 'react';
import { call, selectAccount, showAccount, type ApiError } from './http.ts';
import { onRecovery } from './outage.ts';
import { rememberedViewer, rememberViewer } from './remembered-viewer.ts';
import { onSessionEnd } from './session-end.ts';
import type { Membership, Viewer } from './viewer.ts';

export interface LoginMethods {
  password: boolean;
  sign_up: boolean;
  oidc: boolean;
}

export interface SessionAnswer {
  viewer: Viewer | null;
  login: LoginMethods;
}

interface SessionState {
  viewer: Viewer;
  account: Membership;
  /** True if the role permits operations with this scope, such as `emails.send`, or has this ability. */
  may: (scopeOrAbility: string) => boolean;
  reload: () => void;
}

let prefetched: Promise<SessionAnswer> | null = null;

/** The session of this browser; `viewer` is null without one. @throws ApiError for a refusal or without a connection */
export function fetchSession(): Promise<SessionAnswer> {
  const session = prefetched ?? call<SessionAnswer>('GET', '/app/api/session');
  prefetched = null;
  return session;
}

/** Requests the session, then starts `prepare`; the next `fetchSession` resolves once both have succeeded. */
export function prefetchSession(prepare: () => Promise<void>): void {
  const session = fetchSession();
  prefetched = prepare().then(() => session);
  // A failure is shown when the session is needed.
  prefetched.catch(() => undefined);
}

type Loaded =
  | { kind: 'loading' }
  | { kind: 'anonymous' }
  | { kind: 'failed'; error: ApiError }
  | { kind: 'viewer'; viewer: Viewer };

const Context = createContext<SessionState | null>(null);

/** The session of the pages below. @throws outside of `SessionGate` */
export function useSession(): SessionState {
  const session = useContext(Context);
  if (session === null) throw new Error('The page needs a session');
  return session;
}

interface GateProps {
  children: ReactNode;
  /** Called before the pages are rendered with the session. Must not change. */
  prepare: () => void;
  waiting: ReactNode;
  anonymous: ReactNode;
  withoutAccount: (viewer: Viewer) => ReactNode;
  failed: (error: ApiError, retry: () => void) => ReactNode;
}

/** Loads the session and renders the pages with it, or the login. */
export function SessionGate({ children, prepare, waiting, anonymous, withoutAccount, failed }: GateProps) {
  const [loaded, setLoaded] = useState<Loaded>({ kind: 'loading' });
  const load = useCallback(() => {
    fetchSession().then(
      ({ viewer }) => {
        if (viewer?.account) {
          if (!keepsAccount(viewer.account)) return undefined;
          prepare();
        }
        rememberViewer(viewer);
        return setLoaded(viewer ? { kind: 'viewer', viewer } : { kind: 'anonymous' });
      },
      (error: ApiError) => {
        // The user is no longer a member of the selected account.
        if (error.details.some(({ code }) => code === 'not_a_member')) selectAccount(null);
        const viewer = isTemporary(error) ? rememberedViewer() : null;
        setLoaded(viewer === null ? { kind: 'failed', error } : { kind: 'viewer', viewer });
      },
    );
  }, [prepare]);
  useEffect(load, [load]);
  useEffect(() => onRecovery(load), [load]);
  useEffect(
    () =>
      onSessionEnd(() => {
        rememberViewer(null);
        setLoaded({ kind: 'anonymous' });
      }),
    [],
  );
  const state = useMemo((): SessionState | null => {
    if (loaded.kind !== 'viewer' || loaded.viewer.account === null) return null;
    const { viewer } = loaded;
    const { account } = loaded.viewer;
    const granted = new Set([...account.scopes, ...account.abilities]);
    return { viewer, account, may: (name) => granted.has(name), reload: load };
  }, [loaded, load]);
  if (loaded.kind === 'loading') return waiting;
  if (loaded.kind === 'failed') return failed(loaded.error, load);
  if (loaded.kind === 'anonymous') return anonymous;
  if (state === null) return withoutAccount(loaded.viewer);
  return <Context.Provider value={state}>{children}</Context.Provider>;
}

/** The session may exist although it cannot be read. */
const isTemporary = ({ status }: ApiError): boolean => status === 0 || status >= 500;

/** False, and the application is reloaded, if this page shows an account that the user has left. */
export function keepsAccount({ id }: Membership): boolean {
  const isShown = showAccount(id);
  if (!isShown) openAccount(id);
  return isShown;
}

/** Caches and streams belong to one account, so the application is reloaded. */
export function openAccount(id: string | null): void {
  selectAccount(id);
  window.location.assign('/app/');
}

export async function logOut(): Promise<void> {
  await call('POST', '/app/api/logout');
  rememberViewer(null);
  selectAccount(null);
  window.location.assign('/app/login');
}
