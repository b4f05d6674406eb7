import { Alert, Anchor, Button, Divider, Stack, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { Link, useLocation, useSearchParams } from 'react-router';
import { call } from '../../api/http.ts';
import { fetchSession, type LoginMethods } from '../../api/session.tsx';
import { EmailField, LoginForm, PasswordField } from './form.tsx';
import { LoginFrame } from './login-frame.tsx';

/** Errors that the server adds to the address of a redirect. */
const ERRORS: Record<string, string> = {
  link_expired:
    'This link has been used or has expired. Sign in, or create another link with `npm run cli -- login-link`.',
  insecure_origin: 'Signing in needs HTTPS, except on the same machine (http://localhost).',
  rate_limit_exceeded: 'Too many failed sign-ins from your address. Wait a minute and open the link again.',
  oidc_failed: 'The identity provider did not confirm who you are. Try again.',
  oidc_no_account: 'This identity has not been invited. Ask an administrator of your account for an invitation.',
  oidc_email_unverified: 'The identity provider has not verified your email address.',
};

export function LoginPage() {
  const [methods, setMethods] = useState<LoginMethods>({ password: true, sign_up: false, oidc: false });
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [parameters] = useSearchParams();
  const { state } = useLocation() as { state: { from?: string } | null };
  const target = `/app${state?.from ?? '/'}`;
  useEffect(() => {
    fetchSession().then(
      ({ viewer, login }) => (viewer ? window.location.replace(target) : setMethods(login)),
      () => undefined,
    );
  }, [target]);
  const logIn = async () => {
    await call('POST', '/app/api/login', { email, password });
    window.location.assign(target);
  };
  const error = ERRORS[parameters.get('error') ?? ''];
  const link = parameters.get('link');
  if (link !== null) return <LinkPage token={link} />;
  return (
    <LoginFrame title="Sign in">
      {error !== undefined && <Alert color="yellow">{error}</Alert>}
      <LoginForm submit={logIn} label="Sign in">
        <EmailField value={email} onChange={setEmail} />
        <PasswordField value={password} onChange={setPassword} />
      </LoginForm>
      <Anchor component={Link} to="/reset" size="sm" className="target">
        Forgot your password?
      </Anchor>
      {methods.oidc && (
        <Stack gap="sm">
          <Divider label="or" />
          <Button component="a" href="/app/api/oidc/login" variant="default">
            Continue with single sign-on
          </Button>
        </Stack>
      )}
      {methods.sign_up && (
        <Text size="sm">
          No account yet?{' '}
          <Anchor component={Link} to="/sign-up" underline="always">
            Sign up
          </Anchor>
        </Text>
      )}
    </LoginFrame>
  );
}

/** A login link that the browser did not mark as opened by a person. */
function LinkPage({ token }: { token: string }) {
  const logIn = async () => {
    await call('POST', '/app/api/login/link', { token });
    window.location.assign('/app/');
  };
  return (
    <LoginFrame title="Sign in" text="This link signs you in once.">
      <LoginForm submit={logIn} label="Sign in">
        {null}
      </LoginForm>
      <Anchor component={Link} to="/login" size="sm" className="target">
        Sign in with a password
      </Anchor>
    </LoginFrame>
  );
}
