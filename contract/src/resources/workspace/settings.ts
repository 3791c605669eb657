/** /settings: how an environment treats its messages. */
import { type Static, Type } from 'typebox'
import { operation } from '../../api/operation.ts'
import { resource } from '../../api/resource.ts'
import { missingVariableChoices, missingVariableMeaning } from '../../shapes/missing-variables.ts'
import { heldDaysMax } from '../messages/held-messages.ts'

const holdMisconfigured = Type.Boolean({
  description: `Whether a message waits as \`HELD\` instead of failing when integrations refuse it for their configuration (credentials, an unverified sender, switched off) and nothing else is left to try. It waits until an integration is repaired, at most as long as its timeout and ${heldDaysMax} days.`,
})

const onMissingVariable = Type.Enum([...missingVariableChoices], {
  description: `Treatment of variables without a value, in content of a send and in templates whose \`settings.on_missing_variable\` does not say. ${missingVariableMeaning}`,
})

const Settings = Type.Object(
  { hold_misconfigured: holdMisconfigured, on_missing_variable: onMissingVariable },
  { title: 'Settings', description: 'Settings of an environment.' },
)

export const SettingsWrite = Type.Object(
  {
    hold_misconfigured: Type.Optional(holdMisconfigured),
    on_missing_variable: Type.Optional(onMissingVariable),
  },
  { title: 'SettingsWrite', description: 'A change of settings. Omitted ones are unchanged.' },
)
export type SettingsWrite = Static<typeof SettingsWrite>

export default resource({
  name: 'settings',
  position: 255,
  title: 'Settings',
  description: 'How an environment treats its messages.',
  impersonal: true,
  operations: [
    operation({
      id: 'settings.get',
      origin: 'postrider',
      method: 'GET',
      path: '/settings',
      summary: 'Get the settings',
      replies: { 200: Settings },
      example: { reply: { hold_misconfigured: false, on_missing_variable: 'keep' } },
    }),
    operation({
      id: 'settings.update',
      origin: 'postrider',
      method: 'PUT',
      path: '/settings',
      summary: 'Change the settings',
      description: 'Omitted settings are unchanged.',
      audit: 'settings:updated',
      body: SettingsWrite,
      replies: { 200: Settings },
      example: {
        body: { on_missing_variable: 'fail' },
        reply: { hold_misconfigured: false, on_missing_variable: 'fail' },
      },
    }),
  ],
})
