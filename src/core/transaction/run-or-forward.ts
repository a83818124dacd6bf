import type { Call } from '../contract/tx.ts'
import { EntityOnPrimaryError, type ForwardedCall } from './forwarding.ts'
import type { Host } from './host.ts'
import type { OperationOutcome } from './runner.ts'

/** The maximum number of entity requests per login. A concurrent login can make a further request necessary. */
const MAX_ENTITY_REQUESTS = 3

/**
 * Calls `work`, which runs the operation on this cluster. If that fails because only the primary may write the records, forwards the call
 * to the primary. If the login needs an entity that only the primary can create, requests the entity and calls `work` again.
 */
export async function runOrForward<T>(
  { forwarding }: Pick<Host, 'forwarding'>,
  call: Call,
  within: unknown,
  forwarded: ForwardedCall,
  work: () => Promise<OperationOutcome<T>>,
): Promise<OperationOutcome<T>> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (error instanceof EntityOnPrimaryError && forwarding.forwarder && tries <= MAX_ENTITY_REQUESTS)
        await forwarding.forwarder.requestEntity(error.request)
      else if (forwarding.canForward(error, call, within))
        return (await forwarding.forwarder?.run(forwarded)) as OperationOutcome<T>
      else throw error
    }
  }
}
