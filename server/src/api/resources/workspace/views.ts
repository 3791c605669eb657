/** /views: filters of a page of the dashboard, saved under a name. */
import { viewFiltersBytesMax, viewsMax } from '@postrider/contract'
import { conflict, invalidField } from '../../../base/errors.ts'
import { rowsOf } from '../../../database/query.ts'
import { listViews, type ViewRow, viewDelete, viewPut } from '../../../database/tables/workspace/views.ts'
import { success } from '../../call.ts'
import { orNotFound, otherwise, type ResourceHandlers } from '../../outcome.ts'
import { existsAlready, resourceNamed } from '../../preconditions.ts'

export const views = {
  'views.list': async ({ query: { page } }, { app, caller }) =>
    success('views.list', { results: await listViews(app.database, caller.workspaceId, page, viewsMax) }),
  'views.put': ({ params: { name }, body: { page, filters } }, { app, caller, now, preconditions }) => {
    if (Buffer.byteLength(JSON.stringify(filters)) > viewFiltersBytesMax)
      throw invalidField('filters', `must be at most ${viewFiltersBytesMax} bytes of JSON`)
    return {
      writes: [viewPut(caller.workspaceId, { name, page, filters, now }, { ...preconditions, max: viewsMax })],
      replyFrom: ([putResult]) => {
        const [row] = rowsOf<ViewRow>(putResult)
        if (!row) throw new Error('A saved view gave no row')
        return success('views.put', row)
      },
      onConflict: otherwise(async () => {
        const others = await listViews(app.database, caller.workspaceId, undefined, viewsMax)
        return others.some((view) => view.name === name)
          ? existsAlready(resourceNamed('view', name))
          : conflict('limit_reached', `There are ${viewsMax} views already; delete one first`)
      }),
    }
  },
  'views.delete': ({ params: { name } }, { caller }) => ({
    reply: success('views.delete', undefined),
    writes: [viewDelete(caller.workspaceId, name)],
    onConflict: orNotFound,
  }),
} satisfies ResourceHandlers<'views'>
