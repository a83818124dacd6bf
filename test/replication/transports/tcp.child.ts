/**
 * Asks once and has nothing more to do, or listens until it is killed. Started by tcp-requester.test.ts.
 */
import { tcpTransport } from '../../../src/adapters/replication-tcp/index.ts'
import { childArguments, tell } from '../../fixtures/child-side.ts'

const { requests, listens } = childArguments<{ readonly requests?: string; readonly listens?: string }>()
const transport = tcpTransport()
if (requests !== undefined) {
  const on = await transport.listen('', async (message) => message)
  await transport.request(on.address, Uint8Array.of(1), new AbortController().signal)
  tell([...(await transport.request(requests, Uint8Array.of(1), new AbortController().signal))])
  await on.close()
  tell('closed')
}
if (listens !== undefined) {
  // An empty message is never answered.
  const on = await transport.listen(listens, (message) => (message.length > 0 ? Promise.resolve(message) : new Promise(() => {})))
  tell(on.address)
}
