/**
 * A kernel behind an HTTP server. It reports the maximum memory in use since the last report: heap and external memory, without garbage.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { requestListener } from '../../src/adapters/http/index.ts'
import { createDevKernel } from '../../src/index.ts'
import { received, send } from '../fixtures/child-side.ts'

setFlagsFromString('--expose-gc')
const gc = runInNewContext('gc') as () => void

const inUse = (): number => {
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

const kernel = await createDevKernel()
const server = createServer(requestListener(kernel))
server.listen(0, '127.0.0.1')
await once(server, 'listening')
send({ port: (server.address() as AddressInfo).port, token: kernel.rootToken })

/** The bound of the test. Growth above it may be garbage that a busy machine has not collected yet, so collect it before counting. */
const BOUND_BYTES = 256 << 20

let idle = 0
let most = 0
let running = true
const look = (): void => {
  if (inUse() > idle + BOUND_BYTES) gc()
  most = Math.max(most, inUse())
  if (running) setImmediate(() => setTimeout(look, 2))
}
look()
for await (const what of received()) {
  if (what === 'end') break
  if (what === 'most') send(most)
  gc()
  gc()
  most = idle = inUse()
  if (what === 'idle') send(most)
}
running = false
server.closeAllConnections()
server.close()
await kernel.close()
process.stdin.destroy()
