/**
 * A connection keeps no memory of the LISTs that were sent over it.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { acceptList } from '../../src/adapters/http/index.ts'

setFlagsFromString('--expose-gc')
const gc = runInNewContext('gc') as () => void

const LIST = 'LIST /v1/secret HTTP/1.1\r\nHost: h\r\n\r\n'
const STATUS = 'HTTP/1.1 200'
const AT_ONCE = 50

/** Sends `times` requests and waits for their answers. Every second group is sent in one packet. */
async function list(socket: Socket, times: number, answered: () => number): Promise<void> {
  for (let sent = 0; sent < times; sent += AT_ONCE) {
    const expected = answered() + AT_ONCE
    if (sent % (2 * AT_ONCE) === 0) socket.write(LIST.repeat(AT_ONCE))
    else for (let i = 0; i < AT_ONCE; i++) socket.write(LIST)
    while (answered() < expected) await once(socket, 'data')
  }
}

async function heapInUse(): Promise<number> {
  // Handles keep objects that were released in this turn of the event loop.
  await new Promise((resolve) => setTimeout(resolve, 50))
  gc()
  return process.memoryUsage().heapUsed
}

it('20,000 LIST requests on one connection to acceptList do not increase the heap', async () => {
  const server = acceptList(createServer((_, response) => void response.end('{}')))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  let answers = 0
  let rest = ''
  socket.on('data', (chunk: Buffer) => {
    const parts = (rest + chunk.toString('latin1')).split(STATUS)
    answers += parts.length - 1
    // The next packet may begin in the middle of a status line.
    rest = (parts.at(-1) as string).slice(1 - STATUS.length)
  })
  await list(socket, 1000, () => answers)
  const before = await heapInUse()
  await list(socket, 20_000, () => answers)
  const grown = (await heapInUse()) - before
  expect(answers).toBe(21_000)
  // 100 bytes for each LIST, which is above the noise.
  expect(grown).toBeLessThan(2_000_000)
  socket.destroy()
  server.close()
})
