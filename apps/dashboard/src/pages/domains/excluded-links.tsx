import { TagsInput } from '@mantine/core';
import { useState } from 'react';
import { problemOf, sentenceAt } from '../../api/problem.ts';
import { useOperation } from '../../api/use-operation.ts';
import { help } from '../../components/help.tsx';
import { DOMAIN_FIELDS } from '../../generated/constants.ts';
import { UpdateDomainDocument, type DomainPartsFragment } from '../../graphql/generated.ts';
import { withoutScheme } from './link-pattern.ts';

const LABEL = 'Links that are never rewritten';

/** Patterns of links, saved with each change. A refused pattern stays in the input, with the reason below it. */
export function ExcludedLinks({ domain, disabled }: { domain: DomainPartsFragment; disabled: boolean }) {
  const { id, trackingExclude: saved } = domain;
  const update = useOperation(UpdateDomainDocument);
  const [text, setText] = useState('');
  const [error, setError] = useState<string | null>(null);
  const save = async (next: string[]) => {
    const patterns = [...new Set(next.map(withoutScheme))];
    setError(null);
    try {
      await update({ id, input: { trackingExclude: patterns } });
    } catch (refused) {
      const { fields, message } = problemOf(refused);
      setError(fields.length > 0 ? sentenceAt(fields[0], LABEL, patterns) : message);
      setText(next.filter((pattern) => !saved.includes(pattern)).join(', '));
    }
  };
  return (
    <TagsInput
      label={LABEL}
      description={help(DOMAIN_FIELDS.trackingExclude.help)}
      placeholder="example.com/reset/*"
      maxTags={DOMAIN_FIELDS.trackingExclude.maxItems}
      disabled={disabled}
      value={saved}
      onChange={(next) => void save(next)}
      searchValue={text}
      onSearchChange={setText}
      error={error}
    />
  );
}
