/** One setting of a provider. A stored secret is only said to be set, until it is to be replaced. */
import { Button, NativeSelect, PasswordInput, Switch, Textarea, TextInput } from '@mantine/core'
import type { CatalogSetting } from '@postrider/client'
import { useEffect, useRef, useState } from 'react'
import { texts, useTexts } from '../language/language.tsx'
import { CodeText } from '../parts/code/code-text.tsx'
import { Tag } from '../parts/status.tsx'
import styles from './integrations.module.css'
import { SECRET_MASK } from './settings-input.ts'

const fieldTexts = texts({
  en: {
    set: 'Set',
    replace: 'Replace',
    keep: 'Keep the stored one',
    newSecret: 'A new value replaces the stored one, which is never shown; an empty one removes it.',
    byDefault: (value: string) => `Default: ${value}`,
    notChosen: 'Not chosen',
    again: 'Until something is entered here, the stored one stays.',
  },
  de: {
    set: 'Gesetzt',
    replace: 'Ersetzen',
    keep: 'Den gespeicherten behalten',
    newSecret: 'Ein neuer Wert ersetzt den gespeicherten, der nie gezeigt wird; ein leerer entfernt ihn.',
    byDefault: (value: string) => `Vorgabe: ${value}`,
    notChosen: 'Nicht gewählt',
    again: 'Bis hier etwas eingegeben ist, bleibt der gespeicherte Wert.',
  },
})

interface SettingFieldProps {
  name: string
  setting: CatalogSetting
  value: string | boolean
  isStored: boolean
  /** A stored secret is refused: there is a field for a new one at once. */
  isOpen: boolean
  isReadOnly: boolean
  error: string | undefined
  change(value: string | boolean): void
}

export function SettingField({ name, setting, value, isStored, isOpen, isReadOnly, error, change }: SettingFieldProps) {
  const t = useTexts(fieldTexts)
  const { type, values = [], secret, title = name, required, default: standard } = setting
  // Undefined until a person decides.
  const [isChosen, setChosen] = useState<boolean>()
  const isReplaced = isChosen ?? (!isStored || isOpen || value !== SECRET_MASK)
  const box = useRef<HTMLDivElement>(null)
  // The button that was pressed is gone; the field comes first, or the button that opens it.
  useEffect(() => {
    if (isChosen !== undefined) box.current?.querySelector<HTMLElement>('input, textarea, button')?.focus()
  }, [isChosen])
  const about = [setting.description, standard !== undefined && t.byDefault(String(standard))]
    .filter(Boolean)
    .join('. ')
  const description = about && <CodeText text={about} />
  const common = {
    ...{ label: title, description, name, disabled: isReadOnly, error },
    ...(required && { withAsterisk: true, 'aria-required': true }),
  }
  const text = String(value)
  if (typeof value === 'boolean')
    return (
      <Switch
        label={title}
        description={description}
        name={name}
        error={error}
        checked={value}
        disabled={isReadOnly}
        onChange={(event) => change(event.currentTarget.checked)}
      />
    )
  if (type === 'enum')
    return (
      <NativeSelect
        {...common}
        value={text}
        data={[{ value: '', label: t.notChosen }, ...values]}
        onChange={(event) => change(event.currentTarget.value)}
      />
    )
  if (secret && !isReplaced)
    return (
      <div ref={box}>
        <div className={styles.label}>{title}</div>
        <div className={styles.secret}>
          <Tag tone="good">{t.set}</Tag>
          {!isReadOnly && (
            <Button
              size="compact-sm"
              variant="default"
              aria-label={`${t.replace}: ${title}`}
              onClick={() => {
                setChosen(true)
                change('')
              }}
            >
              {t.replace}
            </Button>
          )}
        </div>
        {error && <p className={styles.error}>{error}</p>}
      </div>
    )
  if (secret) {
    const isLong = /PEM|private key|JSON/i.test(`${title} ${about}`)
    const isKept = isStored && value === SECRET_MASK
    const Field = isLong ? Textarea : PasswordInput
    return (
      <div ref={box}>
        <Field
          {...common}
          {...(isLong && { autosize: false, rows: 4, spellCheck: false })}
          autoComplete="new-password"
          value={isKept ? '' : text}
          onChange={(event) => change(event.currentTarget.value)}
        />
        {isStored && (
          <div className={styles.secret}>
            <span className={styles.small}>{isKept ? t.again : t.newSecret}</span>
            <Button
              size="compact-sm"
              variant="subtle"
              onClick={() => {
                setChosen(false)
                change(SECRET_MASK)
              }}
            >
              {t.keep}
            </Button>
          </div>
        )}
      </div>
    )
  }
  return (
    <TextInput
      {...common}
      value={text}
      spellCheck={false}
      inputMode={type === 'integer' || type === 'number' ? 'numeric' : 'text'}
      onChange={(event) => change(event.currentTarget.value)}
    />
  )
}
