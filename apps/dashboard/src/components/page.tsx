import { Anchor, Box, Breadcrumbs, Group, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { Link } from 'react-router';

/** Characters from which a title is smaller; at three lines it is cut. */
const LONG_TITLE = 80;

interface PageProps {
  title: string;
  description?: ReactNode;
  /** The list that this page is an entry of. */
  parent?: { label: string; path: string };
  actions?: ReactNode;
  children: ReactNode;
}

/** A page: heading, actions and content. */
export function Page({ title, description, parent, actions, children }: PageProps) {
  useDocumentTitle(`${title} · Postloft`);
  return (
    <Stack gap="lg">
      <Box>
        {parent && (
          <Breadcrumbs mb={4}>
            <Anchor component={Link} to={parent.path} size="sm" className="target">
              {parent.label}
            </Anchor>
          </Breadcrumbs>
        )}
        <Group justify="space-between" align="flex-end" gap="sm">
          <Box miw={0}>
            <Title
              order={1}
              size={title.length > LONG_TITLE ? 'h3' : 'h2'}
              className="break"
              lineClamp={3}
              title={title}
            >
              {title}
            </Title>
            {description !== undefined && (
              <Text c="dimmed" size="sm" component="div" mt={4}>
                {description}
              </Text>
            )}
          </Box>
          <Group gap="xs" className="page-actions">
            {actions}
          </Group>
        </Group>
      </Box>
      {children}
    </Stack>
  );
}
