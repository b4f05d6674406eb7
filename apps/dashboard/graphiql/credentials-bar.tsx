import { useState, type FormEvent } from 'react';
import type { Credentials, Login } from './credentials.ts';

interface Props {
  login: Login;
  active: Credentials['kind'] | null;
  onKey: (key: string | null) => void;
}

/** Shows the credentials that requests use. The key stays in the memory of the page. */
export function CredentialsBar({ login, active, onKey }: Props) {
  const [text, setText] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onKey(text.trim() === '' ? null : text.trim());
  };
  const forget = () => {
    setText('');
    onKey(null);
  };
  return (
    <header className="bar">
      <a className="home" href="/app/">
        Dashboard
      </a>
      <p role="status">{statusText(login, active)}</p>
      <form onSubmit={submit}>
        <label htmlFor="key">API key</label>
        <input
          id="key"
          type="password"
          autoComplete="off"
          placeholder="pl_live_…"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <button type="submit" disabled={text.trim() === ''}>
          Use key
        </button>
        {active === 'key' && (
          <button type="button" onClick={forget}>
            Forget
          </button>
        )}
      </form>
    </header>
  );
}

function statusText(login: Login, active: Props['active']): string {
  if (active === 'key') return 'Requests use the API key.';
  if (login.kind === 'loading') return '';
  if (login.kind === 'owner') return `Requests use your session: ${login.email}, owner of ${login.account}.`;
  if (login.kind === 'other')
    return `${login.email} is ${login.role}. Only sessions of owners are accepted here: enter an API key.`;
  return 'Enter an API key, or sign in to the dashboard as an owner.';
}
