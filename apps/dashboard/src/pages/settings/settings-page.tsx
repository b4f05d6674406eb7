import { Button, Card, Group, Stack, Table, Text, TextInput, Title } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { call } from '../../api/http.ts';
import { useSession } from '../../api/session.tsx';
import { useLoad } from '../../api/use-load.ts';
import { Failure } from '../../components/feedback.tsx';
import { Time } from '../../components/format.tsx';
import { Page } from '../../components/page.tsx';
import { AccountSection } from './account-section.tsx';
import { useChange } from '../../components/use-change.ts';
import { PasswordField } from '../login/form.tsx';

export function SettingsPage() {
  return (
    <Page
      title="Settings"
      description="The account and your own login. Domains, keys and people have pages of their own."
    >
      <Section title="Account">
        <AccountSection />
      </Section>
      <Profile />
      <Password />
      <Sessions />
    </Page>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Card withBorder padding="lg">
      <Stack>
        <Title order={2} size="h4">
          {title}
        </Title>
        {children}
      </Stack>
    </Card>
  );
}

function Profile() {
  const { viewer, reload } = useSession();
  const [name, setName] = useState(viewer.user.name);
  const [email, setEmail] = useState(viewer.user.email);
  const [password, setPassword] = useState('');
  const [busy, change] = useChange();
  const saveName = async () => {
    await call('PATCH', '/app/api/profile', { name });
    reload();
  };
  const changeEmail = async () => {
    await call('POST', '/app/api/email', {
      email,
      ...(viewer.user.has_password ? { current_password: password } : {}),
    });
    setPassword('');
  };
  return (
    <Section title="Profile">
      <Group align="flex-end">
        <TextInput label="Name" value={name} onChange={(event) => setName(event.currentTarget.value)} w={280} />
        <Button
          variant="default"
          loading={busy}
          disabled={name === viewer.user.name}
          onClick={() => change(saveName, 'The name has been saved.')}
        >
          Save
        </Button>
      </Group>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          change(changeEmail, `A link is on its way to ${email}. The address changes once it is opened.`);
        }}
      >
        <Group align="flex-end">
          <TextInput
            label="E-mail"
            type="email"
            required
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
            w={280}
          />
          {viewer.user.has_password && email !== viewer.user.email && (
            <PasswordField label="Current password" value={password} onChange={setPassword} />
          )}
          <Button type="submit" variant="default" loading={busy} disabled={email === viewer.user.email}>
            Change
          </Button>
        </Group>
      </form>
    </Section>
  );
}

function Password() {
  const { viewer, reload } = useSession();
  const [current, setCurrent] = useState('');
  const [password, setPassword] = useState('');
  const [busy, change] = useChange();
  const save = async () => {
    await call('POST', '/app/api/password', {
      password,
      ...(viewer.user.has_password ? { current_password: current } : {}),
    });
    setCurrent('');
    setPassword('');
    reload();
  };
  return (
    <Section title={viewer.user.has_password ? 'Change the password' : 'Set a password'}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          change(save, 'The password has been saved. All other sessions have ended.');
        }}
      >
        <Stack maw={320}>
          {viewer.user.has_password && <PasswordField label="Current password" value={current} onChange={setCurrent} />}
          <PasswordField label="New password" value={password} onChange={setPassword} isNew />
          <Button type="submit" variant="default" loading={busy}>
            Save the password
          </Button>
        </Stack>
      </form>
    </Section>
  );
}

interface SessionRow {
  id: string;
  current: boolean;
  user_agent: string | null;
  ip: string | null;
  created_at: string;
  last_seen_at: string;
}

function Sessions() {
  const { data, error, reload } = useLoad('sessions', () => call<{ data: SessionRow[] }>('GET', '/app/api/sessions'));
  const [busy, change] = useChange();
  const end = async (path: string) => {
    await call('DELETE', path);
    reload();
  };
  return (
    <Section title="Sessions">
      {error !== null && <Failure error={error} retry={reload} />}
      <Table.ScrollContainer minWidth={520}>
        <Table verticalSpacing="sm">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Browser</Table.Th>
              <Table.Th>Address</Table.Th>
              <Table.Th>Last seen</Table.Th>
              <Table.Th aria-label="Actions" />
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {(data?.data ?? []).map(({ id, current, user_agent, ip, last_seen_at }) => (
              <Table.Tr key={id}>
                <Table.Td>
                  <Text size="sm" lineClamp={1} title={user_agent ?? ''}>
                    {user_agent ?? 'unknown'}
                  </Text>
                </Table.Td>
                <Table.Td>{ip ?? '–'}</Table.Td>
                <Table.Td>{current ? 'this session' : <Time at={last_seen_at} />}</Table.Td>
                <Table.Td ta="right">
                  {!current && (
                    <Button
                      size="compact-xs"
                      variant="subtle"
                      color="red"
                      loading={busy}
                      onClick={() => change(() => end(`/app/api/sessions/${id}`), 'The session has ended.')}
                    >
                      End
                    </Button>
                  )}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {(data?.data.length ?? 0) > 1 && (
        <Group>
          <Button
            variant="default"
            loading={busy}
            onClick={() => change(() => end('/app/api/sessions'), 'All other sessions have ended.')}
          >
            End all others
          </Button>
        </Group>
      )}
    </Section>
  );
}
