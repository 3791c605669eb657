/** `postrider completion`: a shell completion script for commands, options and their values. */
import { Argument, type Command } from 'commander'
import { bashScript, fishScript, zshScript } from './scripts.ts'
import { completionNodes } from './tree.ts'

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript }
type Shell = keyof typeof scripts

export function addCompletion(program: Command): void {
  program
    .command('completion')
    .description('Print a shell completion script for commands and options.')
    .addArgument(new Argument('<shell>', 'shell').choices(Object.keys(scripts)))
    .addHelpText(
      'after',
      `
Examples:
  $ source <(postrider completion bash)
  $ postrider completion bash > ~/.local/share/bash-completion/completions/postrider
  $ postrider completion zsh > "\${fpath[1]}/_postrider"
  $ postrider completion fish > ~/.config/fish/completions/postrider.fish

The first line enables completion in the current shell only; the others enable it in new shells.`,
    )
    .action((shell: Shell) => {
      process.stdout.write(scripts[shell](completionNodes(program)))
    })
}
