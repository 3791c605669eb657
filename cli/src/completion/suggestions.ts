/** Words that are offered for the first argument of a command, which takes others as well. */
import type { Command } from 'commander'

const suggestions = new WeakMap<Command, readonly string[]>()

export const suggest = (command: Command, words: readonly string[]): void => void suggestions.set(command, words)

export const suggestionsFor = (command: Command): readonly string[] | undefined => suggestions.get(command)
