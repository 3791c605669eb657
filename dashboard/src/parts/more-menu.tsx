/** The rarer actions of a page behind one button, the dangerous ones last. */
import { Button, Menu, type MenuProps } from '@mantine/core'
import { type ReactNode, useRef } from 'react'
import { texts, useTexts } from '../language/language.tsx'
import { type Confirmation, useConfirm } from './confirm.tsx'

const menuTexts = texts({ en: { actions: 'More actions' }, de: { actions: 'Weitere Aktionen' } })

interface MoreMenuProps extends Pick<MenuProps, 'width'> {
  /** Items of a menu. */
  children: ReactNode
}

export function MoreMenu({ width, children }: MoreMenuProps) {
  const t = useTexts(menuTexts)
  const button = useRef<HTMLButtonElement>(null)
  return (
    // A dialog that an item opens returns the focus to where it is then: the item does not exist any more.
    <Menu position="bottom-end" onClose={() => button.current?.focus()} {...(width !== undefined && { width })}>
      <Menu.Target>
        <Button ref={button} variant="default" px={0} w="var(--control)" aria-label={t.actions}>
          ⋯
        </Button>
      </Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  )
}

interface DangerItemProps {
  danger: Confirmation
  /** Runs what was confirmed. */
  act(): void
}

export function DangerItem({ danger, act }: DangerItemProps) {
  const confirm = useConfirm()
  const confirmDanger = async () => {
    if (await confirm({ ...danger, isDangerous: true })) act()
  }
  return (
    <Menu.Item color="bad" onClick={() => void confirmDanger()}>
      {danger.action}
    </Menu.Item>
  )
}
