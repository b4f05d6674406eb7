import { Box, Card, Center, Group, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { ReactNode } from 'react';
import icon from '../../icon.svg';
import { ThemeToggle } from '../../shell/theme-toggle.tsx';

/** The frame of all pages without a session. */
export function LoginFrame({ title, text, children }: { title: string; text?: ReactNode; children: ReactNode }) {
  useDocumentTitle(`${title} · Postloft`);
  return (
    <Box component="main" mih="100vh">
      <Group justify="flex-end" p="md">
        <ThemeToggle />
      </Group>
      <Center p="md" pt="6vh">
        <Stack w="100%" maw={400}>
          <Group gap="sm" justify="center">
            <img src={icon} alt="" width={34} height={34} />
            <Text fw={700} size="xl">
              Postloft
            </Text>
          </Group>
          <Card withBorder shadow="sm" padding="xl" radius="lg">
            <Stack>
              <Box>
                <Title order={1} size="h3">
                  {title}
                </Title>
                {text !== undefined && (
                  <Text c="dimmed" size="sm" mt={4} component="div">
                    {text}
                  </Text>
                )}
              </Box>
              {children}
            </Stack>
          </Card>
        </Stack>
      </Center>
    </Box>
  );
}
