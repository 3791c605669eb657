/** One user: profile, messages, preferences, devices, lists, tenants, digests and suppressions. */
import { Button, Modal } from '@mantine/core'
import { isPostriderError, type Profile } from '@postrider/client'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { texts, useTexts } from '../../language/language.tsx'
import { words } from '../../language/texts.ts'
import { useAction } from '../../parts/confirm.tsx'
import { CopyableId, useCopy } from '../../parts/copyable.tsx'
import { DangerItem, MoreMenu } from '../../parts/more-menu.tsx'
import { Page } from '../../parts/page.tsx'
import { useShortcuts } from '../../parts/shortcuts.tsx'
import { Failed, Loading } from '../../parts/states.tsx'
import { TabBar } from '../../parts/tab-bar.tsx'
import { api } from '../../session/api.ts'
import { usePermissions } from '../../session/session.tsx'
import { peopleTexts } from '../people-texts.ts'
import { type UserTab, userTabs } from '../search.ts'
import { ErasureState } from './erasure-state.tsx'
import { TestSend } from './test-send.tsx'
import { UserDevices } from './user-devices.tsx'
import { UserDigests } from './user-digests.tsx'
import { UserLists } from './user-lists.tsx'
import { UserMessages } from './user-messages.tsx'
import { UserPreferences } from './user-preferences.tsx'
import { UserProfile } from './user-profile.tsx'
import { UserSuppressions } from './user-suppressions.tsx'
import { UserTenants } from './user-tenants.tsx'

const userTexts = texts({
  en: {
    tabs: 'About the user',
    profile: 'Profile',
    messages: 'Messages',
    preferences: 'Preferences',
    devices: 'Devices',
    lists: 'Lists',
    tenants: 'Tenants',
    digests: 'Digests',
    suppressions: 'Suppressions',
    copyId: 'Copy the user id',
    testSend: 'Send test',
    erase: 'Erase user',
    eraseTitle: 'Erase this user everywhere',
    eraseText:
      'The profile, preferences, devices, lists and tenants of the user are deleted, messages that wait are canceled, and what was sent stays without any personal data, under a pseudonym. This cannot be undone.',
    erased: 'The erasure has started',
    unsaved: 'No profile is stored for this id. Messages can still have been sent to it.',
  },
  de: {
    tabs: 'Über den Nutzer',
    profile: 'Profil',
    messages: 'Nachrichten',
    preferences: 'Einstellungen',
    devices: 'Geräte',
    lists: 'Listen',
    tenants: 'Mandanten',
    digests: 'Sammelnachrichten',
    suppressions: 'Sperren',
    copyId: 'Nutzer-Id kopieren',
    testSend: 'Test senden',
    erase: 'Nutzer löschen',
    eraseTitle: 'Diesen Nutzer überall löschen',
    eraseText:
      'Profil, Einstellungen, Geräte, Listen und Mandanten des Nutzers werden gelöscht, wartende Nachrichten abgebrochen; was schon gesendet ist, bleibt ohne persönliche Daten unter einem Pseudonym. Das lässt sich nicht rückgängig machen.',
    erased: 'Die Löschung hat begonnen',
    unsaved: 'Für diese Id ist kein Profil gespeichert. Nachrichten kann es trotzdem geben.',
  },
})

/** Null for a user without a profile, who can have messages all the same. */
export const profileQuery = (userId: string) =>
  queryOptions({
    queryKey: ['profiles', 'one', userId],
    queryFn: async ({ signal }): Promise<Profile | null> => {
      try {
        return await api.profiles.get(userId, { signal })
      } catch (error) {
        if (isPostriderError(error) && error.status === 404) return null
        throw error
      }
    },
  })

const nameOf = ({ name, given_name, family_name, nickname }: Record<string, unknown>): string | undefined => {
  const whole = [given_name, family_name].filter((part) => typeof part === 'string' && part !== '').join(' ')
  return [name, whole, nickname].find((text): text is string => typeof text === 'string' && text !== '')
}

export function UserScreen() {
  const t = useTexts(words)
  const labels = useTexts(userTexts)
  const people = useTexts(peopleTexts)
  const { userId } = useParams({ from: '/users/$userId' })
  const { tab = 'profile', panel, erasure } = useSearch({ from: '/users/$userId' })
  const navigate = useNavigate({ from: '/users/$userId' })
  const { canOperate } = usePermissions()
  const query = useQuery(profileQuery(userId))
  const { copy } = useCopy()
  const erase = useAction({
    act: () => api.profiles.delete(userId, { erase: true }),
    done: labels.erased,
    changes: [['profiles']],
    after: (record) =>
      void navigate({ search: 'erasureId' in record ? { erasure: record.erasureId } : {}, replace: true }),
  })
  const open = (next: 'send' | undefined) =>
    void navigate({ search: ({ panel: _, ...rest }) => (next ? { ...rest, panel: next } : rest) })
  useShortcuts([
    { keys: 'c', label: labels.copyId, act: () => void copy(userId) },
    ...(canOperate ? [{ keys: 's', label: labels.testSend, act: () => open('send') }] : []),
  ])
  const title = (query.data && nameOf(query.data.profile)) ?? userId
  const props = { userId, profile: query.data?.profile }
  const bodies: Record<UserTab, () => React.ReactNode> = {
    profile: () => <UserProfile {...props} />,
    messages: () => <UserMessages {...props} />,
    preferences: () => <UserPreferences {...props} />,
    devices: () => <UserDevices {...props} />,
    lists: () => <UserLists {...props} />,
    tenants: () => <UserTenants {...props} />,
    digests: () => <UserDigests {...props} />,
    suppressions: () => <UserSuppressions {...props} />,
  }
  return (
    <Page
      title={title}
      badge={<CopyableId id={userId} />}
      {...(query.data === null && !erasure && { description: labels.unsaved })}
      actions={
        <>
          <Button onClick={() => open('send')} disabled={!canOperate} title={canOperate ? undefined : people.noRole}>
            {labels.testSend}
          </Button>
          {canOperate && (
            <MoreMenu>
              <DangerItem
                danger={{ title: labels.eraseTitle, text: labels.eraseText, action: labels.erase, typed: userId }}
                act={erase.mutate}
              />
            </MoreMenu>
          )}
        </>
      }
      bar={
        <TabBar
          label={labels.tabs}
          value={tab}
          tabs={userTabs.map((name) => ({ name, title: labels[name] }))}
          choose={(next) =>
            void navigate({ search: ({ erasure: kept }) => ({ ...(kept && { erasure: kept }), tab: next }) })
          }
        />
      }
    >
      {erasure && <ErasureState erasureId={erasure} />}
      {query.isPending ? (
        <Loading />
      ) : query.isError && query.data === undefined ? (
        <Failed error={query.error} retry={query.refetch} />
      ) : (
        bodies[tab]()
      )}
      <Modal
        opened={panel === 'send' && canOperate}
        onClose={() => open(undefined)}
        title={labels.testSend}
        closeButtonProps={{ 'aria-label': t.close }}
      >
        <TestSend userId={userId} close={() => open(undefined)} />
      </Modal>
    </Page>
  )
}
