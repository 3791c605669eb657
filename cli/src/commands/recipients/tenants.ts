/** `postrider tenants …`: customers of yours, and their members. */
import type { Resource } from '../../operations/resource.ts'

export const tenants: Resource = {
  name: 'tenants',
  description: 'Tenants: your customers, each with a brand, defaults and members.',
  commands: [
    {
      name: 'list',
      operation: 'tenants.list',
      columns: ['id', 'name', 'parent_tenant_id', 'brand_id'],
      examples: ['list', 'list --parent-tenant-id acme'],
    },
    { name: 'show', operation: 'tenants.get', examples: ['show acme'] },
    {
      name: 'set',
      operation: 'tenants.put',
      description: 'Create or replace a tenant. Fields that are not given are removed.',
      examples: [
        'set acme name=Acme properties.plan=gold',
        'set acme-berlin name="Acme Berlin" parent_tenant_id=acme brand_id=acme',
      ],
    },
    { name: 'delete', operation: 'tenants.delete', done: 'Deleted {tenant}', examples: ['delete acme-berlin'] },
    {
      name: 'members',
      operation: 'tenants.users',
      columns: ['user_id', 'profile'],
      examples: ['members acme'],
    },
    {
      name: 'add-member',
      operation: 'memberships.put',
      arguments: { tenant_id: 'tenant', user_id: 'user' },
      done: 'Added {user} to {tenant}',
      examples: ['add-member acme ada', 'add-member acme ada profile.locale=de'],
    },
    {
      name: 'remove-member',
      operation: 'memberships.remove',
      arguments: { tenant_id: 'tenant', user_id: 'user' },
      done: 'Removed {user} from {tenant}',
      examples: ['remove-member acme ada'],
    },
  ],
}
