/** Iterates over the results of a read: yields the current result, and a new one after each change. */
import type { Values } from '../../core/field/parse.ts'
import type { ConfigCall } from '../call.ts'
import type { ConfigCore } from '../core.ts'
import type { AnyConfigOperation, WatchOptions } from '../operation.ts'
import { MAX_BLOCKING_WAIT_MS } from './consistency.ts'

/** Several changes in quick succession may yield a single result. */
export async function* watchRead(
  core: ConfigCore,
  operation: AnyConfigOperation,
  input: Values,
  call: ConfigCall,
  { signal }: WatchOptions,
): AsyncGenerator<unknown, void, undefined> {
  let lastState: string | undefined
  for (let index = 0; !signal?.aborted; ) {
    core.gate.check()
    await core.ready()
    const wait = index === 0 ? undefined : { index, milliseconds: MAX_BLOCKING_WAIT_MS }
    const found = await core.gate.track(Promise.resolve(core.reads.read({ operation, input, call, wait, signal })))
    if (signal?.aborted) return
    const state = await core.reads.stateOf(operation, found.value)
    if (state !== lastState) yield found.value
    lastState = state
    index = found.index ?? 0
  }
}
