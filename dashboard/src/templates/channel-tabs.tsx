/** Contents by channel: which is edited, and one more for a channel that has none of its own. */
import { PlusIcon } from '@heroicons/react/20/solid'
import { Button, Menu } from '@mantine/core'
import { texts, useTexts } from '../language/language.tsx'
import { Choice } from './blocks/block-form.tsx'
import { type Block, hasChannels } from './blocks/blocks.ts'
import styles from './editor.module.css'

const channelTexts = texts({
  en: {
    channel: 'Content of the channel',
    addChannel: 'Add content for one channel',
    all: 'All others',
  },
  de: {
    channel: 'Inhalt des Kanals',
    addChannel: 'Inhalt für einen Kanal hinzufügen',
    all: 'Alle anderen',
  },
})

export interface ChannelPart {
  name: string
  block: Block
}

/** The contents by channel, where each has its own. */
export const channelsOf = (blocks: readonly Block[]): ChannelPart[] =>
  hasChannels(blocks)
    ? blocks
        .filter(({ fields }) => fields.type === 'channel')
        .map((block) => ({ name: String(block.fields.channel ?? ''), block }))
    : []

export interface ChannelTabsProps {
  channels: readonly ChannelPart[]
  chosen: string | undefined
  choose(name: string): void
  add(name: string): void
  isReadOnly: boolean
}

export function ChannelTabs({ channels, chosen, choose, add, isReadOnly }: ChannelTabsProps) {
  const t = useTexts(channelTexts)
  const missing = ['email', 'sms', 'push', 'inbox', 'direct_message'].filter(
    (name) => !channels.some((part) => part.name === name),
  )
  return (
    <div className={styles.channels}>
      {channels.length > 0 && (
        <Choice
          label={t.channel}
          value={chosen ?? ''}
          options={channels.map(({ name }) => [name, name === 'default' ? t.all : name] as const)}
          choose={choose}
        />
      )}
      {!isReadOnly && missing.length > 0 && (
        <Menu position="bottom-start">
          <Menu.Target>
            <Button size="compact-xs" variant="subtle" leftSection={<PlusIcon className={styles.icon} aria-hidden />}>
              {t.addChannel}
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {missing.map((name) => (
              <Menu.Item key={name} onClick={() => add(name)}>
                {name}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
    </div>
  )
}
