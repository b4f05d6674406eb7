import { MantineProvider, Stack } from '@mantine/core';
import { ModalsProvider } from '@mantine/modals';
import { Notifications } from '@mantine/notifications';
import { Suspense, use, useCallback, useMemo } from 'react';
import { BrowserRouter, Navigate, Route, Routes, useLocation, useParams } from 'react-router';
import { Provider } from 'urql';
import { createGraphqlClient } from './api/graphql.ts';
import { SessionGate, useSession } from './api/session.tsx';
import { Failure, Loading } from './components/feedback.tsx';
import { OutageNotice } from './components/outage.tsx';
import { PageBoundary } from './components/page-boundary.tsx';
import { UpgradeNotice } from './components/upgrade-notice.tsx';
import { LoginPage } from './pages/login/login-page.tsx';
import { ConfirmEmailPage, InvitationPage, ResetPage, SignUpPage } from './pages/login/token-pages.tsx';
import { WithoutAccountPage } from './pages/login/without-account-page.tsx';
import { OverviewPage, prefetchOverview } from './pages/overview/overview-page.tsx';
import { PAGES, type PageRoute } from './pages/pages.ts';
import { NotFoundPage, NotPermittedPage } from './pages/not-found-page.tsx';
import { neededAt } from './shell/navigation.ts';
import { Shell } from './shell/shell.tsx';
import { cssVariablesResolver, theme } from './theme.ts';

export function App() {
  return (
    <MantineProvider theme={theme} cssVariablesResolver={cssVariablesResolver} defaultColorScheme="auto">
      <Notifications position="top-right" />
      <UpgradeNotice />
      <BrowserRouter basename="/app">
        <Routes>
          <Route path="/login" element={<LoginPage />} />
          <Route path="/reset" element={<ResetPage />} />
          <Route path="/sign-up" element={<SignUpPage />} />
          <Route path="/invitation" element={<InvitationPage />} />
          <Route path="/email" element={<ConfirmEmailPage />} />
          <Route path="*" element={<SignedIn />} />
        </Routes>
      </BrowserRouter>
    </MantineProvider>
  );
}

/** Everything that needs a session. */
function SignedIn() {
  const client = useMemo(createGraphqlClient, []);
  const { pathname, search } = useLocation();
  // The session is loaded again after changes on other pages, which do not show the overview.
  const prepare = useCallback(() => {
    if (/^\/app\/?$/.test(window.location.pathname)) prefetchOverview(client);
  }, [client]);
  return (
    <SessionGate
      prepare={prepare}
      waiting={<Loading />}
      anonymous={<Navigate to="/login" replace state={{ from: pathname + search }} />}
      withoutAccount={(viewer) => <WithoutAccountPage viewer={viewer} />}
      failed={(error, retry) => (
        <Stack p="md">
          <OutageNotice />
          <Failure error={error} retry={retry} />
        </Stack>
      )}
    >
      <Provider value={client}>
        {/* Dialogs use the session, the client and the router. */}
        <ModalsProvider>
          <Routes>
            <Route element={<Shell />}>
              <Route
                path="/"
                element={
                  <PageBoundary path={pathname}>
                    <OverviewPage />
                  </PageBoundary>
                }
              />
              {PAGES.map((page) => (
                <Route
                  key={page.path}
                  path={page.path}
                  element={
                    <PageBoundary path={pathname}>
                      <Suspense fallback={<Loading />}>
                        <LazyPage page={page} />
                      </Suspense>
                    </PageBoundary>
                  }
                />
              ))}
              <Route path="/inbox/:id?" element={<Moved />} />
              <Route path="*" element={<NotFoundPage />} />
            </Route>
          </Routes>
        </ModalsProvider>
      </Provider>
    </SessionGate>
  );
}

/** Captured emails had this address, which belongs to received ones. */
function Moved() {
  const { id = '' } = useParams();
  return <Navigate to={`/captured/${id}`} replace />;
}

/** The page, if the role permits it. */
function LazyPage({ page }: { page: PageRoute }) {
  const { may } = useSession();
  const needs = neededAt(useLocation().pathname);
  if (needs !== undefined && !may(needs)) return <NotPermittedPage />;
  return <LoadedPage page={page} />;
}

/** Suspends only while the code is loading: React shows each fallback for 300 ms at least. */
function LoadedPage({ page }: { page: PageRoute }) {
  const { id = '' } = useParams();
  const PageComponent = page.loaded() ?? use(page.load());
  return page.ids && !page.ids.test(id) ? <NotFoundPage /> : <PageComponent />;
}
