/** A server keeps at most 1 MiB of a body until the token of its caller is checked. The slow tier measures the memory of many connections. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { requestListener } from '../../src/adapters/http/index.ts'
import { createDevKernel, type Kernel, type KernelRequest } from '../../src/index.ts'

const MIB = 1 << 20

let kernel: Kernel
let accepted: Socket | undefined
/** The bytes that the server had read from the connection when it called the kernel. */
let calls: { readonly method: 'handle' | 'refusal'; readonly read: number }[] = []
const note = (method: 'handle' | 'refusal') => calls.push({ method, read: accepted?.bytesRead ?? 0 })

const server = createServer((request, response) =>
  requestListener({
    handle: (request: KernelRequest) => {
      note('handle')
      return kernel.handle(request)
    },
    precheck: (request: KernelRequest) => {
      note('refusal')
      return kernel.precheck(request)
    },
  })(request, response),
)
server.on('connection', (socket: Socket) => {
  accepted = socket
})
let port: number

beforeAll(async () => {
  kernel = await createDevKernel()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  port = (server.address() as AddressInfo).port
})
afterAll(async () => {
  server.closeAllConnections()
  server.close()
  await kernel.close()
})

/** @returns The status of the answer. */
async function send(path: string, token: string | undefined, body: Buffer, chunked: boolean): Promise<number> {
  calls = []
  const socket = connect(port, '127.0.0.1')
  let answer = ''
  const ended = new Promise<void>((resolve) => {
    socket.on('data', (chunk: Buffer) => {
      answer += chunk.toString('latin1')
    })
    socket.on('close', resolve).on('error', () => resolve())
  })
  const bearer = token ? `X-Service-Token: ${token}\r\n` : ''
  const length = chunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${body.length}`
  socket.write(`POST ${path} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n${bearer}${length}\r\n\r\n`)
  if (chunked) socket.write(`${body.length.toString(16)}\r\n`)
  socket.write(body)
  if (chunked) socket.write('\r\n0\r\n\r\n')
  await ended
  socket.destroy()
  return Number(answer.slice(9, 12))
}

it.each([
  ['with a declared length, for a path that needs a token', '/v1/secret/data/a', false, 403],
  ['in chunks, for a path that needs a token', '/v1/secret/data/a', true, 403],
  ['in chunks, for a path that needs no token', '/v1/sys/wrapping/lookup', true, 413],
] as const)('a listener refuses a body of 32 MiB without a token after 1 MiB: %s', async (_, path, chunked, status) => {
  const body = Buffer.alloc(32 * MIB, '{"a":[')
  expect(await send(path, undefined, body, chunked)).toBe(status)
  expect(calls.map(({ method }) => method)).toEqual(['refusal'])
  expect(calls[0]?.read).toBeLessThan(1.5 * MIB)
})

it('a listener serves a caller with a token after it has refused a large body', async () => {
  const body = Buffer.from(JSON.stringify({ data: { a: 'x'.repeat(2 * MIB) } }))
  expect(await send('/v1/secret/data/a', kernel.rootToken, body, true)).toBe(204)
  expect(calls.map(({ method }) => method)).toEqual(['refusal', 'handle'])
})
