import { Badge, Button, Card, Group, Stack, Text, TextInput, Title, Tooltip } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { call } from '../../api/http.ts';
import { useSession } from '../../api/session.tsx';
import { useLoad } from '../../api/use-load.ts';
import { confirm } from '../../components/confirm.tsx';
import { Failure, notifyDone } from '../../components/feedback.tsx';
import { DialogForm, FormField } from '../../components/form.tsx';
import { Time } from '../../components/format.tsx';
import { Page } from '../../components/page.tsx';
import { DataTable, type Field } from '../../components/table.tsx';
import { AccountSection } from './account-section.tsx';
import { useChange } from '../../components/use-change.ts';
import { NameField, PasswordField } from '../login/form.tsx';
import { browserName } from './browser-name.ts';

export function SettingsPage() {
  return (
    <Page
      title="Settings"
      description="Your account, your name and how you sign in. Domains, keys and team members have their own pages."
    >
      <Section title="Account">
        <AccountSection />
      </Section>
      <Name />
      <Email />
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

function Name() {
  const { viewer, reload } = useSession();
  const [name, setName] = useState(viewer.user.name);
  const save = async () => {
    await call('PATCH', '/app/api/profile', { name });
    reload();
  };
  return (
    <Section title="Your name">
      <DialogForm action="Save" save={save} done="The name has been saved." disabled={name === viewer.user.name}>
        <NameField label="Name" value={name} onChange={setName} />
      </DialogForm>
    </Section>
  );
}

function Email() {
  const { user } = useSession().viewer;
  const [email, setEmail] = useState(user.email);
  const [password, setPassword] = useState('');
  const isChanged = email !== user.email;
  const save = async () => {
    await call('POST', '/app/api/email', { email, ...(user.has_password ? { current_password: password } : {}) });
    setPassword('');
  };
  return (
    <Section title="Your email address">
      <DialogForm
        action="Save"
        save={save}
        done={`A link is on its way to ${email}. The address changes once it is opened.`}
        disabled={!isChanged}
      >
        <FormField name="email">
          <TextInput
            label="Email"
            type="email"
            required
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
        </FormField>
        {user.has_password && isChanged && (
          <PasswordField label="Current password" name="currentPassword" value={password} onChange={setPassword} />
        )}
      </DialogForm>
    </Section>
  );
}

function Password() {
  const { viewer, reload } = useSession();
  const [current, setCurrent] = useState('');
  const [password, setPassword] = useState('');
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
    <Section title={viewer.user.has_password ? 'Your password' : 'Set a password'}>
      <DialogForm
        action="Save"
        save={save}
        done="The password has been saved. All other sessions have ended."
        disabled={password === ''}
      >
        {viewer.user.has_password && (
          <PasswordField label="Current password" name="currentPassword" value={current} onChange={setCurrent} />
        )}
        <PasswordField label="New password" value={password} onChange={setPassword} isNew />
      </DialogForm>
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
  const others = (data?.data.length ?? 1) - 1;
  const endOthers = () =>
    confirm({
      title: others === 1 ? 'End the other session?' : `End ${others} other sessions?`,
      text: 'Their browsers have to sign in again.',
      confirm: 'End',
      keep: 'Keep',
      run: async () => {
        await end('/app/api/sessions');
        notifyDone('All other sessions have ended.');
      },
    });
  const fields: Field<SessionRow>[] = [
    {
      title: 'Browser',
      kind: 'heading',
      render: ({ user_agent, current }) => (
        <Group gap="xs">
          <Tooltip label={user_agent ?? 'No user agent was sent.'} multiline maw={360}>
            <Text size="sm" fw={500} tabIndex={0}>
              {browserName(user_agent)}
            </Text>
          </Tooltip>
          {current && (
            <Badge variant="light" color="teal" tt="none">
              this session
            </Badge>
          )}
        </Group>
      ),
    },
    { title: 'IP address', render: ({ ip }) => ip ?? '–' },
    { title: 'Signed in', render: ({ created_at }) => <Time at={created_at} /> },
    { title: 'Last seen', render: ({ current, last_seen_at }) => (current ? 'now' : <Time at={last_seen_at} />) },
    {
      title: 'Actions',
      kind: 'actions',
      align: 'right',
      render: ({ id, current, user_agent }) =>
        !current && (
          <Button
            size="compact-sm"
            variant="subtle"
            color="red"
            loading={busy}
            aria-label={`End the session of ${browserName(user_agent)}`}
            onClick={() => change(() => end(`/app/api/sessions/${id}`), 'The session has ended.')}
          >
            End
          </Button>
        ),
    },
  ];
  return (
    <Section title="Sessions">
      {error !== null && <Failure error={error} retry={reload} />}
      <DataTable label="Sessions" fields={fields} rows={data?.data ?? []} keyOf={({ id }) => id} isInCard />
      {others > 0 && (
        <Group justify="flex-end">
          <Button variant="default" onClick={endOthers}>
            End all other sessions
          </Button>
        </Group>
      )}
    </Section>
  );
}
