/** The secret that signs the calls of a webhook, shown once. */
import { Button, Modal } from '@mantine/core'
import { texts, useTexts } from '../language/language.tsx'
import { SampleCode } from '../parts/code/code.tsx'

const secretTexts = texts({
  en: {
    title: 'The signing secret',
    once: 'This is the only time that it is shown. The receiver checks the header webhook-signature with it.',
    stored: 'I have stored it',
  },
  de: {
    title: 'Das Geheimnis der Signatur',
    once: 'Es wird nur dieses eine Mal gezeigt. Der Empfänger prüft damit den Header webhook-signature.',
    stored: 'Ich habe es abgelegt',
  },
})

export function SigningSecret({ secret, close }: { secret: string | undefined; close(): void }) {
  const t = useTexts(secretTexts)
  return (
    <Modal
      opened={secret !== undefined}
      onClose={close}
      title={t.title}
      closeOnClickOutside={false}
      withCloseButton={false}
    >
      <p>{t.once}</p>
      <SampleCode label={t.title} code={secret ?? ''} />
      <Button mt="xl" fullWidth onClick={close}>
        {t.stored}
      </Button>
    </Modal>
  )
}

/** As the server makes them: 32 random bytes. */
export function newSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32))
  return `whsec_${btoa(String.fromCharCode(...bytes))}`
}
