/** A link that looks like a small button. */
import { Button } from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import type { AnchorHTMLAttributes, RefAttributes } from 'react'

type AnchorProps = Pick<AnchorHTMLAttributes<HTMLAnchorElement>, 'href' | 'target' | 'onClick' | 'children'> &
  RefAttributes<HTMLAnchorElement>

const ButtonAnchor = (props: AnchorProps) => <Button component="a" variant="default" size="compact-sm" {...props} />

export const LinkButton = createLink(ButtonAnchor)
