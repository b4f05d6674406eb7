import { useSubscription } from 'urql';
import {
  AccountLiveDocument,
  DomainOverviewLiveDocument,
  type AccountLiveSubscription,
} from '../../graphql/generated.ts';

type Counts = Omit<AccountLiveSubscription['accountStats'], '__typename'>;

/** The counts of the last 24 hours as they change: of the account, or of one domain. Null until the first arrive. */
export function useLiveCounts(domainId: string | null): Counts | null {
  const [account] = useSubscription({ query: AccountLiveDocument, pause: domainId !== null });
  const [domain] = useSubscription({
    query: DomainOverviewLiveDocument,
    variables: { domainId: domainId ?? '' },
    pause: domainId === null,
  });
  return domainId === null ? (account.data?.accountStats ?? null) : (domain.data?.domainStats ?? null);
}
