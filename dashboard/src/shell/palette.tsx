/** ⌘K: every screen, what has a name, people, and whatever a pasted id belongs to. */
import { Combobox, Modal, TextInput, useCombobox } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import type { ProfileSummary } from '@postrider/client'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { texts, useTexts } from '../language/language.tsx'
import { words } from '../language/texts.ts'
import { useUsers } from '../names/users.ts'
import { api } from '../session/api.ts'
import { usePermissions } from '../session/session.tsx'
import { areas, navigationTexts } from './navigation.ts'
import { inOrder, type NamedTarget, type Target } from './palette-order.ts'

const paletteTexts = texts({
  en: {
    title: 'Search or jump',
    hint: 'A screen, a template, an automation, a list, a person, or any id',
    none: 'Nothing has this name',
    screens: 'Screens',
    names: 'Templates, automations and lists',
    inside: 'Within a name',
    ids: 'With this id',
    people: 'People',
    message: (id: string) => `Message ${id}`,
    job: (id: string) => `Bulk job ${id}`,
    user: (id: string) => `User ${id}`,
    template: (id: string) => `Template ${id}`,
    automation: (id: string) => `Automation ${id}`,
    list: (name: string) => `List ${name}`,
    run: (id: string) => `Run ${id}`,
    find: (text: string) => `Messages to ${text}`,
  },
  de: {
    title: 'Suchen oder springen',
    hint: 'Eine Seite, Vorlage, Automation oder Liste, eine Person, oder eine Id',
    none: 'Nichts heißt so',
    screens: 'Seiten',
    names: 'Vorlagen, Automationen und Listen',
    inside: 'Im Namen',
    ids: 'Mit dieser Id',
    people: 'Personen',
    message: (id: string) => `Nachricht ${id}`,
    job: (id: string) => `Massenversand ${id}`,
    user: (id: string) => `Nutzer ${id}`,
    template: (id: string) => `Vorlage ${id}`,
    automation: (id: string) => `Automation ${id}`,
    list: (name: string) => `Liste ${name}`,
    run: (id: string) => `Lauf ${id}`,
    find: (text: string) => `Nachrichten an ${text}`,
  },
})

/** `1-65f1a2b3-0a1b2c3d4e5f60718293a4b5` */
const TIMED_ID = /^1-[0-9a-f]{8}-[0-9a-f]{24}$/

interface Named {
  kind: 'template' | 'automation' | 'list'
  id: string
  name: string
  to: string
}

const NAMED_MAX = 100

/** The newest of each kind: what a person knows by its name. */
const namedQuery = queryOptions({
  queryKey: ['names', 'palette'],
  staleTime: 30_000,
  async queryFn({ signal }): Promise<Named[]> {
    const [templates, automations, lists] = await Promise.all([
      api.notifications.list({ limit: NAMED_MAX }, { signal }),
      api.automations.templates({ limit: NAMED_MAX }, { signal }),
      api.lists.list({}, { signal }),
    ])
    const named = (kind: Named['kind'], folder: string) => (thing: { id: string; name?: string | undefined }) => ({
      ...{ kind, id: thing.id, name: thing.name || thing.id },
      to: `/${folder}/${encodeURIComponent(thing.id)}`,
    })
    return [
      ...templates.results.map(named('template', 'templates')),
      ...automations.templates.map(named('automation', 'automations')),
      ...lists.items.map(named('list', 'lists')),
    ]
  },
})

/** An id of a message begins so, and no search among people is for one letter. */
const PERSON = /^(?!1-[0-9a-f]{8}-)../u
/** The API takes no longer ones. */
const PERSON_CHARACTERS_MAX = 320
const TYPED_MS = 200

/** users by the beginning of an id, an address or a number, for those who may read them. */
function usePeople(search: string): ProfileSummary[] {
  const { seesPersonalData } = usePermissions()
  const [typed] = useDebouncedValue(search, TYPED_MS)
  const isSearch = seesPersonalData && PERSON.test(typed) && typed.length <= PERSON_CHARACTERS_MAX
  const users = useUsers(typed, isSearch)
  return isSearch && typed === search && !users.isPlaceholderData ? (users.data ?? []) : []
}

export function Palette({ isOpen, close }: { isOpen: boolean; close(): void }) {
  const t = useTexts(paletteTexts)
  const shared = useTexts(words)
  const names = useTexts(navigationTexts)
  const navigate = useNavigate()
  const [text, setText] = useState('')
  const leave = () => {
    setText('')
    close()
  }
  // Its list is always there, so that Enter chooses from it; Escape closes both.
  const combobox = useCombobox({ opened: true, onDropdownClose: leave })
  const search = text.trim()
  const screenTargets: NamedTarget[] = areas.flatMap((area) =>
    // By the name of their area, too, as the rail has it.
    area.screens.map(({ name, to }) => ({ label: names[name], to, names: [names[name], names[area.name]] })),
  )
  const { data: all = [] } = useQuery({ ...namedQuery, enabled: isOpen })
  const namedTargets = all.map(
    ({ kind, id, name, to }): NamedTarget => ({ label: t[kind](name), to, names: [name, id] }),
  )
  const people = usePeople(isOpen ? search : '')
  const peopleTargets = people.map(
    ({ id, name, email, phone_number: phone }): Target => ({
      label: t.user([name ?? email ?? phone, id].filter((part) => part !== undefined).join(' · ')),
      to: `/users/${encodeURIComponent(id)}`,
    }),
  )
  const groups = inOrder(search, {
    ...{ screens: screenTargets, names: namedTargets, people: peopleTargets, ids: idTargets(search, t) },
  })
  const first = groups[0]?.targets[0]?.to
  // biome-ignore lint/correctness/useExhaustiveDependencies: names are found after the text is typed
  useEffect(() => {
    if (search !== '') combobox.selectFirstOption()
  }, [first, search])
  return (
    <Modal
      opened={isOpen}
      onClose={leave}
      title={t.title}
      yOffset="12vh"
      centered={false}
      closeButtonProps={{ 'aria-label': shared.close }}
    >
      <Combobox
        store={combobox}
        onOptionSubmit={(to) => {
          leave()
          void navigate({ to })
        }}
      >
        <Combobox.EventsTarget>
          <TextInput
            data-autofocus
            aria-label={t.title}
            placeholder={t.hint}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
        </Combobox.EventsTarget>
        <Combobox.Options tabIndex={0} aria-label={t.title} mt="sm" mah="50vh" style={{ overflowY: 'auto' }}>
          {groups.map(({ name, targets }) => (
            <Combobox.Group key={name} label={t[name]}>
              {targets.map((target) => (
                <Combobox.Option key={target.to} value={target.to}>
                  {target.label}
                </Combobox.Option>
              ))}
            </Combobox.Group>
          ))}
          {groups.length === 0 && <Combobox.Empty>{t.none}</Combobox.Empty>}
        </Combobox.Options>
      </Combobox>
    </Modal>
  )
}

function idTargets(id: string, t: ReturnType<typeof useTexts<typeof paletteTexts.en>>): Target[] {
  const segment = encodeURIComponent(id)
  // Messages, runs and bulk jobs have ids of one form.
  if (TIMED_ID.test(id))
    return [
      { label: t.message(id), to: `/messages/${segment}` },
      { label: t.run(id), to: `/runs/${segment}` },
      { label: t.job(id), to: `/bulk/${segment}` },
    ]
  return [
    { label: t.user(id), to: `/users/${segment}` },
    { label: t.find(id), to: `/messages?recipient=${segment}` },
    { label: t.template(id), to: `/templates/${segment}` },
    { label: t.automation(id), to: `/automations/${segment}` },
  ]
}
