import { Anchor, Button, Loader, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import { call } from '../../api/http.ts';
import { fetchSession } from '../../api/session.tsx';
import { Failure } from '../../components/feedback.tsx';
import { EmailField, LoginForm, NameField, PasswordField } from './form.tsx';
import { LoginFrame } from './login-frame.tsx';

const BackToLogin = () => (
  <Anchor component={Link} to="/login" size="sm" className="target">
    Back to sign-in
  </Anchor>
);

/** Requests a link by email, or sets a new password with the token of that link. */
export function ResetPage() {
  const token = useSearchParams()[0].get('token');
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [sent, setSent] = useState(false);
  if (token !== null)
    return (
      <LoginFrame title="New password" text="This ends all your other sessions.">
        <LoginForm
          label="Set password"
          submit={async () => {
            await call('POST', '/app/api/password-reset/confirm', { token, password });
            window.location.assign('/app/');
          }}
        >
          <PasswordField value={password} onChange={setPassword} isNew label="New password" />
        </LoginForm>
      </LoginFrame>
    );
  return (
    <LoginFrame title="Reset your password" text={sent ? undefined : 'We will send you a link.'}>
      {sent ? (
        <Text size="sm">
          If there is a user with the address {email}, a link is on its way. No email is sent to a mailbox that refused
          an earlier one as unknown: the operator of this service can create a link for you instead.
        </Text>
      ) : (
        <LoginForm
          label="Send link"
          submit={async () => {
            await call('POST', '/app/api/password-reset', { email });
            setSent(true);
          }}
        >
          <EmailField value={email} onChange={setEmail} />
        </LoginForm>
      )}
      <BackToLogin />
    </LoginFrame>
  );
}

/** Signs up, or confirms the address with the token of the email. */
export function SignUpPage() {
  const token = useSearchParams()[0].get('token');
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [name, setName] = useState('');
  const [account, setAccount] = useState('');
  const [sent, setSent] = useState(false);
  if (token === null)
    return (
      <LoginFrame title="Sign up" text={sent ? undefined : 'First, we confirm your address.'}>
        {sent ? (
          <Text size="sm">A link is on its way to {email}.</Text>
        ) : (
          <LoginForm
            label="Continue"
            submit={async () => {
              await call('POST', '/app/api/sign-up', { email });
              setSent(true);
            }}
          >
            <EmailField value={email} onChange={setEmail} />
          </LoginForm>
        )}
        <BackToLogin />
      </LoginFrame>
    );
  return (
    <LoginFrame title="Create your account">
      <LoginForm
        label="Create account"
        submit={async () => {
          await call('POST', '/app/api/sign-up/confirm', { token, password, name, account_name: account || undefined });
          window.location.assign('/app/');
        }}
      >
        <NameField label="Your name" value={name} onChange={setName} autoFocus />
        <NameField
          label="Account name"
          name="accountName"
          placeholder="Example Ltd"
          value={account}
          onChange={setAccount}
        />
        <PasswordField value={password} onChange={setPassword} isNew />
      </LoginForm>
    </LoginFrame>
  );
}

interface Invitation {
  email: string;
  role: string;
  account_name: string;
  user_exists: boolean;
}

export function InvitationPage() {
  const token = useSearchParams()[0].get('token') ?? '';
  const [invitation, setInvitation] = useState<Invitation | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [password, setPassword] = useState('');
  const [name, setName] = useState('');
  const [oidc, setOidc] = useState(false);
  useEffect(() => {
    fetchSession().then(
      ({ login }) => setOidc(login.oidc),
      () => undefined,
    );
    call<Invitation>('POST', '/app/api/invitations/lookup', { token }).then(setInvitation, setError);
  }, [token]);
  if (error !== null)
    return (
      <LoginFrame title="Invitation">
        <Failure error={error} />
        <BackToLogin />
      </LoginFrame>
    );
  if (invitation === null)
    return (
      <LoginFrame title="Invitation">
        <Loader type="dots" />
      </LoginFrame>
    );
  const { email, role, account_name, user_exists } = invitation;
  return (
    <LoginFrame title={`Join ${account_name}`} text={`${email} has been invited as ${role}.`}>
      <LoginForm
        label="Accept invitation"
        submit={async () => {
          await call('POST', '/app/api/invitations/accept', { token, password, ...(user_exists ? {} : { name }) });
          window.location.assign('/app/');
        }}
      >
        {!user_exists && <NameField label="Your name" value={name} onChange={setName} />}
        <PasswordField value={password} onChange={setPassword} isNew={!user_exists} />
      </LoginForm>
      {oidc && (
        <Button component="a" href={`/app/api/oidc/login?invitation=${encodeURIComponent(token)}`} variant="default">
          Accept with single sign-on
        </Button>
      )}
    </LoginFrame>
  );
}

/** Confirms a new address of the user with the token of the email. */
export function ConfirmEmailPage() {
  const token = useSearchParams()[0].get('token') ?? '';
  const [result, setResult] = useState<'waiting' | 'done' | { error: unknown }>('waiting');
  useEffect(() => {
    call('POST', '/app/api/email/confirm', { token }).then(
      () => setResult('done'),
      (error: unknown) => setResult({ error }),
    );
  }, [token]);
  return (
    <LoginFrame title="New address">
      {result === 'waiting' && <Loader type="dots" />}
      {result === 'done' && <Text size="sm">The address has been changed.</Text>}
      {typeof result === 'object' && <Failure error={result.error} />}
      <BackToLogin />
    </LoginFrame>
  );
}
