import { Button, Switch } from '@mantine/core';
import { modals, type ModalSettings } from '@mantine/modals';
import { IconPlus, IconSearch, type Icon } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import { Link } from 'react-router';
import { useSession } from '../api/session.tsx';
import { Empty } from './feedback.tsx';
import { FilterBar, type FilterField, type Filters } from './filters.tsx';
import { List, type ListProps } from './list.tsx';
import { Page } from './page.tsx';

interface ListPageProps<N extends { id: string }, F extends string> extends Omit<ListProps<N>, 'empty'> {
  title: string;
  description: ReactNode;
  actions?: ReactNode;
  filters?: Filters<F>;
  fields?: readonly FilterField<F>[];
  /** Less common filters, which a button shows. */
  more?: readonly FilterField<F>[];
  /** Shown without any entry. */
  empty: { icon: Icon; title: string; text: ReactNode; action?: ReactNode };
  /** Added to the sentence that nothing matches the filters. */
  hint?: string;
}

/** A page that is a list: columns, filters and a query. */
export function ListPage<N extends { id: string }, F extends string = never>(props: ListPageProps<N, F>) {
  const { title, description, actions, filters, fields, more, empty, hint, ...list } = props;
  const { icon, title: emptyTitle, text, action } = empty;
  return (
    <Page title={title} description={description} actions={actions}>
      {filters && fields && <FilterBar filters={filters} fields={fields} more={more} />}
      <List
        {...list}
        empty={
          filters?.isActive ? (
            <NothingFound clear={filters.clear}>
              No {list.label.toLowerCase()} match these filters. {hint}
            </NothingFound>
          ) : (
            <Empty icon={icon} title={emptyTitle} action={action}>
              {text}
            </Empty>
          )
        }
      />
    </Page>
  );
}

function NothingFound({ clear, children }: { clear: () => void; children: ReactNode }) {
  const button = (
    <Button variant="light" onClick={clear}>
      Clear filters
    </Button>
  );
  return (
    <Empty icon={IconSearch} title="Nothing found" action={button}>
      {children}
    </Empty>
  );
}

/** The next step of an empty list. */
export const NextStep = ({ to, children }: { to: string; children: string }) => (
  <Button component={Link} to={to} variant="light">
    {children}
  </Button>
);

interface DialogButtonProps extends ModalSettings {
  label: string;
  /** The scope or ability that it takes. */
  needs: string;
  form: (close: () => void) => ReactNode;
  icon?: Icon;
  variant?: 'default';
}

/** A button that opens a form in a dialog, for people who may send it. */
export function DialogButton({ label, needs, form, icon: Symbol = IconPlus, variant, ...dialog }: DialogButtonProps) {
  const { may } = useSession();
  const open = () => {
    const id = modals.open({ title: label, ...dialog, children: form(() => modals.close(id)) });
  };
  if (!may(needs)) return null;
  return (
    <Button variant={variant} leftSection={<Symbol size={16} />} onClick={open}>
      {label}
    </Button>
  );
}

/** Whether a list shows new entries by itself, and the switch for it; `isOver`: there can be none. */
export function useLive(isOver = false): [isLive: boolean, control: ReactNode] {
  const [live, setLive] = useState(true);
  const isLive = live && !isOver;
  const control = (
    <Switch
      label="Live"
      checked={isLive}
      disabled={isOver}
      onChange={({ currentTarget }) => setLive(currentTarget.checked)}
    />
  );
  return [isLive, control];
}
