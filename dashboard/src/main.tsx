/** Starts the dashboard. */
import './theme/tokens.css'
import './theme/mantine.css'
import 'virtual:theme-variables.css'
import './theme/page.css'
import { MantineProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { home } from './address.ts'
import { LanguageProvider } from './language/language.tsx'
import { useColorScheme } from './parts/color-scheme.ts'
import { ConfirmProvider } from './parts/confirm.tsx'
import { ShortcutsProvider } from './parts/shortcuts.tsx'
import { router } from './routes.tsx'
import { queries } from './session/api.ts'
import { sessionQuery } from './session/session.tsx'
import { theme } from './theme/theme.ts'

function Dashboard() {
  const { isDark } = useColorScheme()
  return (
    <MantineProvider
      theme={theme}
      forceColorScheme={isDark ? 'dark' : 'light'}
      // Both would be style elements, which the policy of the page refuses: vite.config.ts makes a stylesheet instead.
      withCssVariables={false}
      withGlobalClasses={false}
    >
      <LanguageProvider>
        <QueryClientProvider client={queries}>
          <ShortcutsProvider>
            <ConfirmProvider>
              <Notifications position="bottom-right" limit={4} />
              <RouterProvider router={router} />
            </ConfirmProvider>
          </ShortcutsProvider>
        </QueryClientProvider>
      </LanguageProvider>
    </MantineProvider>
  )
}

// The address in the page is relative to where it was read, and no longer holds once another screen is open.
document.querySelector('link[rel="icon"]')?.setAttribute('href', `${home}icon.svg`)
const place = document.getElementById('root')
if (!place) throw new Error('index.html has no element with the id root')
// Beside the files of the first screen: with the session here, that screen is what is rendered first.
void queries.prefetchQuery(sessionQuery)
// Until the first screen is there, index.html shows the name; the router would show nothing.
await router.load().catch(() => {})
createRoot(place).render(
  <StrictMode>
    <Dashboard />
  </StrictMode>,
)
