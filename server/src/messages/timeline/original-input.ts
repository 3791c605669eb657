/** The whole input of a message, so that it can be sent again. */
import type { Reader } from '../../database/engine.ts'
import { messageInput } from '../../database/tables/messages/messages.ts'
import type { Marks, OwnInput, Send } from '../send.ts'
import { createSharedInputs } from '../shared-inputs.ts'

/** Undefined for an unknown message. The list, run or job it came from did not send the new one. */
export async function original(
  engine: Reader,
  workspaceId: number,
  id: string,
): Promise<Pick<Send, 'input' | 'marks'> | undefined> {
  const row = await messageInput(engine, workspaceId, id)
  if (!row) return undefined
  const { input: own, request_id: requestId, tags, trace_id: traceId, tenant_id: tenantId } = row
  const [input] = await createSharedInputs(engine).complete([{ requestId, own: JSON.parse(own) as OwnInput }])
  const marks: Marks = {
    ...(tags && { tags }),
    ...(traceId !== null && { traceId }),
    ...(tenantId !== null && { tenantId }),
  }
  return input && { input, marks }
}
