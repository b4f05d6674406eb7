import { Box, Card, Loader, Text, VisuallyHidden, type MantineBreakpoint } from '@mantine/core';
import { modals, type ModalSettings } from '@mantine/modals';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, type CSSProperties, type ReactNode } from 'react';
import { Link } from 'react-router';
import type { ConnectionState } from '../api/use-connection.ts';
import { Failure, Loading } from './feedback.tsx';
import classes from './list.module.css';

export interface Column<N> {
  title: string;
  /** A grid track, such as `2fr` or `120px`. */
  width: string;
  render: (node: N) => ReactNode;
  /** Hidden on screens narrower than this. */
  from?: MantineBreakpoint;
}

interface RowProps<N> {
  columns: readonly Column<N>[];
  /** Parts of the line that a phone shows below the first column, in place of hidden columns. The first part is shortened. */
  second?: (node: N) => ReactNode[];
  /** The page of an entry; a click anywhere in the row opens it. */
  linkTo?: (node: N) => string;
  /** The same for a dialog. */
  dialog?: (node: N) => ModalSettings & { title: string; children: ReactNode };
  /** Buttons at the end of the row. */
  buttons?: { width: string; render: (node: N) => ReactNode };
}

export interface ListProps<N extends { id: string }> extends RowProps<N> {
  label: string;
  list: ConnectionState<N>;
  /** The id by default. */
  keyOf?: (node: N) => string;
  empty: ReactNode;
}

/** Rows with two lines of text; others are measured. */
const ROW_PX = 53;
const OVERSCAN = 12;

/** A list of any length: renders the visible rows only, and loads the next page before its end is reached. */
export function List<N extends { id: string }>({ list, empty, ...props }: ListProps<N>) {
  const { nodes, loading, hasMore, error, reload } = list;
  if (error !== null) return <Failure error={error} retry={reload} />;
  // With a selective filter, a page may be empty although more follow; the next one is loaded at once.
  if (loading || (nodes.length === 0 && hasMore)) return <Continued list={list} />;
  return nodes.length === 0 ? empty : <Rows list={list} {...props} />;
}

function Continued<N>({ list: { loading, hasMore, loadMore } }: { list: ConnectionState<N> }) {
  useEffect(() => {
    if (!loading && hasMore) loadMore();
  }, [loading, hasMore, loadMore]);
  return <Loading />;
}

function Rows<N extends { id: string }>(props: Omit<ListProps<N>, 'empty'>) {
  const { label, list, keyOf = ({ id }: N) => id, ...row } = props;
  const { nodes, loadingMore, hasMore, loadMore } = list;
  const body = useRef<HTMLDivElement>(null);
  const rows = useWindowVirtualizer({
    count: nodes.length,
    estimateSize: () => ROW_PX,
    overscan: OVERSCAN,
    scrollMargin: body.current?.offsetTop ?? 0,
  });
  const visible = rows.getVirtualItems();
  const last = visible.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasMore && last >= nodes.length - OVERSCAN) loadMore();
  }, [hasMore, last, loadMore, nodes.length]);
  const tracks = [...row.columns, ...(row.buttons ? [row.buttons] : [])].map(({ width }) => width);
  const style = { '--columns': tracks.join(' ') } as CSSProperties;
  return (
    <Card
      withBorder
      padding={0}
      role="table"
      aria-label={label}
      aria-rowcount={hasMore ? -1 : nodes.length}
      style={style}
    >
      <Head {...row} />
      <div ref={body} role="rowgroup" style={{ position: 'relative', height: rows.getTotalSize() }}>
        {visible.map(({ index, start }) => (
          <div
            key={keyOf(nodes[index])}
            ref={rows.measureElement}
            data-index={index}
            role="row"
            className={classes.row}
            style={{ minHeight: ROW_PX, transform: `translateY(${start - rows.options.scrollMargin}px)` }}
          >
            <Cells node={nodes[index]} {...row} />
          </div>
        ))}
      </div>
      {loadingMore && (
        <Box p="sm" ta="center">
          <Loader size="xs" aria-label="Loading more" />
        </Box>
      )}
    </Card>
  );
}

function Head<N>({ columns, buttons }: RowProps<N>) {
  return (
    <div role="rowgroup">
      <div role="row" className={classes.head}>
        {columns.map(({ title, from }) => (
          <Text key={title} role="columnheader" size="xs" fw={600} c="dimmed" visibleFrom={from} truncate>
            {title}
          </Text>
        ))}
        {buttons && (
          <div role="columnheader">
            <VisuallyHidden>Actions</VisuallyHidden>
          </div>
        )}
      </div>
    </div>
  );
}

function Cells<N>({ node, columns, second, buttons, linkTo, dialog }: RowProps<N> & { node: N }) {
  return (
    <>
      {columns.map(({ title, from, render }, column) => (
        <Box key={title} role="cell" visibleFrom={from} className={classes.cell}>
          {column > 0 && render(node)}
          {column === 0 && (
            <>
              <Opening to={linkTo?.(node)} open={dialog && (() => modals.open({ size: 'lg', ...dialog(node) }))}>
                {render(node)}
              </Opening>
              {second && <Second parts={second(node)} />}
            </>
          )}
        </Box>
      ))}
      {buttons && (
        <div role="cell" className={classes.actions}>
          {buttons.render(node)}
        </div>
      )}
    </>
  );
}

function Second({ parts }: { parts: ReactNode[] }) {
  return (
    <Box hiddenFrom="sm" className={classes.second}>
      {parts
        .filter((part) => part !== null && part !== undefined && part !== '')
        .map((part, i) => (
          <span key={i}>{part}</span>
        ))}
    </Box>
  );
}

/** A line of a cell in small letters. */
export const Note = ({ color = 'dimmed', children }: { color?: string; children: ReactNode }) => (
  <Text size="xs" c={color} truncate span display="block">
    {children}
  </Text>
);

interface OpeningProps {
  to: string | undefined;
  open: (() => void) | undefined;
  children: ReactNode;
}

/** The first cell: the link or button of the whole row. */
function Opening({ to, open, children }: OpeningProps) {
  if (to !== undefined)
    return (
      <Link to={to} className={classes.open}>
        {children}
      </Link>
    );
  if (open === undefined) return children;
  return (
    <button type="button" className={classes.open} onClick={open}>
      {children}
    </button>
  );
}
