import { Card, Group, NumberInput, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useSession } from '../../api/session.tsx';
import { useOperation } from '../../api/use-operation.ts';
import { Form, FormField, SubmitButton } from '../../components/form.tsx';
import { DOMAIN_FIELDS } from '../../generated/constants.ts';
import { UpdateDomainDocument, type DomainPartsFragment } from '../../graphql/generated.ts';

/** Shorter periods of a domain; empty for the period of the service. */
export function DomainRetention({ domain }: { domain: DomainPartsFragment }) {
  const { may } = useSession();
  const update = useOperation(UpdateDomainDocument);
  const [bodies, setBodies] = useState(domain.bodyRetentionDays);
  const [captured, setCaptured] = useState(domain.capturedRetentionDays);
  const disabled = !may('domains.write');
  const save = async () => {
    await update({ id: domain.id, input: { bodyRetentionDays: bodies, capturedRetentionDays: captured } });
  };
  const unchanged = bodies === domain.bodyRetentionDays && captured === domain.capturedRetentionDays;
  return (
    <Card withBorder padding="lg">
      <Form save={save} done="The periods have been saved.">
        <Stack>
          <div>
            <Title order={2} size="h4">
              Retention
            </Title>
            <Text size="sm" c="dimmed">
              Shorter retention periods for this domain. Periods longer than those of the service have no effect.
            </Text>
          </div>
          <Group align="flex-start">
            <Days
              name="bodyRetentionDays"
              label="Content of settled emails"
              value={bodies}
              onChange={setBodies}
              disabled={disabled}
            />
            <Days
              name="capturedRetentionDays"
              label="Captured emails"
              value={captured}
              onChange={setCaptured}
              disabled={disabled}
            />
          </Group>
          {!disabled && (
            <Group justify="flex-end">
              <SubmitButton disabled={unchanged}>Save</SubmitButton>
            </Group>
          )}
        </Stack>
      </Form>
    </Card>
  );
}

interface DaysProps {
  /** The field of the request. */
  name: string;
  label: string;
  value: number | null;
  onChange: (value: number | null) => void;
  disabled: boolean;
}

function Days({ name, label, value, onChange, disabled }: DaysProps) {
  return (
    <FormField name={name}>
      <NumberInput
        hideControls
        label={label}
        placeholder="Service default"
        suffix=" days"
        min={DOMAIN_FIELDS.bodyRetentionDays.minimum}
        max={DOMAIN_FIELDS.bodyRetentionDays.maximum}
        allowDecimal={false}
        disabled={disabled}
        value={value ?? ''}
        onChange={(days) => onChange(days === '' ? null : Number(days))}
        w={{ base: '100%', xs: 240 }}
      />
    </FormField>
  );
}
