import 'graphiql/setup-workers/vite';
import 'graphiql/style.css';
import './graphiql.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { GraphiqlPage } from './graphiql-page.tsx';

const root = document.getElementById('root');
if (root)
  createRoot(root).render(
    <StrictMode>
      <GraphiqlPage />
    </StrictMode>,
  );
