import { Alert, Anchor, Group, NumberInput, Select, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import { useQuery } from 'urql';
import { useOperation } from '../../api/use-operation.ts';
import { DialogForm, FormField, ShownOnce } from '../../components/form.tsx';
import { AccountSettingsDocument, CreateAccountDocument, type CreateAccountMutation } from '../../graphql/generated.ts';
import { invitationSentence } from '../team/invitation-sentence.ts';

const DEFAULT_UNITS = 50_000;

interface Plan {
  kind: 'free' | 'unlimited' | 'number';
  units: number;
}

export const planOf = ({ kind, units }: Plan): string => (kind === 'number' ? String(units) : kind);

/** `free`, `unlimited` or a number of units. */
export function PlanInput({ plan, onChange }: { plan: Plan; onChange: (plan: Plan) => void }) {
  return (
    <Group align="flex-end" gap="xs">
      <FormField name="plan">
        <Select
          label="Plan"
          allowDeselect={false}
          data={[
            { value: 'free', label: 'Free' },
            { value: 'number', label: 'Units per month' },
            { value: 'unlimited', label: 'Unlimited' },
          ]}
          value={plan.kind}
          onChange={(kind) => onChange({ ...plan, kind: kind as Plan['kind'] })}
        />
      </FormField>
      {plan.kind === 'number' && (
        <NumberInput
          hideControls
          aria-label="Units per month"
          min={1}
          max={9_999_999_999}
          allowDecimal={false}
          allowNegative={false}
          thousandSeparator=" "
          value={plan.units}
          onChange={(units) => onChange({ ...plan, units: Number(units) || 1 })}
        />
      )}
    </Group>
  );
}

export function CreateAccountForm({ created, close }: { created: () => void; close: () => void }) {
  const create = useOperation(CreateAccountDocument);
  const [name, setName] = useState('');
  const [ownerEmail, setOwnerEmail] = useState('');
  const [plan, setPlan] = useState<Plan>({ kind: 'free', units: DEFAULT_UNITS });
  const [result, setResult] = useState<CreateAccountMutation['createAccount'] | null>(null);
  if (result) return <Created result={result} email={ownerEmail} close={close} />;
  const save = async () => {
    const { createAccount } = await create({
      input: { name, plan: planOf(plan), ownerEmail: ownerEmail.trim() || null },
    });
    setResult(createAccount);
    created();
  };
  return (
    <DialogForm action="Create account" save={save}>
      <FormField name="name">
        <TextInput
          label="Name"
          placeholder="Example Ltd"
          required
          data-autofocus
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
      </FormField>
      <PlanInput plan={plan} onChange={setPlan} />
      <FormField name="ownerEmail">
        <TextInput
          label="Email of the owner"
          description="Is invited by email and receives notices. Leave empty to hand over only the API key."
          type="email"
          value={ownerEmail}
          onChange={(event) => setOwnerEmail(event.currentTarget.value)}
        />
      </FormField>
    </DialogForm>
  );
}

/** The fate of an invitation, and the way to its link where no mail is delivered. */
export function Invited({ email }: { email: string }) {
  const [{ data }] = useQuery({ query: AccountSettingsDocument });
  if (data === undefined) return null;
  return <> {invitationSentence(email, data.account.capturesEmails)}</>;
}

interface CreatedProps {
  result: CreateAccountMutation['createAccount'];
  email: string;
  close: () => void;
}

function Created({ result: { account, apiKey, invitationProblem }, email, close }: CreatedProps) {
  return (
    <ShownOnce
      title="Copy the first API key now: it won't be shown again"
      value={apiKey}
      label="Copy the API key"
      close={close}
    >
      <Text size="sm">
        <Anchor component={Link} to={`/operator/accounts/${account.id}`} onClick={close}>
          {account.name}
        </Anchor>{' '}
        has been created.
        {email !== '' && invitationProblem === null && <Invited email={email} />}
      </Text>
      {invitationProblem !== null && (
        <Alert color="yellow" title={`${email} was not invited`}>
          <Text size="sm">{invitationProblem}</Text>
          <Text size="sm" mt="xs">
            Remove the address from the{' '}
            <Anchor
              component={Link}
              to={`/suppressions?${new URLSearchParams({ search: email })}`}
              onClick={close}
              size="sm"
              underline="always"
            >
              suppressions
            </Anchor>
            , then choose “Invite owner” on the page of the account. Until then nobody can sign in to it; its API key
            works.
          </Text>
        </Alert>
      )}
    </ShownOnce>
  );
}
