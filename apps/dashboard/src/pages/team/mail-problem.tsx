import { Button, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { problemOf } from '../../api/problem.ts';
import { Time } from '../../components/format.tsx';

/** A person whom the service writes to. */
export interface Reached {
  /** Null unless the last message failed for good. */
  mail_problem: { reason: string | null; since: string; stopped: boolean } | null;
}

interface MailProblemProps {
  problem: Reached['mail_problem'];
  /** The button that helps. */
  children?: ReactNode;
}

/** A link to set a password, for example, would not reach this person. */
export function MailProblem({ problem, children }: MailProblemProps) {
  if (problem === null) return null;
  const { reason, since, stopped } = problem;
  return (
    <div data-mail-problem>
      <Text size="xs" c="red" className="break" component="div">
        Mail to this person fails, since <Time at={since} />
        {reason !== null && `: ${reason}`}
      </Text>
      <Text size="xs" c="dimmed">
        {stopped
          ? 'There is no such mailbox, so no invitations, links or notices are sent to it.'
          : 'The next email is tried all the same.'}
      </Text>
      {children}
    </div>
  );
}

/** Reports a refusal below the button. */
export function ProblemButton({ label, run }: { label: string; run: () => Promise<unknown> }) {
  const [busy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<string | null>(null);
  const start = async () => {
    setBusy(true);
    setRefusal(null);
    try {
      await run();
    } catch (error) {
      setRefusal(problemOf(error).message);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <Button size="compact-xs" variant="default" mt={4} loading={busy} onClick={() => void start()}>
        {label}
      </Button>
      {refusal !== null && (
        <Text size="xs" c="red" role="alert">
          {refusal}
        </Text>
      )}
    </>
  );
}
