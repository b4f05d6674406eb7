import { Code } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';

/** A help text of the server, with the words in backticks as code. */
export function help(text: string): ReactNode {
  return text
    .split('`')
    .map((part, i) => (i % 2 === 1 ? <Code key={part + i}>{part}</Code> : <Fragment key={part + i}>{part}</Fragment>));
}
