import { Button, Card, Group, NumberInput, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useSession } from '../../api/session.tsx';
import { useOperation } from '../../api/use-operation.ts';
import { Form } from '../../components/form.tsx';
import { useChange } from '../../components/use-change.ts';
import { DOMAIN_FIELDS } from '../../generated/constants.ts';
import { UpdateDomainDocument, type DomainPartsFragment } from '../../graphql/generated.ts';

/** Shorter periods of a domain; empty for the period of the service. */
export function DomainRetention({ domain }: { domain: DomainPartsFragment }) {
  const { may } = useSession();
  const update = useOperation(UpdateDomainDocument);
  const [bodies, setBodies] = useState(domain.bodyRetentionDays);
  const [captured, setCaptured] = useState(domain.capturedRetentionDays);
  const [busy, change] = useChange();
  const disabled = !may('domains.write');
  const save = async () => {
    await update({ id: domain.id, input: { bodyRetentionDays: bodies, capturedRetentionDays: captured } });
  };
  const unchanged = bodies === domain.bodyRetentionDays && captured === domain.capturedRetentionDays;
  return (
    <Card withBorder padding="lg">
      <Form submit={() => change(save, 'The periods have been saved.')}>
        <Stack>
          <div>
            <Title order={2} size="h4">
              Retention
            </Title>
            <Text size="sm" c="dimmed">
              Shorter retention periods for this domain. Periods longer than those of the service have no effect.
            </Text>
          </div>
          <Group align="flex-end">
            <Days label="Content of settled messages" value={bodies} onChange={setBodies} disabled={disabled} />
            <Days label="Captured messages" value={captured} onChange={setCaptured} disabled={disabled} />
            {!disabled && (
              <Button type="submit" variant="default" loading={busy} disabled={unchanged}>
                Save periods
              </Button>
            )}
          </Group>
        </Stack>
      </Form>
    </Card>
  );
}

interface DaysProps {
  label: string;
  value: number | null;
  onChange: (value: number | null) => void;
  disabled: boolean;
}

function Days({ label, value, onChange, disabled }: DaysProps) {
  return (
    <NumberInput
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
  );
}
