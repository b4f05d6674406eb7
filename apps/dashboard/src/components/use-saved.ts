import { useCallback, useState } from 'react';
import { problemOf, sentenceAt } from '../api/problem.ts';
import { notifyDone } from './feedback.tsx';

/** A control whose value is saved with each change. */
interface Control {
  /** Unlike those of the other controls of the hook. */
  name: string;
  label: string;
}

interface Saved {
  save: (control: Control, run: () => Promise<unknown>, done?: string) => void;
  /** Why the last change of a control was refused; null if it was not. */
  refusalOf: (name: string) => string | null;
}

/** Saves controls at once, and reports a refusal at the control, which keeps its saved value. */
export function useSaved(): Saved {
  const [refused, setRefused] = useState<{ name: string; sentence: string } | null>(null);
  const save = useCallback(({ name, label }: Control, run: () => Promise<unknown>, done = 'Saved.') => {
    setRefused(null);
    void run().then(
      () => notifyDone(done),
      (error: unknown) => {
        const { fields, message } = problemOf(error);
        setRefused({ name, sentence: fields.length > 0 ? sentenceAt(fields[0], label) : message });
      },
    );
  }, []);
  const refusalOf = useCallback((name: string) => (refused?.name === name ? refused.sentence : null), [refused]);
  return { save, refusalOf };
}
