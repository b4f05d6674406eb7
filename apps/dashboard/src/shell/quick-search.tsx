import { ActionIcon, Autocomplete, Button, Kbd, Modal } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { useSession } from '../api/session.tsx';
import { destinationsFor } from './destinations.ts';
import type { NavigationItem } from './navigation.ts';

const SHORTCUT = /Mac|iPhone|iPad/.test(window.navigator.userAgent) ? '⌘ K' : 'Ctrl K';

/** Opens a page, or what an id or address belongs to, from the keyboard. */
export function QuickSearch({ pages }: { pages: readonly NavigationItem[] }) {
  const [opened, { open, close }] = useDisclosure();
  useHotkeys([['mod+K', open]], []);
  return (
    <>
      <Button
        variant="default"
        size="xs"
        c="dimmed"
        fw={400}
        visibleFrom="sm"
        leftSection={<IconSearch size={14} />}
        rightSection={<Kbd size="xs">{SHORTCUT}</Kbd>}
        onClick={open}
      >
        Go to …
      </Button>
      <ActionIcon variant="subtle" color="gray" size="lg" hiddenFrom="sm" aria-label="Go to …" onClick={open}>
        <IconSearch size={18} />
      </ActionIcon>
      <Modal opened={opened} onClose={close} title="Go to" size="lg">
        <Search pages={pages} close={close} />
      </Modal>
    </>
  );
}

/** Mounted whenever the dialog opens, so it starts empty. */
function Search({ pages, close }: { pages: readonly NavigationItem[]; close: () => void }) {
  const [text, setText] = useState('');
  const navigate = useNavigate();
  const content = useSession().may('emails.read');
  const destinations = destinationsFor(text, pages).filter(({ path }) => content || !path.startsWith('/emails?'));
  return (
    <Autocomplete
      data-autofocus
      aria-label="Page, id, address or subject"
      placeholder="Page, id, address or subject"
      leftSection={<IconSearch size={16} />}
      data={destinations.map(({ label }) => label)}
      // The list is already filtered.
      filter={({ options }) => options}
      selectFirstOptionOnChange
      maxDropdownHeight={420}
      value={text}
      onChange={setText}
      onOptionSubmit={(chosen) => {
        const found = destinations.find(({ label }) => label === chosen);
        if (!found) return;
        close();
        void navigate(found.path);
      }}
    />
  );
}
