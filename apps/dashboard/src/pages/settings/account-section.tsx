import { Stack, TagsInput, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useQuery } from 'urql';
import { useSession } from '../../api/session.tsx';
import { useOperation } from '../../api/use-operation.ts';
import { Failure, Loading } from '../../components/feedback.tsx';
import { DialogForm, FormField } from '../../components/form.tsx';
import { Copyable } from '../../components/format.tsx';
import { AccountSettingsDocument, UpdateAccountDocument, type AccountSettingsQuery } from '../../graphql/generated.ts';

/** The name of the account and the recipients of its notices. */
export function AccountSection() {
  const [{ data, error }] = useQuery({ query: AccountSettingsDocument });
  if (error) return <Failure error={error} />;
  if (!data) return <Loading />;
  return <AccountForm account={data.account} />;
}

function AccountForm({ account }: { account: AccountSettingsQuery['account'] }) {
  const { may, reload } = useSession();
  const update = useOperation(UpdateAccountDocument);
  const [name, setName] = useState(account.name);
  const [notifyAddresses, setNotifyAddresses] = useState(account.notifyAddresses);
  const canWrite = may('account.write');
  const save = async () => {
    await update({ input: { name, notifyAddresses } });
    reload();
  };
  const id = <Copyable value={account.id} label="Copy account ID" />;
  const fields = (
    <>
      <FormField name="name">
        <TextInput
          label="Account name"
          required
          disabled={!canWrite}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
      </FormField>
      <FormField name="notifyAddresses">
        <TagsInput
          label="Send notices to"
          description="Addresses that are notified when a webhook fails, the allowance runs out or sending is paused"
          placeholder={canWrite ? 'Add an address' : undefined}
          disabled={!canWrite}
          value={notifyAddresses}
          onChange={setNotifyAddresses}
        />
      </FormField>
    </>
  );
  if (!canWrite)
    return (
      <Stack>
        {fields}
        {id}
      </Stack>
    );
  const isUnchanged = name === account.name && notifyAddresses.join() === account.notifyAddresses.join();
  return (
    <DialogForm action="Save" save={save} done="The account has been saved." disabled={isUnchanged} aside={id}>
      {fields}
    </DialogForm>
  );
}
