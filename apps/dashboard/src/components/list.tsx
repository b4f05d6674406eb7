import { Box, Card, Loader, Text, type MantineBreakpoint } from '@mantine/core';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, type ReactNode } from 'react';
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

interface ListProps<N> {
  label: string;
  connection: ConnectionState<N>;
  columns: Column<N>[];
  keyOf: (node: N) => string;
  /** The page of an entry; the first column becomes a link to it. */
  linkTo?: (node: N) => string;
  onOpen?: (node: N) => void;
  empty: ReactNode;
}

const ROW_PX = 53;
const OVERSCAN = 12;

/** A list of any length: renders the visible rows only, and loads the next page before its end is reached. */
export function ConnectionList<N>({ label, connection, columns, keyOf, linkTo, onOpen, empty }: ListProps<N>) {
  const { nodes, loading, loadingMore, hasMore, error, loadMore, reload } = connection;
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
  if (error !== null) return <Failure error={error} retry={reload} />;
  // With a selective filter, a page may be empty although more follow; the next one is loaded at once.
  if (loading || (nodes.length === 0 && hasMore)) return <Loading />;
  if (nodes.length === 0) return empty;
  const template = columns.map(({ width }) => width).join(' ');
  return (
    <Card withBorder padding={0} role="table" aria-label={label} aria-rowcount={hasMore ? -1 : nodes.length}>
      <div role="rowgroup">
        <Box role="row" className={classes.head} style={{ '--columns': template }}>
          {columns.map(({ title, from }) => (
            <Text key={title} role="columnheader" size="xs" fw={600} c="dimmed" visibleFrom={from} truncate>
              {title}
            </Text>
          ))}
        </Box>
      </div>
      <div ref={body} role="rowgroup" style={{ position: 'relative', height: rows.getTotalSize() }}>
        {visible.map(({ index, start }) => {
          const node = nodes[index];
          return (
            <Box
              key={keyOf(node)}
              role="row"
              className={classes.row}
              style={{
                '--columns': template,
                height: ROW_PX,
                transform: `translateY(${start - rows.options.scrollMargin}px)`,
              }}
            >
              {columns.map(({ title, from, render }, column) => (
                <Box key={title} role="cell" visibleFrom={from} className={classes.cell}>
                  {column === 0 ? (
                    <Opening node={node} linkTo={linkTo} onOpen={onOpen} content={render(node)} />
                  ) : (
                    render(node)
                  )}
                </Box>
              ))}
            </Box>
          );
        })}
      </div>
      {loadingMore && (
        <Box p="sm" ta="center">
          <Loader size="xs" aria-label="Loading more" />
        </Box>
      )}
    </Card>
  );
}

interface OpeningProps<N> {
  node: N;
  linkTo: ((node: N) => string) | undefined;
  onOpen: ((node: N) => void) | undefined;
  content: ReactNode;
}

/** The first cell: the link or button of the whole row. */
function Opening<N>({ node, linkTo, onOpen, content }: OpeningProps<N>) {
  if (linkTo)
    return (
      <Link to={linkTo(node)} className={classes.open}>
        {content}
      </Link>
    );
  if (onOpen)
    return (
      <button type="button" className={classes.open} onClick={() => onOpen(node)}>
        {content}
      </button>
    );
  return content;
}
