/** Methods of the SDKs that this version does not serve, each with its reason and a call that hears 404. */

interface Exception {
  reason: string
  args: unknown[]
}

const later = (what: string, ...args: unknown[]): Exception => ({ reason: `${what} come with a later version`, args })
const run = { automation: { steps: [] } }
const content = { content: { version: '2022-01-01', elements: [] } }

export const exceptions: Record<string, Exception> = {
  'automations.invokeAdHocAutomation': later('automations', run),
  'automations.invoke.invokeAdHoc': later('automations', run),
  'automations.list': later('automations'),
  'automations.invoke.invokeByTemplate': later('automations', 'a', { recipient: 'r' }),
  'journeys.list': later('journeys'),
  'journeys.invoke': later('journeys', 'j', {}),
  'routingStrategies.create': later('stored routings', {}),
  'routingStrategies.retrieve': later('stored routings', 's'),
  'routingStrategies.list': later('stored routings'),
  'routingStrategies.archive': later('stored routings', 's'),
  'routingStrategies.listNotifications': later('stored routings', 's'),
  'routingStrategies.replace': later('stored routings', 's', {}),
  'tenants.getTemplateByTenant': later('templates of a tenant', 't', 'template'),
  'tenants.getTemplateListByTenant': later('templates of a tenant', 't'),
  'tenants.templates.retrieve': later('templates of a tenant', 'template', { tenant_id: 't' }),
  'tenants.templates.list': later('templates of a tenant', 't'),
  'tenants.templates.publish': later('templates of a tenant', 'template', { tenant_id: 't' }),
  'tenants.templates.replace': later('templates of a tenant', 'template', { tenant_id: 't', template: content }),
  'tenants.templates.versions.retrieve': later('templates of a tenant', 'v1', { tenant_id: 't', template_id: 'x' }),
}

/** Its arguments changed their shape between generations. */
export const exceptionOf = (name: string, major: number): Exception | undefined => {
  if (name !== 'automations.invokeAutomationTemplate') return exceptions[name]
  return major < 6 ? later('automations', { templateId: 'a' }) : later('automations', 'a', { recipient: 'r' })
}
