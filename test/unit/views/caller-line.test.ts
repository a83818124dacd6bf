import { describe, expect, it } from 'vitest'
import { createDevKernel, KernelError } from '../../../src/index.ts'
import { CALLS, type Call, WAITING } from './caller-line-calls.ts'

/** Skips stack lines of Node's microtask queue. */
const firstFrame = (error: Error): string =>
  (error.stack ?? '').split('\n').find((line) => /^\s+at (?!.*node:internal)/.test(line)) ?? ''

async function refusalOf(call: Call): Promise<Error> {
  await using kernel = await createDevKernel()
  return await call.make(kernel).then(
    () => expect.unreachable(),
    (error: Error) => error,
  )
}

describe('the error of a typed call', () => {
  it.each(CALLS)('has the calling line as its first stack frame if the call needs no storage: $what', async (call) => {
    const error = await refusalOf(call)
    expect(error).toBeInstanceOf(call.misuse ? TypeError : KernelError)
    expect(error.stack).toMatch(
      new RegExp(`^${error.name}: ${error.message.slice(0, 10).replaceAll(/[.*+?^$()[\]{}|\\]/g, '\\$&')}`),
    )
    expect(firstFrame(error)).toContain('caller-line-calls.ts')
  })

  it.each(WAITING)('has the awaiting line as its first stack frame if the call needs the storage: $what', async (call) => {
    const error = await refusalOf(call)
    expect(error).toBeInstanceOf(KernelError)
    expect(firstFrame(error)).toContain('caller-line-calls.ts')
  })

  it('has a first stack frame inside the kernel if the caller does not await the call', async () => {
    await using kernel = await createDevKernel()
    const error = await new Promise<Error>((resolve) => {
      kernel.kv.readSecret({ path: 'none' }).then(() => expect.unreachable(), resolve)
    })
    expect(firstFrame(error)).toMatch(/at notFound \(/)
  })

  it('names a missing record by its mount and path', async () => {
    await using kernel = await createDevKernel()
    await expect(kernel.kv.readSecret({ path: 'app/none' })).rejects.toThrow('nothing exists at secret/app/none')
    await expect(kernel.transit.readKey({ name: 'none' })).rejects.toThrow('nothing exists at transit/keys/none')
    await kernel.mounts.createMount({ path: 'apps', type: 'kv' })
    await expect(kernel.kv.at('apps').readSecret({ path: 'none' })).rejects.toThrow('nothing exists at apps/none')
  })
})
