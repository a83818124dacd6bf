/**
 * Sends one request and has nothing more to do, or listens until it is killed. Started by tcp-processes.slow.test.ts.
 */
import { tcpTransport } from '../../../src/adapters/replication-tcp/index.ts'
import { childArguments, send } from '../../fixtures/child-side.ts'

export interface ChildArguments {
  readonly requests?: string
  readonly listens?: string
}

/** An idle connection stays open for longer than the test waits. */
const IDLE_MS = 86_400_000

const { requests, listens } = childArguments<ChildArguments>()
const transport = tcpTransport({ idleMs: IDLE_MS })
if (requests !== undefined) {
  const on = await transport.listen('', async (message) => message)
  await transport.request(on.address, Uint8Array.of(1), new AbortController().signal)
  send([...(await transport.request(requests, Uint8Array.of(1), new AbortController().signal))])
  await on.close()
  send('closed')
}
if (listens !== undefined) {
  const on = await transport.listen(listens, (message) => {
    if (message.length > 0) return Promise.resolve(message)
    send('hangs')
    return new Promise(() => {})
  })
  send(on.address)
}
