import { GraphiQL } from 'graphiql';
import { useMemo, useState } from 'react';
import { CredentialsBar } from './credentials-bar.tsx';
import { useLogin, type Credentials } from './credentials.ts';
import { createFetcher } from './fetcher.ts';

const QUERY = `# Run the operation with Ctrl-Enter. The book icon opens the documentation of the schema.
query Overview {
  account {
    name
  }
  domains {
    id
    name
    status
  }
  emails(first: 5) {
    nodes {
      id
      subject
      status
    }
  }
}
`;
const SUBSCRIPTION = `# Counts of the last 24 hours, sent on every change.
subscription Live {
  accountStats {
    accepted
    delivered
    deferred
    bounced
  }
}
`;

/** GraphiQL with the API key that the user enters, or with the session of an owner. */
export function GraphiqlPage() {
  const login = useLogin();
  const [key, setKey] = useState<string | null>(null);
  const accountId = login.kind === 'owner' ? login.accountId : null;
  const credentials = useMemo((): Credentials | null => {
    if (key !== null) return { kind: 'key', key };
    return accountId === null ? null : { kind: 'session', accountId };
  }, [key, accountId]);
  const fetcher = useMemo(() => (credentials ? createFetcher(credentials) : refuse), [credentials]);
  return (
    <div className="page">
      <CredentialsBar login={login} active={credentials?.kind ?? null} onKey={setKey} />
      {login.kind !== 'loading' && (
        <main className="editor">
          {/* A new key: the schema is loaded again, and responses of the former one are not shown. */}
          <GraphiQL
            key={key ?? accountId}
            fetcher={fetcher}
            // Null: no requests until there are credentials.
            schema={credentials ? undefined : null}
            defaultTabs={[{ query: QUERY }, { query: SUBSCRIPTION }]}
            defaultEditorToolsVisibility="variables"
          >
            <GraphiQL.Logo>Postloft</GraphiQL.Logo>
          </GraphiQL>
        </main>
      )}
    </div>
  );
}

const refuse = () => Promise.reject(new Error('Enter an API key first.'));
