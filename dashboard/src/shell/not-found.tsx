/** An address that is no screen. */
import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { texts, useTexts } from '../language/language.tsx'
import { Page } from '../parts/page.tsx'
import { Empty } from '../parts/states.tsx'

const notFoundTexts = texts({
  en: {
    title: 'There is no such page',
    text: 'The address may be mistyped, or from another version.',
    action: 'Go to the start',
  },
  de: {
    title: 'Diese Seite gibt es nicht',
    text: 'Die Adresse ist vertippt oder aus einer anderen Version.',
    action: 'Zum Start',
  },
})

export function NotFound() {
  const t = useTexts(notFoundTexts)
  return (
    <Page title={t.title} width="column">
      <Empty
        title={t.text}
        action={
          <Button component={Link} to="/">
            {t.action}
          </Button>
        }
      />
    </Page>
  )
}
