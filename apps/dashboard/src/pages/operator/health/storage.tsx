import { Card, Group, Progress, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { formatBytes } from '../../../components/format.tsx';
import { formatDaysLeft, type Health } from './figures.ts';

const LOW = { yellow: 0.8, red: 0.95 };

/** Storage used by the service, its growth, and free disk space. */
export function Storage({ health: { size, disk } }: { health: Health }) {
  return (
    <Card withBorder>
      <Group justify="space-between">
        <Title order={2} size="h5">
          Storage
        </Title>
        {size && (
          <Text size="sm">
            {formatBytes(size.total)}
            {size.bytesPerDay !== null && `, ${growth(size.bytesPerDay)}`}
          </Text>
        )}
      </Group>
      {size && <Sizes size={size} />}
      {disk && <Disk disk={disk} isGrowthKnown={size?.bytesPerDay !== null} />}
    </Card>
  );
}

function Sizes({ size }: { size: NonNullable<Health['size']> }) {
  const parts: [string, number | null][] = [
    ['Database', size.database],
    ['Event log', size.eventLog],
    ['Contents of emails', size.contents],
    ['Statistics', size.statistics],
    ['Write-ahead log and other files', size.other],
  ];
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, md: 5 }} mt="xs" spacing="xs">
      {parts.map(([name, bytes]) => (
        <div key={name}>
          <Text size="xs" c="dimmed">
            {name}
          </Text>
          <Text size="sm">{bytes === null ? '–' : formatBytes(bytes)}</Text>
        </div>
      ))}
    </SimpleGrid>
  );
}

interface DiskProps {
  disk: NonNullable<Health['disk']>;
  isGrowthKnown: boolean;
}

function Disk({ disk: { folder, freeBytes, totalBytes, daysLeft }, isGrowthKnown }: DiskProps) {
  const used = totalBytes === 0 ? 0 : 1 - freeBytes / totalBytes;
  const color = used > LOW.red ? 'red' : used > LOW.yellow ? 'yellow' : undefined;
  const left = daysLeft === null ? '' : ` · full in ${formatDaysLeft(daysLeft)}`;
  return (
    <Stack gap={4} mt="sm">
      <Progress value={used * 100} color={color} aria-label="Used disk space" />
      <Text size="xs" c="dimmed" className="break">
        {formatBytes(freeBytes)} of {formatBytes(totalBytes)} free
        {isGrowthKnown ? left : ' · growth is known after an hour'} · {folder}
      </Text>
    </Stack>
  );
}

const growth = (bytesPerDay: number): string =>
  bytesPerDay < 0 ? `${formatBytes(-bytesPerDay)} less per day` : `${formatBytes(bytesPerDay)} more per day`;
