/** Methods of the SDKs that this version does not serve, each with its reason and a call that is answered 404. */

interface Exception {
  reason: string
  args: unknown[]
}

const later = (what: string, ...args: unknown[]): Exception => ({ reason: `${what} come with a later version`, args })
const content = { content: { version: '2022-01-01', elements: [] } }

export const exceptions: Record<string, Exception> = {
  'journeys.list': later('journeys'),
  'journeys.invoke': later('journeys', 'j', {}),
  'tenants.getTemplateByTenant': later('templates of a tenant', 't', 'template'),
  'tenants.getTemplateListByTenant': later('templates of a tenant', 't'),
  'tenants.templates.retrieve': later('templates of a tenant', 'template', { tenant_id: 't' }),
  'tenants.templates.list': later('templates of a tenant', 't'),
  'tenants.templates.publish': later('templates of a tenant', 'template', { tenant_id: 't' }),
  'tenants.templates.replace': later('templates of a tenant', 'template', { tenant_id: 't', template: content }),
  'tenants.templates.versions.retrieve': later('templates of a tenant', 'v1', { tenant_id: 't', template_id: 'x' }),
}
