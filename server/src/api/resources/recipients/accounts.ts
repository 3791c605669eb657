/** /accounts and the writes of /users: what tenants and memberships do, by the names that older clients use. */
import type { SuccessOf, Tenant } from '@postrider/contract'
import { writeMemberships } from '../../../tenants/memberships.ts'
import { removeTenant, writeTenant } from '../../../tenants/tenants.ts'
import { listPage, success } from '../../call.ts'
import { warnOfTenant } from '../../missing-references.ts'
import type { ResourceHandlers } from '../../outcome.ts'
import { warn } from '../../warnings.ts'
import { tenantNamed, tenantPage } from './tenants.ts'

const account = ({ parent_tenant_id, ...rest }: Tenant): SuccessOf<'accounts.get'> => ({
  ...rest,
  parent_account_id: parent_tenant_id,
})

const membershipInput = ({
  account_id,
  profile,
}: {
  account_id: string
  profile?: Record<string, unknown> | null
}) => ({
  tenantId: account_id,
  profile,
})

export const accounts = {
  'accounts.list': async ({ query }, ctx) => {
    const page = await tenantPage(ctx, query, query.parent_account_id)
    return success('accounts.list', listPage('/accounts', query, page, account))
  },
  'accounts.get': async ({ params: { account_id } }, ctx) =>
    success('accounts.get', account(await tenantNamed(ctx, account_id))),
  'accounts.put': async ({ params: { account_id: id }, body }, ctx) => {
    const { app, caller, now } = ctx
    const { workspaceId } = caller
    const { parent_account_id = null, ...rest } = body
    const input = { ...rest, parent_tenant_id: parent_account_id }
    const write = { workspaceId, id, input, now, parentField: 'parent_account_id' }
    const { tenant, warnings, ...work } = writeTenant(app.database, write)
    warn(ctx, ...warnings)
    await warnOfTenant(ctx, input)
    return { ...work, reply: success('accounts.put', account(tenant)) }
  },
  'accounts.delete': ({ params: { account_id } }, { caller }) => ({
    reply: success('accounts.delete', undefined),
    ...removeTenant(caller.workspaceId, account_id),
  }),
  'accounts.putUser': ({ params: { user_id: userId }, body }, ctx) => {
    const { app, caller, now } = ctx
    const { workspaceId } = caller
    const memberships = (body.accounts ?? []).map(membershipInput)
    const write = { workspaceId, userId, now, memberships, profile: body.profile }
    const { warnings, ...work } = writeMemberships(app.database, write)
    warn(ctx, ...warnings)
    return { reply: success('accounts.putUser', undefined), ...work }
  },
  'accounts.addUser': ({ params: { user_id: userId }, body }, ctx) => {
    const { app, caller, now } = ctx
    const { workspaceId } = caller
    const memberships = (Array.isArray(body) ? body : body.accounts).map(membershipInput)
    const { warnings, ...work } = writeMemberships(app.database, { workspaceId, userId, now, memberships })
    warn(ctx, ...warnings)
    return { reply: success('accounts.addUser', undefined), ...work }
  },
} satisfies ResourceHandlers<'accounts'>
