/** All integrations: in the order in which they are tried, the catalog, and a simulated outage. */
import { Button } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { texts, useTexts } from '../language/language.tsx'
import { words } from '../language/texts.ts'
import { Page } from '../parts/page.tsx'
import { TabBar } from '../parts/tab-bar.tsx'
import { usePermissions } from '../session/session.tsx'
import { AddIntegration } from './add-integration.tsx'
import { Catalog } from './catalog.tsx'
import { FailoverOrder } from './failover-order.tsx'
import { HoldSetting } from './hold-setting.tsx'
import { IntegrationsSentence } from './integrations-sentence.tsx'
import { Outage } from './outage.tsx'
import { useRoutedIntegrations } from './queries.ts'
import type { IntegrationsSearch } from './search.ts'

const screenTexts = texts({
  en: {
    description: 'Providers with your credentials. When one fails, a message goes to the next of its channel.',
    order: 'Order',
    catalog: 'Catalog',
    outage: 'Simulate an outage',
    add: 'Add integration',
    readOnly: 'You can look at integrations. A published key of role full changes them.',
  },
  de: {
    description: 'Anbieter mit Ihren Zugangsdaten. Fällt einer aus, geht eine Nachricht zum nächsten ihres Kanals.',
    order: 'Reihenfolge',
    catalog: 'Katalog',
    outage: 'Ausfall durchspielen',
    add: 'Integration hinzufügen',
    readOnly: 'Sie können Integrationen ansehen. Ändern kann sie ein Schlüssel mit vollem Zugriff (published).',
  },
})

export function IntegrationsScreen() {
  const t = useTexts(words)
  const labels = useTexts(screenTexts)
  const search = useSearch({ from: '/integrations' })
  const navigate = useNavigate()
  const { canConnect } = usePermissions()
  const { tab = 'order', add } = search
  const { data: integrations = [] } = useRoutedIntegrations()
  const hasSentence = tab === 'order' && integrations.length > 0
  const go = (next: IntegrationsSearch) => void navigate({ to: '/integrations', search: next })
  if (add) return <AddIntegration provider={add} leave={() => go({ tab: 'catalog' })} />
  return (
    <Page
      title={t.integrations}
      {...(hasSentence && { sentence: <IntegrationsSentence integrations={integrations} /> })}
      isTitleSmall={tab === 'order'}
      description={[hasSentence ? '' : labels.description, canConnect ? '' : labels.readOnly].filter(Boolean).join(' ')}
      actions={canConnect && tab !== 'catalog' && <Button onClick={() => go({ tab: 'catalog' })}>{labels.add}</Button>}
      bar={
        <TabBar
          label={t.integrations}
          tabs={(['order', 'catalog', 'outage'] as const).map((name) => ({ name, title: labels[name] }))}
          value={tab}
          choose={(next) => go({ tab: next })}
        />
      }
    >
      {tab === 'order' && <FailoverOrder />}
      {hasSentence && <HoldSetting />}
      {tab === 'catalog' && <Catalog />}
      {tab === 'outage' && <Outage />}
    </Page>
  )
}
