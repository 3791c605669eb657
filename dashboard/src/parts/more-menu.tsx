/** The rarer actions of a page behind one button; the last one is dangerous and is confirmed. */
import { Button, Menu } from '@mantine/core'
import type { ReactNode } from 'react'
import { texts, useTexts } from '../language/language.tsx'
import { type Confirmation, useConfirm } from './confirm.tsx'

const menuTexts = texts({ en: { actions: 'More actions' }, de: { actions: 'Weitere Aktionen' } })

export interface MoreMenuProps {
  danger: Confirmation
  /** Runs what was confirmed. */
  act(): void
  /** Items above it. */
  children?: ReactNode
}

export function MoreMenu({ danger, act, children }: MoreMenuProps) {
  const t = useTexts(menuTexts)
  const confirm = useConfirm()
  const confirmDanger = async () => {
    if (await confirm({ ...danger, isDangerous: true })) act()
  }
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" aria-label={t.actions}>
          ⋯
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {children}
        <Menu.Item color="bad" onClick={() => void confirmDanger()}>
          {danger.action}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
