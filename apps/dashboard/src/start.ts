/** Requests what the first rendering needs. The first import of the program, so that the libraries are evaluated meanwhile. */
import { prefetchSession } from './api/session.tsx';
import { preloadPage } from './pages/pages.ts';

prefetchSession(() => preloadPage(window.location.pathname.replace(/^\/app/, '') || '/'));
