import '@mantine/core/styles.css'
import './ui/style.css'
import { setNonce } from 'get-nonce'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { nonce } from '#api/addresses.ts'
import { followOtherTabs } from '#api/session.ts'
import { App, createConsole } from './app.tsx'
import { explainFailedImports } from './ui/failed-import.ts'

const { cache, router } = createConsole()
// For the style elements of components below Mantine.
setNonce(nonce)

followOtherTabs()
explainFailedImports()

const root = document.getElementById('root')
if (!root) throw new Error('index.html has an element with the id root')

// Until the first page can be shown, the frame of index.html stays.
void router.load().finally(() =>
  createRoot(root).render(
    <StrictMode>
      <App cache={cache} router={router} />
    </StrictMode>,
  ),
)
