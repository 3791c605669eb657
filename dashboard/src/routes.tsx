/** Every address of the dashboard, on one page. A screen is loaded when it is opened. */

import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'
import { home } from './address.ts'
import { auditSearch } from './audit/search.ts'
import { automationSearch, automationsSearch } from './automations/search.ts'
import { bulkJobSearch, bulkJobsSearch, newBulkJobSearch } from './bulk/search.ts'
import { integrationSearch, integrationsSearch } from './integrations/search.ts'
import { mailboxSearch } from './mailbox/search.ts'
import { messageSearch } from './message/search.ts'
import { messagesSearch } from './messages/search.ts'
import { dropUnread } from './parts/search-params.ts'
import { Failed } from './parts/states.tsx'
import { listingSearch, suppressionsSearch, topicsSearch, userSearch } from './people/search.ts'
import { sendSearch } from './send/search.ts'
import { SessionGate } from './session/session.tsx'
import { NotFound } from './shell/not-found.tsx'
import { Shell } from './shell/shell.tsx'
import { systemSearch } from './system/search.ts'
import { editorSearch, templatesSearch } from './templates/search.ts'
import { webhookSearch } from './webhooks/search.ts'

const root = createRootRoute({
  component: () => (
    <SessionGate>
      <Shell />
    </SessionGate>
  ),
  notFoundComponent: NotFound,
})

const start = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: lazyRouteComponent(() => import('./start/start-screen.tsx'), 'StartScreen'),
})
const send = createRoute({
  getParentRoute: () => root,
  path: '/send',
  validateSearch: dropUnread(sendSearch),
  component: lazyRouteComponent(() => import('./send/send-screen.tsx'), 'SendScreen'),
})
const messages = createRoute({
  getParentRoute: () => root,
  path: '/messages',
  validateSearch: dropUnread(messagesSearch),
  component: lazyRouteComponent(() => import('./messages/messages-screen.tsx'), 'MessagesScreen'),
})
const message = createRoute({
  getParentRoute: () => root,
  path: '/messages/$messageId',
  validateSearch: dropUnread(messageSearch),
  component: lazyRouteComponent(() => import('./message/message-screen.tsx'), 'MessageScreen'),
})
const mailbox = createRoute({
  getParentRoute: () => root,
  path: '/mailbox',
  validateSearch: dropUnread(mailboxSearch),
  component: lazyRouteComponent(() => import('./mailbox/mailbox-screen.tsx'), 'MailboxScreen'),
})
/** Shown by the mailbox itself, beside its list. */
const mailboxItem = createRoute({ getParentRoute: () => mailbox, path: '/$itemId', component: () => null })
const users = createRoute({
  getParentRoute: () => root,
  path: '/users',
  validateSearch: dropUnread(listingSearch),
  component: lazyRouteComponent(() => import('./people/users/users-screen.tsx'), 'UsersScreen'),
})
const user = createRoute({
  getParentRoute: () => root,
  path: '/users/$userId',
  validateSearch: dropUnread(userSearch),
  component: lazyRouteComponent(() => import('./people/users/user-screen.tsx'), 'UserScreen'),
})
const lists = createRoute({
  getParentRoute: () => root,
  path: '/lists',
  validateSearch: dropUnread(listingSearch),
  component: lazyRouteComponent(() => import('./people/lists/lists-screen.tsx'), 'ListsScreen'),
})
const list = createRoute({
  getParentRoute: () => root,
  path: '/lists/$listId',
  validateSearch: dropUnread(listingSearch),
  component: lazyRouteComponent(() => import('./people/lists/list-screen.tsx'), 'ListScreen'),
})
const audiences = createRoute({
  getParentRoute: () => root,
  path: '/audiences',
  validateSearch: dropUnread(listingSearch),
  component: lazyRouteComponent(() => import('./people/audiences/audiences-screen.tsx'), 'AudiencesScreen'),
})
const audience = createRoute({
  getParentRoute: () => root,
  path: '/audiences/$audienceId',
  component: lazyRouteComponent(() => import('./people/audiences/audience-screen.tsx'), 'AudienceScreen'),
})
const tenants = createRoute({
  getParentRoute: () => root,
  path: '/tenants',
  validateSearch: dropUnread(listingSearch),
  component: lazyRouteComponent(() => import('./people/tenants/tenants-screen.tsx'), 'TenantsScreen'),
})
const tenant = createRoute({
  getParentRoute: () => root,
  path: '/tenants/$tenantId',
  component: lazyRouteComponent(() => import('./people/tenants/tenant-screen.tsx'), 'TenantScreen'),
})
const topics = createRoute({
  getParentRoute: () => root,
  path: '/topics',
  validateSearch: dropUnread(topicsSearch),
  component: lazyRouteComponent(() => import('./people/topics/topics-screen.tsx'), 'TopicsScreen'),
})
const suppressions = createRoute({
  getParentRoute: () => root,
  path: '/suppressions',
  validateSearch: dropUnread(suppressionsSearch),
  component: lazyRouteComponent(() => import('./people/suppressions/suppressions-screen.tsx'), 'SuppressionsScreen'),
})
const automations = createRoute({
  getParentRoute: () => root,
  path: '/automations',
  validateSearch: dropUnread(automationsSearch),
  component: lazyRouteComponent(() => import('./automations/automations-screen.tsx'), 'AutomationsScreen'),
})
const automation = createRoute({
  getParentRoute: () => root,
  path: '/automations/$id',
  validateSearch: dropUnread(automationSearch),
  component: lazyRouteComponent(() => import('./automations/automation-screen.tsx'), 'AutomationScreen'),
})
const run = createRoute({
  getParentRoute: () => root,
  path: '/runs/$runId',
  component: lazyRouteComponent(() => import('./automations/run-screen.tsx'), 'RunScreen'),
})
const bulkJobs = createRoute({
  getParentRoute: () => root,
  path: '/bulk',
  validateSearch: dropUnread(bulkJobsSearch),
  component: lazyRouteComponent(() => import('./bulk/bulk-jobs-screen.tsx'), 'BulkJobsScreen'),
})
const newBulkJob = createRoute({
  getParentRoute: () => root,
  path: '/bulk/new',
  validateSearch: dropUnread(newBulkJobSearch),
  component: lazyRouteComponent(() => import('./bulk/new-bulk-job-screen.tsx'), 'NewBulkJobScreen'),
})
const bulkJob = createRoute({
  getParentRoute: () => root,
  path: '/bulk/$jobId',
  validateSearch: dropUnread(bulkJobSearch),
  component: lazyRouteComponent(() => import('./bulk/bulk-job-screen.tsx'), 'BulkJobScreen'),
})
const integrations = createRoute({
  getParentRoute: () => root,
  path: '/integrations',
  validateSearch: dropUnread(integrationsSearch),
  component: lazyRouteComponent(() => import('./integrations/integrations-screen.tsx'), 'IntegrationsScreen'),
})
const integration = createRoute({
  getParentRoute: () => root,
  path: '/integrations/$id',
  validateSearch: dropUnread(integrationSearch),
  component: lazyRouteComponent(() => import('./integrations/integration-screen.tsx'), 'IntegrationScreen'),
})
const webhooks = createRoute({
  getParentRoute: () => root,
  path: '/webhooks',
  component: lazyRouteComponent(() => import('./webhooks/webhooks-screen.tsx'), 'WebhooksScreen'),
})
const webhook = createRoute({
  getParentRoute: () => root,
  path: '/webhooks/$id',
  validateSearch: dropUnread(webhookSearch),
  component: lazyRouteComponent(() => import('./webhooks/webhook-screen.tsx'), 'WebhookScreen'),
})
const eventMap = createRoute({
  getParentRoute: () => root,
  path: '/events',
  component: lazyRouteComponent(() => import('./event-map/event-map-screen.tsx'), 'EventMapScreen'),
})
const keys = createRoute({
  getParentRoute: () => root,
  path: '/keys',
  component: lazyRouteComponent(() => import('./keys/keys-screen.tsx'), 'KeysScreen'),
})
const audit = createRoute({
  getParentRoute: () => root,
  path: '/audit',
  validateSearch: dropUnread(auditSearch),
  component: lazyRouteComponent(() => import('./audit/audit-screen.tsx'), 'AuditScreen'),
})
const system = createRoute({
  getParentRoute: () => root,
  path: '/system',
  validateSearch: dropUnread(systemSearch),
  component: lazyRouteComponent(() => import('./system/system-screen.tsx'), 'SystemScreen'),
})
const templates = createRoute({
  getParentRoute: () => root,
  path: '/templates',
  validateSearch: dropUnread(templatesSearch),
  component: lazyRouteComponent(() => import('./templates/templates-screen.tsx'), 'TemplatesScreen'),
})
const template = createRoute({
  getParentRoute: () => root,
  path: '/templates/$id',
  validateSearch: dropUnread(editorSearch),
  component: lazyRouteComponent(() => import('./templates/template-screen.tsx'), 'TemplateScreen'),
})
const brands = createRoute({
  getParentRoute: () => root,
  path: '/brands',
  component: lazyRouteComponent(() => import('./brands/brands-screen.tsx'), 'BrandsScreen'),
})
const brand = createRoute({
  getParentRoute: () => root,
  path: '/brands/$id',
  component: lazyRouteComponent(() => import('./brands/brand-screen.tsx'), 'BrandScreen'),
})

/** A script or style sheet that did not arrive is remembered as missing: only a new page requests it again. */
const isMissingScript = (error: unknown) => error instanceof Error && /import|module|preload/i.test(error.message)
const reload = () => location.reload()

export const router = createRouter({
  routeTree: root.addChildren([
    start,
    send,
    messages,
    message,
    mailbox.addChildren([mailboxItem]),
    users,
    user,
    lists,
    list,
    audiences,
    audience,
    tenants,
    tenant,
    topics,
    suppressions,
    automations,
    automation,
    run,
    bulkJobs,
    newBulkJob,
    bulkJob,
    integrations,
    integration,
    webhooks,
    webhook,
    eventMap,
    keys,
    system,
    audit,
    templates,
    template,
    brands,
    brand,
  ]),
  basepath: home.slice(0, -1),
  defaultPreload: 'intent',
  defaultErrorComponent: ({ error, reset }) => <Failed error={error} retry={isMissingScript(error) ? reload : reset} />,
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
