import { ActionIcon, Button, Select, Stack, Text, TextInput, Title } from '@mantine/core';
import { IconTrash, IconUserPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useQuery } from 'urql';
import { call } from '../../api/http.ts';
import { useSession } from '../../api/session.tsx';
import type { Role } from '../../api/viewer.ts';
import { rowsOf } from '../../api/use-connection.ts';
import { useLoad, type Loaded } from '../../api/use-load.ts';
import { confirm } from '../../components/confirm.tsx';
import { notifyDone } from '../../components/feedback.tsx';
import { DialogForm, FormField } from '../../components/form.tsx';
import { Time } from '../../components/format.tsx';
import { DialogButton } from '../../components/list-page.tsx';
import { List, Note, type Column } from '../../components/list.tsx';
import { Page } from '../../components/page.tsx';
import { useSaved } from '../../components/use-saved.ts';
import { AccountSettingsDocument } from '../../graphql/generated.ts';
import { invitationSentence } from './invitation-sentence.ts';
import { KeysDialog, type KeysLeft } from './keys-dialog.tsx';
import { MailProblem, ProblemButton, type Reached } from './mail-problem.tsx';

interface ListOf<T> {
  data: T[];
}
interface Member extends Reached {
  id: string;
  email: string;
  name: string;
  role: Role;
  joined_at: string;
  last_seen_at: string | null;
}
interface Invitation extends Reached {
  id: string;
  email: string;
  role: Role;
  invited_by: string;
  created_at: string;
  expires_at: string;
}

/** The answer to a removal. */
interface Removed {
  api_keys: KeysLeft['keys'];
}

const ROLES: { value: Role; name: string; rights: string }[] = [
  {
    value: 'analyst',
    name: 'Analyst',
    rights: 'Sees statistics and what became of emails, but neither subjects nor content',
  },
  { value: 'viewer', name: 'Viewer', rights: 'Can read everything, the content of emails included' },
  { value: 'developer', name: 'Developer', rights: 'Can also send emails and configure domains, keys and webhooks' },
  { value: 'admin', name: 'Admin', rights: 'Can also manage members and account settings' },
  { value: 'owner', name: 'Owner', rights: 'Can do everything' },
];
/** Only owners appoint owners. */
const rolesFor = (may: (ability: string) => boolean): { value: Role; label: string }[] =>
  ROLES.filter(({ value }) => value !== 'owner' || may('owners.write')).map(({ value, name }) => ({
    value,
    label: name,
  }));
const nameOf = (role: Role): string => ROLES.find(({ value }) => value === role)?.name ?? role;

export function TeamPage() {
  const members = useLoad('members', () => call<ListOf<Member>>('GET', '/app/api/members'));
  const invitations = useLoad('invitations', () => call<ListOf<Invitation>>('GET', '/app/api/invitations'));
  return (
    <Page
      title="Team"
      description="People with access to this account, and their roles."
      actions={
        <DialogButton
          label="Invite"
          needs="members.write"
          icon={IconUserPlus}
          title="Invite a team member"
          form={(close) => <InviteForm done={invitations.reload} close={close} />}
        />
      }
    >
      <Members members={members} reloadInvitations={invitations.reload} />
      {invitations.data !== null && invitations.data.data.length > 0 && (
        <Invitations invitations={invitations.data.data} reload={invitations.reload} />
      )}
    </Page>
  );
}

interface MembersProps {
  members: Loaded<ListOf<Member>>;
  reloadInvitations: () => void;
}

function Members({ members, reloadInvitations }: MembersProps) {
  const { reload } = members;
  const { may, viewer } = useSession();
  const [left, setLeft] = useState<KeysLeft | null>(null);
  const remove = (member: Member) =>
    confirm({
      title: `Remove ${member.email}?`,
      text: 'They lose access to this account immediately, and their open invitations are revoked. API keys remain valid; those that they created are shown next.',
      confirm: 'Remove',
      run: async () => {
        const { api_keys: keys } = await call<Removed>('DELETE', `/app/api/members/${member.id}`);
        notifyDone(`${member.email} has been removed.`);
        if (keys.length > 0) setLeft({ email: member.email, keys });
        reload();
        reloadInvitations();
      },
    });
  const allow = async ({ id }: Pick<Member, 'id'>) => {
    await call('POST', `/app/api/members/${id}/allow-mail`);
    reload();
  };
  const { save, refusalOf } = useSaved();
  const changeRole = (member: Member, role: Role) =>
    save(
      { name: member.id, label: 'Role' },
      async () => {
        await call('PATCH', `/app/api/members/${member.id}`, { role });
        reload();
      },
      `The role of ${member.email} is now ${nameOf(role)}.`,
    );
  // An account must have an owner, so the only one can neither be removed nor get another role.
  const hasOneOwner = members.data?.data.filter(({ role }) => role === 'owner').length === 1;
  const isKept = ({ role }: Member) => role === 'owner' && hasOneOwner;
  const mayChange = (member: Member) =>
    may('members.write') && !isKept(member) && (member.role !== 'owner' || may('owners.write'));
  const columns: Column<Member>[] = [
    {
      title: 'Person',
      width: 'minmax(0, 1fr)',
      render: ({ name, email, ...member }) => (
        <>
          <Text size="sm" fw={500} truncate>
            {name || email}
          </Text>
          {name && <Note>{email}</Note>}
          <MailProblem problem={member.mail_problem}>
            {may('members.write') && member.mail_problem?.stopped && (
              <ProblemButton label="Send to this address again" run={() => allow(member)} />
            )}
          </MailProblem>
        </>
      ),
    },
    {
      title: 'Role',
      width: '130px',
      render: (member) =>
        mayChange(member) ? (
          <Select
            size="xs"
            w={130}
            aria-label={`Role of ${member.email}`}
            allowDeselect={false}
            data={rolesFor(may)}
            value={member.role}
            error={refusalOf(member.id)}
            onChange={(role) => role && changeRole(member, role)}
          />
        ) : (
          nameOf(member.role)
        ),
    },
    { title: 'Joined', width: '130px', from: 'md', render: ({ joined_at }) => <Time at={joined_at} /> },
    { title: 'Last seen', width: '130px', from: 'sm', render: ({ last_seen_at }) => <Time at={last_seen_at} /> },
  ];
  const bin = (member: Member) =>
    (mayChange(member) || (member.id === viewer.user.id && !isKept(member))) && (
      <ActionIcon variant="subtle" color="red" aria-label={`Remove ${member.email}`} onClick={() => remove(member)}>
        <IconTrash size={16} />
      </ActionIcon>
    );
  return (
    <>
      <List
        label="Members"
        list={rowsOf(members, ({ data }) => data, reload)}
        columns={columns}
        second={({ last_seen_at }) => [
          <>
            Last seen <Time at={last_seen_at} />
          </>,
        ]}
        buttons={{ width: '28px', render: bin }}
        empty={null}
      />
      <KeysDialog left={left} close={() => setLeft(null)} />
    </>
  );
}

function Invitations({ invitations, reload }: { invitations: Invitation[]; reload: () => void }) {
  const { may } = useSession();
  const revoke = ({ id, email }: Invitation) =>
    confirm({
      title: `Revoke the invitation for ${email}?`,
      text: 'The link in the email stops working. You can invite the person again, with a new link.',
      confirm: 'Revoke',
      keep: 'Keep',
      run: async () => {
        await call('DELETE', `/app/api/invitations/${id}`);
        notifyDone(`The invitation for ${email} has been revoked.`);
        reload();
      },
    });
  const sendAgain = async (id: string) => {
    await call('POST', `/app/api/invitations/${id}/resend`);
    reload();
  };
  const columns: Column<Invitation>[] = [
    {
      title: 'Email',
      width: 'minmax(0, 1fr)',
      render: ({ id, email, mail_problem: problem }) => (
        <>
          {email}
          <MailProblem problem={problem}>
            {may('members.write') && <ProblemButton label="Send again" run={() => sendAgain(id)} />}
          </MailProblem>
        </>
      ),
    },
    { title: 'Role', width: '130px', from: 'sm', render: ({ role }) => nameOf(role) },
    { title: 'Expires', width: '130px', from: 'sm', render: ({ expires_at }) => <Time at={expires_at} /> },
  ];
  const button = (invitation: Invitation) =>
    may('members.write') && (
      <Button
        size="compact-sm"
        variant="subtle"
        color="red"
        aria-label={`Revoke the invitation for ${invitation.email}`}
        onClick={() => revoke(invitation)}
      >
        Revoke
      </Button>
    );
  return (
    <Stack gap="xs">
      <Title order={2} size="h4">
        Pending invitations
      </Title>
      <List
        label="Pending invitations"
        list={rowsOf({ data: invitations, error: null }, (all) => all, reload)}
        columns={columns}
        second={({ role, expires_at }) => [
          nameOf(role),
          <>
            expires <Time at={expires_at} />
          </>,
        ]}
        buttons={{ width: '80px', render: button }}
        empty={null}
      />
    </Stack>
  );
}

function InviteForm({ done, close }: { done: () => void; close: () => void }) {
  const { may } = useSession();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('developer');
  const [{ data }] = useQuery({ query: AccountSettingsDocument });
  const invite = async () => {
    await call('POST', '/app/api/invitations', { email, role });
    notifyDone(invitationSentence(email, data?.account.capturesEmails ?? false));
    close();
    done();
  };
  return (
    <DialogForm action="Send invitation" save={invite}>
      <FormField name="email">
        <TextInput
          label="Email"
          type="email"
          required
          data-autofocus
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
      </FormField>
      <FormField name="role">
        <Select
          label="Role"
          allowDeselect={false}
          description={ROLES.find(({ value }) => value === role)?.rights}
          inputWrapperOrder={['label', 'input', 'description']}
          data={rolesFor(may)}
          value={role}
          onChange={(value) => value && setRole(value)}
        />
      </FormField>
    </DialogForm>
  );
}
