/** A kernel whose answers are determined by the requests, so that a client can check each byte. */
import { setImmediate as turn } from 'node:timers/promises'
import type { RequestHandler } from '../../../src/adapters/http/index.ts'
import type { Kernel, KernelRequest, KernelResponse } from '../../../src/index.ts'

const sumOf = (bytes: Uint8Array): number => bytes.reduce((sum, byte) => (sum * 31 + byte) >>> 0, bytes.length)

/** The answer to `/v1/f/<name>/<size>`. @param body The request body, if the verb has one. */
export const echoOf = (name: string, size: number, body?: Uint8Array): string =>
  `${name}${body ? ` ${sumOf(body)}` : ''}\n${'x'.repeat(size)}`

/** Blocks `/v1/wait/<name>/<turns>` for that many turns of the event loop, unless the caller disconnects. */
async function wait({ signal }: KernelRequest, turns: number): Promise<void> {
  for (let i = 0; i < turns && !signal?.aborted; i++) await turn()
}

/** @param onBegin Called when a request begins. The kernel answers other paths. */
export const echoKernel = (kernel: Kernel, onBegin: () => void): RequestHandler => ({
  async handle(request: KernelRequest): Promise<KernelResponse> {
    onBegin()
    const [, , kind, name = '', size] = request.path.split('/')
    if (kind !== 'f' && kind !== 'wait') return kernel.handle(request)
    const body = request.body as Uint8Array | undefined
    if (kind === 'wait') await wait(request, Number(size))
    else if (Number(size) % 3 === 0) await turn()
    return { status: 200, headers: {}, body: echoOf(name, kind === 'wait' ? 0 : Number(size), body) }
  },
  precheck: async (request) => (request.path.startsWith('/v1/f/') ? undefined : kernel.precheck(request)),
})
