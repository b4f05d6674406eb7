import { Status, Time } from './format.tsx';
import { Note } from './list.tsx';

interface DomainStatusProps {
  domain: { status: string; warningSince: string | null };
}

/** The status of a domain. One that still sends although required records are missing is not plainly active. */
export function DomainStatus({ domain: { status, warningSince } }: DomainStatusProps) {
  if (warningSince === null) return <Status value={status} />;
  return (
    <>
      <Status value="failing" label="records missing" />
      <Note>
        since <Time at={warningSince} />
      </Note>
    </>
  );
}
