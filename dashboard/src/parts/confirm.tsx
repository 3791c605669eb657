/** Confirmations that say what will happen to how many, and actions that say how they ended. */
import { Button, Group, Modal, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { isPostriderError } from '@postrider/client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, use, useCallback, useEffect, useRef, useState } from 'react'
import { texts, useTexts } from '../language/language.tsx'
import { words } from '../language/texts.ts'
import { isServerFailure } from '../session/api.ts'
import { rememberFocus, returnFocus } from './focus-return.ts'
import { messageOf } from './states.tsx'

export interface Confirmation {
  title: string
  /** The effect, the number, and whether it can be undone; a component where the number changes meanwhile. */
  text: ReactNode
  /** A verb and its object: `Release 12 messages`. */
  action: ReactNode
  isDangerous?: boolean
  /** Must be typed, for what cannot be undone and concerns many. */
  typed?: string
}

type Confirm = (confirmation: Confirmation) => Promise<boolean>
const ConfirmContext = createContext<Confirm>(async () => false)

const confirmTexts = texts({
  en: { type: (word: string) => `Type ${word} to confirm` },
  de: { type: (word: string) => `Zur Bestätigung ${word} eingeben` },
})

const failureTexts = texts({
  en: {
    refused: 'Nothing was changed',
    unknown: 'It is not known whether this was done',
    partly: 'Not everything was changed',
  },
  de: {
    refused: 'Es wurde nichts geändert',
    unknown: 'Es ist nicht bekannt, ob es ausgeführt wurde',
    partly: 'Es wurde nicht alles geändert',
  },
})

const FAILURE_SHOWN_MS = 10_000

interface Pending extends Confirmation {
  resolve(isConfirmed: boolean): void
}

export function ConfirmProvider({ children }: { children: ReactNode }) {
  const [pending, setPending] = useState<Pending>()
  const [input, setInput] = useState('')
  const t = useTexts(words)
  const labels = useTexts(confirmTexts)
  const confirm = useCallback<Confirm>((confirmation) => {
    setInput('')
    return new Promise((resolve) => setPending({ ...confirmation, resolve }))
  }, [])
  const end = (isConfirmed: boolean) => {
    pending?.resolve(isConfirmed)
    setPending(undefined)
  }
  const isReady = pending?.typed === undefined || input === pending.typed
  return (
    <ConfirmContext value={confirm}>
      {children}
      <Modal
        opened={pending !== undefined}
        onClose={() => end(false)}
        title={pending?.title}
        closeButtonProps={{ 'aria-label': t.close }}
      >
        <form
          onSubmit={(event) => {
            event.preventDefault()
            if (isReady) end(true)
          }}
        >
          <div>{pending?.text}</div>
          {pending?.typed !== undefined && (
            <TextInput
              mt="md"
              data-autofocus
              label={labels.type(pending.typed)}
              value={input}
              onChange={(event) => setInput(event.currentTarget.value)}
            />
          )}
          <Group justify="flex-end" mt="xl">
            <Button variant="default" onClick={() => end(false)}>
              {t.cancel}
            </Button>
            <Button
              type="submit"
              disabled={!isReady}
              data-autofocus={pending?.typed === undefined}
              {...(pending?.isDangerous && { color: 'red.9' })}
            >
              {pending?.action}
            </Button>
          </Group>
        </form>
      </Modal>
    </ConfirmContext>
  )
}

export const useConfirm = () => use(ConfirmContext)

/** A call that only reads, before the change: its failure has changed nothing. */
export async function readFirst<Reply>(reading: Promise<Reply>): Promise<Reply> {
  try {
    return await reading
  } catch (cause) {
    throw new Error(messageOf(cause), { cause })
  }
}

export interface ActionOptions<Input, Result> {
  act(input: Input): Promise<Result>
  /** Shown when it has succeeded. */
  done?: string | ((result: Result, input: Input) => string)
  /** Takes the effect back; offered with the message of success. */
  undo?(result: Result, input: Input): Promise<unknown>
  /** Keys of the queries whose data it changes. */
  changes?: readonly (readonly unknown[])[]
  /** It makes several calls, of which some can have succeeded when it fails. */
  isInSteps?: boolean | ((input: Input) => boolean)
  /** The screen shows this failure itself, where its cause is. */
  isShown?(error: Error): boolean
  after?(result: Result, input: Input): void
}

/** A change of the server: its failure and its success are shown, what it changed is loaded again. */
export function useAction<Input = void, Result = unknown>({
  act,
  done,
  undo,
  changes = [],
  isInSteps = false,
  isShown,
  after,
}: ActionOptions<Input, Result>) {
  const queries = useQueryClient()
  const t = useTexts(words)
  const labels = useTexts(failureTexts)
  const refresh = async () => {
    // An invalidation waits for a first reading in flight, which may be older than the change.
    await Promise.all(changes.map((queryKey) => queries.cancelQueries({ queryKey })))
    await Promise.all(changes.map((queryKey) => queries.invalidateQueries({ queryKey })))
  }
  const showFailure = (error: unknown, areSteps: boolean) => {
    // A rejected call has changed nothing; an answer that was lost leaves that open, so that a person must look.
    const isRefused = !isServerFailure(error) || (isPostriderError(error) && error.status === 429)
    notifications.show({
      color: 'red',
      title: areSteps ? labels.partly : isRefused ? labels.refused : labels.unknown,
      message: messageOf(error),
      autoClose: FAILURE_SHOWN_MS,
      role: 'alert',
    })
    void refresh()
  }
  const running = useRef(new Set<string>())
  const mutation = useMutation<Result, Error, Input>({
    mutationFn: act,
    onSettled: (_result, _error, input) => void running.current.delete(nameOf(input)),
    onError: (error, input) => {
      if (!isShown?.(error)) showFailure(error, typeof isInSteps === 'function' ? isInSteps(input) : isInSteps)
    },
    onSuccess: async (result, input) => {
      after?.(result, input)
      if (done) {
        const id = crypto.getRandomValues(new Uint32Array(1)).join('')
        const takeBack = async () => {
          notifications.hide(id)
          await undo?.(result, input)
            .then(refresh)
            .catch((failure: unknown) => showFailure(failure, isInSteps !== false))
        }
        notifications.show({
          id,
          color: 'var(--good)',
          message: (
            <Group justify="space-between" wrap="nowrap">
              <span>{typeof done === 'function' ? done(result, input) : done}</span>
              {undo && (
                <Button size="compact-sm" variant="subtle" onClick={() => void takeBack()}>
                  {t.undo}
                </Button>
              )}
            </Group>
          ),
        })
      }
      await refresh()
    },
  })
  const { isPending } = mutation
  useEffect(() => (isPending ? returnFocus : undefined), [isPending])
  // The second click of a double click comes before the button is drawn as busy.
  const mutate = useCallback(
    (input: Input) => {
      const name = nameOf(input)
      if (running.current.has(name)) return
      running.current.add(name)
      rememberFocus()
      mutation.mutate(input)
    },
    [mutation.mutate],
  )
  return { ...mutation, mutate }
}

const nameOf = (input: unknown) => JSON.stringify(input) ?? ''
