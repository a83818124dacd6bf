/** A kernel whose answers follow from their requests, so that a client knows each byte of them. */
import { setImmediate as turn } from 'node:timers/promises'
import type { RequestHandler } from '../../../src/adapters/http/index.ts'
import type { Kernel, KernelRequest, KernelResponse } from '../../../src/index.ts'

const sumOf = (bytes: Uint8Array): number => bytes.reduce((sum, byte) => (sum * 31 + byte) >>> 0, bytes.length)

/** The answer to `/v1/f/<name>/<size>`. @param body Of a request that has one. */
export const echoOf = (name: string, size: number, body?: Uint8Array): string =>
  `${name}${body ? ` ${sumOf(body)}` : ''}\n${'x'.repeat(size)}`

/** Turns of the event loop for which `/v1/wait/<name>/<turns>` blocks, unless its caller goes away. */
async function wait({ signal }: KernelRequest, turns: number): Promise<void> {
  for (let i = 0; i < turns && !signal?.aborted; i++) await turn()
}

/** @param onBegin Called when a request begins. Other paths are answered by the kernel. */
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
