/** The main pages of the dashboard at the data of `dashboard-data.ts`, by name: for the test of all pages and their pictures. */
import type { Postrider } from '@postrider/client'
import { until } from '../support/until.ts'
import type { DashboardData, DashboardPeers } from './dashboard-data.ts'

export async function dashboardPages(
  client: Postrider,
  peers: DashboardPeers,
  data: DashboardData,
): Promise<Record<string, string>> {
  const jobId = await makeBulkJobs(client)
  const [mailbox, webhook] = await Promise.all([
    client.mailbox.list({ channel: 'email' }),
    client.webhooks.create({ url: `${peers.http.url}/hook`, types: ['message:updated'] }),
  ])
  return {
    start: '/',
    send: '/send?event=order-shipped&to=customer-1002',
    messages: `/messages?status=["UNDELIVERABLE","UNROUTABLE","UNMAPPED"]&except_reason=["UNSUBSCRIBED","OPT_IN_REQUIRED"]&open=${data.messages.refused}`,
    'message-failed-over': `/messages/${data.messages.failedOver}?row=decided+0`,
    'message-refused': `/messages/${data.messages.refused}`,
    mailbox: '/mailbox',
    'mailbox-mail': `/mailbox/${mailbox.results[0]?.id}`,
    'bulk-jobs': '/bulk',
    'bulk-job': `/bulk/${jobId}`,
    'bulk-new': '/bulk/new',
    templates: '/templates',
    template: `/templates/${data.templates.orderShipped}`,
    automations: '/automations',
    automation: '/automations/onboarding',
    'automation-step': '/automations/onboarding?step=3',
    'automation-simulation': '/automations/onboarding?tab=simulation&recipient=customer-1001&at=3',
    'automation-runs': '/automations/onboarding?tab=runs',
    'automation-versions': '/automations/onboarding?tab=versions&version=1',
    'automation-settings': '/automations/onboarding?tab=settings',
    run: `/runs/${data.runs.waiting}`,
    'run-failed': `/runs/${data.runs.failed}`,
    brands: '/brands',
    brand: '/brands/harbor',
    users: '/users',
    user: '/users/customer-1002',
    lists: '/lists',
    list: '/lists/shop.news',
    audiences: '/audiences',
    audience: `/audiences/hamburg`,
    tenants: '/tenants',
    tenant: '/tenants/harbor',
    topics: '/topics',
    suppressions: '/suppressions',
    integrations: '/integrations',
    integration: `/integrations/${data.integrations.sendgrid}`,
    'integration-settings': `/integrations/${data.integrations.sendgrid}?tab=settings`,
    'integration-test': `/integrations/${data.integrations.sendgrid}?tab=test`,
    'integration-add': '/integrations?add=smtp',
    catalog: '/integrations?tab=catalog',
    outage: `/integrations?tab=outage&down=["${data.integrations.sendgrid}"]`,
    webhooks: '/webhooks',
    webhook: `/webhooks/${webhook.id}`,
    'event-map': '/events',
    keys: '/keys',
    system: '/system',
    'dead-letters': '/system?tab=dead-letters',
    audit: '/audit',
  }
}

/** A job that has ended, one that waits, and one that was discarded; the id of the first. */
async function makeBulkJobs(client: Postrider): Promise<string> {
  const create = async (users: number) => {
    const { jobId } = await client.bulk.create({
      message: { event: 'order-shipped', data: { carrier: 'Harbor Post' } },
    })
    await client.bulk.ingest(jobId, {
      users: Array.from({ length: users }, (_, n) => ({
        recipient: `reader-${n}`,
        ...(n % 6 !== 5 && { profile: { email: `reader-${n}@example.com` } }),
      })),
    })
    return jobId
  }
  await client.bulk.cancel(await create(40))
  await create(12)
  const jobId = await create(24)
  await client.bulk.run(jobId)
  await until(
    () => client.bulk.get(jobId),
    ({ job }) => job.status === 'COMPLETED',
  )
  return jobId
}
