/** One template: its draft is edited and saved by itself, beside a live preview; then published. */
import { Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import type { Notification } from '@postrider/client'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { type ReactNode, useState, useSyncExternalStore } from 'react'
import { texts, useTexts } from '../language/language.tsx'
import { words } from '../language/texts.ts'
import { useAction } from '../parts/confirm.tsx'
import { Page } from '../parts/page.tsx'
import { type Changes, merged } from '../parts/search-params.ts'
import { useShortcuts } from '../parts/shortcuts.tsx'
import { Failed, Loading } from '../parts/states.tsx'
import { Tag } from '../parts/status.tsx'
import { TabBar } from '../parts/tab-bar.tsx'
import { api } from '../session/api.ts'
import { usePermissions } from '../session/session.tsx'
import { BlockList } from './blocks/block-list.tsx'
import { addChannel, type Block, blockAt, findBlock, pathText } from './blocks/blocks.ts'
import { ChannelTabs, channelsOf } from './channel-tabs.tsx'
import { DetailsTab } from './details-tab.tsx'
import { type DraftStore, draftOf } from './draft/draft-store.ts'
import { Conflict, EditorActions } from './draft/editor-actions.tsx'
import { PublishDialog } from './draft/publish-dialog.tsx'
import { TestSend } from './draft/test-send.tsx'
import { useDraftStore } from './draft/use-draft-store.ts'
import styles from './editor.module.css'
import { JsonTab } from './json-tab.tsx'
import { Preview, usePreviewData } from './preview.tsx'
import { type EditorSearch, editorTabs, type PreviewChannel, previewChannels } from './search.ts'
import { TranslationsTab } from './translations-tab.tsx'
import { UsesTab } from './uses-tab.tsx'
import { VariablesTab } from './variables-tab.tsx'
import { ChangesTab } from './versions/changes-tab.tsx'
import { VersionsTab } from './versions/versions-tab.tsx'

const READ_AGAIN_MS = 15_000

const editorTexts = texts({
  en: {
    blocks: 'Blocks',
    json: 'JSON',
    variables: 'Variables',
    translations: 'Translations',
    details: 'Details',
    versions: 'Versions',
    changes: 'Changes',
    uses: 'Used by',
    tabs: 'Parts of the template',
    undo: 'Undo',
    redo: 'Redo',
    save: 'Save now',
    notSaved: 'The draft could not be saved, so that it is not published',
    needsEditor: 'This renders the template, which needs a key of the role editor.',
    published: (version: string) => `${version} published`,
    draftAhead: 'draft differs',
    never: 'never published',
    publishDone: 'The draft is published',
    removed: (name: string) => `${name} is deleted`,
    restored: (version: string) => `${version} is the draft now`,
  },
  de: {
    blocks: 'Bausteine',
    json: 'JSON',
    variables: 'Variablen',
    translations: 'Übersetzungen',
    details: 'Angaben',
    versions: 'Versionen',
    changes: 'Was sich ändern würde',
    uses: 'Verwendet von',
    tabs: 'Teile der Vorlage',
    undo: 'Rückgängig',
    redo: 'Wiederholen',
    save: 'Jetzt speichern',
    notSaved: 'Der Entwurf ließ sich nicht speichern und ist deshalb nicht veröffentlicht',
    needsEditor: 'Dies stellt die Vorlage dar; dazu braucht es einen Schlüssel der Rolle Editor.',
    published: (version: string) => `${version} veröffentlicht`,
    draftAhead: 'Entwurf weicht ab',
    never: 'nie veröffentlicht',
    publishDone: 'Der Entwurf ist veröffentlicht',
    removed: (name: string) => `${name} ist gelöscht`,
    restored: (version: string) => `${version} ist jetzt der Entwurf`,
  },
})

export function TemplateScreen() {
  const { id } = useParams({ from: '/templates/$id' })
  const t = useTexts(words)
  const query = useQuery({
    queryKey: ['notification', id, 'draft'],
    queryFn: ({ signal }) => api.notifications.get(id, { version: 'draft' }, { signal }),
    refetchOnWindowFocus: 'always',
    refetchInterval: READ_AGAIN_MS,
    staleTime: 0,
  })
  if (query.data) return <Editor key={query.data.id} loaded={query.data} />
  return (
    <Page title={t.template}>
      {query.isPending ? <Loading rows={12} /> : <Failed error={query.error} retry={query.refetch} />}
    </Page>
  )
}

function Editor({ loaded }: { loaded: Notification }) {
  const { id } = loaded
  const t = useTexts(editorTexts)
  const shared = useTexts(words)
  const search = useSearch({ from: '/templates/$id' })
  const navigate = useNavigate({ from: '/templates/$id' })
  const { canEditContent } = usePermissions()
  const isReadOnly = !canEditContent
  const store = useDraftStore(loaded)
  const snapshot = useSyncExternalStore(store.subscribe, store.snapshot)
  const [data, setData] = useState<Record<string, unknown>>()
  const [dialog, setDialog] = useState<'publish' | 'test'>()
  const draft = snapshot.history.present
  const { blocks } = draft
  const setSearch = (changes: Changes<EditorSearch>) =>
    void navigate({ search: (before: EditorSearch) => merged(before, changes), replace: true })
  const edit: DraftStore['edit'] = (change, name) => {
    if (!isReadOnly) store.edit(change, name)
  }
  const setBlocks = (next: readonly Block[], name?: string) => edit((before) => ({ ...before, blocks: next }), name)

  const versions = useQuery({
    queryKey: ['notification', id, 'versions', 'first'],
    queryFn: ({ signal }) => api.notifications.versions(id, { limit: 2 }, { signal }),
  })
  const published = useQuery({
    queryKey: ['notification', id, 'current'],
    queryFn: async ({ signal }) => (await api.notifications.get(id, {}, { signal })).version,
  })
  const current = published.data === 'draft' ? undefined : published.data
  const isAhead = versions.data?.versions.find(({ version }) => version === 'draft')?.has_changes ?? false

  const publish = useAction({
    async act() {
      const isSaved = await store.flush()
      if (!isSaved) throw new Error(t.notSaved)
      await api.notifications.publish(id)
    },
    done: t.publishDone,
    ...(current !== undefined && { undo: () => api.notifications.publish(id, { version: current }) }),
    changes: [['notification', id], ['notifications']],
    after: () => setDialog(undefined),
  })
  const removed = (name: string) => showRemoved(t.removed(name), shared.undo, store.undo)

  const channels = channelsOf(blocks)
  const part = channels.find(({ name }) => name === search.content) ?? channels[0]
  const channel = previewChannel(search.channel, part?.name)
  const open = search.block === undefined ? undefined : blockAt(blocks, search.block.split('.').map(Number))?.key
  const setOpen = (key: string | undefined) => {
    const target = key === undefined ? undefined : findBlock(store.snapshot().history.present.blocks, key)
    setSearch({ block: target && pathText(target.path) })
  }
  const tab = search.tab ?? 'blocks'
  const { data: filled } = usePreviewData({ id, draft, search, data })
  const options = { channel, data: filled, ...chosenOf(search) }

  useShortcuts([
    { keys: 'mod+z', label: t.undo, act: store.undo },
    { keys: 'mod+shift+z', label: t.redo, act: store.redo },
    { keys: 'mod+y', label: t.redo, act: store.redo },
    { keys: 'mod+s', label: t.save, act: () => void store.flush() },
    ...editorTabs.map((name, index) => ({
      keys: String(index + 1),
      label: t[name],
      act: () => setSearch({ tab: name }),
    })),
  ])
  const isSplit = tab !== 'versions' && tab !== 'changes' && tab !== 'uses' && tab !== 'details'
  return (
    <Page
      title={draft.name}
      badge={
        <>
          {current ? <Tag tone="good">{t.published(current)}</Tag> : <Tag tone="warn">{t.never}</Tag>}
          {current && isAhead && <Tag tone="warn">{t.draftAhead}</Tag>}
        </>
      }
      actions={
        <EditorActions
          save={snapshot.save}
          isReadOnly={isReadOnly}
          isAhead={isAhead || current === undefined || snapshot.save.kind !== 'saved'}
          test={() => setDialog('test')}
          publish={() => {
            void store.flush()
            setDialog('publish')
          }}
        />
      }
      bar={
        <TabBar
          label={t.tabs}
          tabs={editorTabs.map((name) => ({ name, title: t[name] }))}
          value={tab}
          choose={(next) => setSearch({ tab: next })}
        />
      }
    >
      <Conflict store={store} save={snapshot.save} />
      <div className={isSplit ? styles.editor : undefined}>
        <div className={styles.work} role="tabpanel" aria-label={t[tab]}>
          {tab === 'blocks' && (
            <>
              <ChannelTabs
                channels={channels}
                chosen={part?.name}
                choose={(content) => setSearch({ content, block: undefined, channel: undefined })}
                add={(name) => {
                  setBlocks(addChannel(blocks, name))
                  setSearch({ content: name, block: undefined, channel: undefined })
                }}
                isReadOnly={isReadOnly}
              />
              <BlockList
                blocks={part ? (part.block.children ?? []) : blocks}
                all={blocks}
                parent={part?.block.key}
                {...{ open, setOpen, removed, isReadOnly }}
                change={setBlocks}
              />
            </>
          )}
          {tab === 'json' && <JsonTab draft={draft} change={setBlocks} isReadOnly={isReadOnly} />}
          {tab === 'variables' && (
            <EditorOnly>
              <VariablesTab {...{ id, draft, search, setSearch }} />
            </EditorOnly>
          )}
          {tab === 'translations' && (
            <TranslationsTab {...{ draft, search, setSearch, isReadOnly }} change={setBlocks} />
          )}
          {tab === 'details' && <DetailsTab {...{ snapshot, edit, isReadOnly }} />}
          {tab === 'changes' && (
            <EditorOnly>
              <ChangesTab {...{ id, draft, current }} />
            </EditorOnly>
          )}
          {tab === 'uses' && <UsesTab id={id} />}
          {tab === 'versions' && (
            <VersionsTab
              {...{ id, draft, current, search, setSearch, isReadOnly }}
              restore={(version) => {
                edit((before) => ({ ...draftOf(version, before), alias: before.alias }))
                notifications.show({ message: t.restored(version.version) })
              }}
            />
          )}
        </div>
        {isSplit && (
          <aside className={styles.preview}>
            <EditorOnly>
              <Preview {...{ id, draft, search, setSearch, channel, data, setData }} />
            </EditorOnly>
          </aside>
        )}
      </div>
      <PublishDialog
        {...{ id, draft }}
        isOpen={dialog === 'publish'}
        close={() => setDialog(undefined)}
        publish={() => publish.mutate()}
        isPublishing={publish.isPending}
        showChanges={() => {
          setDialog(undefined)
          setSearch({ tab: 'changes' })
        }}
      />
      <TestSend {...{ draft, options }} isOpen={dialog === 'test'} close={() => setDialog(undefined)} />
    </Page>
  )
}

const chosenOf = ({ user, locale, brand, tenant }: EditorSearch) => ({ user, locale, brand, tenant })

function previewChannel(chosen: PreviewChannel | undefined, part: string | undefined): PreviewChannel {
  return chosen ?? previewChannels.find((each) => each === part) ?? 'email'
}

function showRemoved(text: string, undoText: string, undo: () => void): void {
  const toast = notifications.show({
    message: (
      <span className={styles.toast}>
        {text}
        <Button
          size="compact-sm"
          variant="subtle"
          onClick={() => {
            undo()
            notifications.hide(toast)
          }}
        >
          {undoText}
        </Button>
      </span>
    ),
  })
}

/** For roles that may render: the API refuses it to viewers. */
function EditorOnly({ children }: { children: ReactNode }) {
  const t = useTexts(editorTexts)
  const { canEditContent } = usePermissions()
  return canEditContent ? children : <p className={styles.empty}>{t.needsEditor}</p>
}
