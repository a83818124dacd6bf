/** The option `logger` and `logTo`. */
import { afterEach, expect, it } from 'vitest'
import { createDevKernel, createKernel, type Kernel, keySeal, memoryStorage } from '../../../src/index.ts'
import { type Logger, logTo } from '../../../src/log.ts'

type Line = readonly [level: string, data: Readonly<Record<string, unknown>>, message: string]

const kernels: Kernel[] = []
afterEach(async () => {
  for (const kernel of kernels.splice(0)) await kernel.close()
})

function recorder(): { readonly lines: Line[]; readonly logger: Logger } {
  const lines: Line[] = []
  const note = (level: string) => (data: object, message: string) => void lines.push([level, { ...data }, message])
  return { lines, logger: { info: note('info'), warn: note('warn'), error: note('error') } }
}

async function open(options: Parameters<typeof createDevKernel>[0]): Promise<Kernel> {
  const kernel = await createDevKernel(options)
  kernels.push(kernel)
  return kernel
}

/** Events are delivered after the call that caused them. */
const delivered = () => new Promise((resolve) => setImmediate(resolve))

it('a kernel with the option logger logs its state, rotations, mounts and sealing as info', async () => {
  const { lines, logger } = recorder()
  const kernel = await open({ logger })
  await kernel.transit.createKey({ name: 'orders' })
  await kernel.transit.rotateKey({ name: 'orders' })
  await kernel.mounts.createMount({ path: 'other', type: 'kv' })
  await kernel.seal.seal()
  await delivered()
  expect(lines.map(([level, , message]) => [level, message])).toEqual([
    ['info', 'strongroom: the kernel is open'],
    ['info', 'strongroom: key.rotated'],
    ['info', 'strongroom: mount.enabled'],
    ['info', 'strongroom: kernel.sealed'],
  ])
  expect(lines[1]?.[1]).toMatchObject({ type: 'key.rotated', name: 'orders', version: 2, mount: 'transit/' })
})

it('a failing audit sink is logged as error', async () => {
  const { lines, logger } = recorder()
  let works = true
  const broken = async () => {
    if (!works) throw new Error('full')
  }
  const kernel = await open({ logger, ports: { audit: { sinks: { good: async () => {}, broken } } } })
  works = false
  await kernel.kv.writeSecret({ path: 'hidden', data: { hidden: 'hidden' } })
  await delivered()
  expect(lines).toContainEqual([
    'error',
    expect.objectContaining({ type: 'audit.failed', sink: 'broken' }),
    'strongroom: audit.failed',
  ])
  expect(JSON.stringify(lines)).not.toContain('hidden')
})

it('a kernel without the option logger writes nothing to the console', async () => {
  const written: unknown[] = []
  const methods = ['log', 'info', 'warn', 'error', 'debug'] as const
  const before = methods.map((name) => console[name])
  for (const name of methods) console[name] = (...values: unknown[]) => void written.push(values)
  try {
    const kernel = await open({ logger: undefined as never })
    await kernel.seal.seal()
    await delivered()
  } finally {
    for (const [at, name] of methods.entries()) console[name] = before[at] as never
  }
  expect(written).toEqual([])
})

it('logTo stops when the returned function is called', async () => {
  const { lines, logger } = recorder()
  const kernel = await open({})
  const stop = logTo(kernel, logger)
  stop()
  await kernel.seal.seal()
  await delivered()
  expect(lines.map(([, , message]) => message)).toEqual(['strongroom: the kernel is open'])
})

it('errors of the logger do not affect the kernel', async () => {
  const fail = () => {
    throw new Error('the disk is full')
  }
  const kernel = await open({ logger: { info: fail, warn: fail, error: fail } })
  await kernel.transit.createKey({ name: 'k' })
  await kernel.transit.rotateKey({ name: 'k' })
  await delivered()
  expect((await kernel.transit.readKey({ name: 'k' })).latest_version).toBe(2)
})

it('a logger without its methods is refused before the store is opened', async () => {
  const storage = memoryStorage()
  const seal = keySeal(new Uint8Array(32))
  for (const logger of [{}, { info() {}, warn() {} }, null, 'console'])
    await expect(createKernel({ storage, seal, initialize: true, logger: logger as never })).rejects.toThrow(
      'logger: has no method',
    )
  expect(await storage.list('')).toEqual([])
})
