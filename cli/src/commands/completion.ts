/** `postrider completion`: a script that lets a shell complete commands, options and their values. */
import { Argument, type Command } from 'commander'
import { bashScript, fishScript, zshScript } from '../completion/scripts.ts'
import { completionNodes } from '../completion/tree.ts'

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript }
type Shell = keyof typeof scripts

export function addCompletion(program: Command): void {
  program
    .command('completion')
    .description('Print a script that completes commands and options in a shell.')
    .addArgument(new Argument('<shell>', 'which shell').choices(Object.keys(scripts)))
    .addHelpText(
      'after',
      `
Examples:
  $ source <(postrider completion bash)
  $ postrider completion bash > ~/.local/share/bash-completion/completions/postrider
  $ postrider completion zsh > "\${fpath[1]}/_postrider"
  $ postrider completion fish > ~/.config/fish/completions/postrider.fish

The first line is for this shell only; the others are for every one that is opened from now on.`,
    )
    .action((shell: Shell) => {
      process.stdout.write(scripts[shell](completionNodes(program)))
    })
}
