/** The code of `kernel.configsvc` is loaded at the first call, which behaves like all later calls. */
import { expect, it } from 'vitest'
import { METHOD_NAMES } from '../../src/configsvc/method-names.ts'
import { FACADES, SERVICE_METHODS } from '../../src/configsvc/operations.ts'
import { createDevKernel, type Kernel } from '../../src/index.ts'

const OPEN = { configsvc: { acl: { enabled: false } } }

const methodsOf = (operations: object): string[] =>
  [...Object.keys(operations), ...(Object.values(operations).some(({ table }) => table) ? ['watch'] : [])].sort()

it('kernel.configsvc has all methods before the first call', async () => {
  await using kernel = await createDevKernel()
  const groups = Object.fromEntries(Object.entries(FACADES).map(([group, operations]) => [group, methodsOf(operations)]))
  const { configsvc } = kernel
  const shown = Object.keys(FACADES).map((group) => [group, Object.keys(configsvc[group as keyof typeof FACADES]).sort()])
  expect(Object.fromEntries(shown)).toEqual(groups)
  expect(Object.fromEntries(Object.entries(METHOD_NAMES).map(([group, names]) => [group, [...names].sort()]))).toEqual(groups)
  for (const name of Object.keys(SERVICE_METHODS)) expect(configsvc[name as 'login']).toBeInstanceOf(Function)
})

it('the first typed call uses its arguments as they were at the time of the call', async () => {
  await using kernel = await createDevKernel(OPEN)
  const { entries } = kernel.configsvc
  const entry = { Kind: 'proxy-defaults' as const, Name: 'global', Config: { protocol: 'http', deep: { list: [1] } } }
  const applied = entries.apply(entry)
  entry.Config.deep.list.push(2)
  await applied
  expect(await entries.get({ Kind: 'proxy-defaults', Name: 'global' })).toMatchObject({ Config: { deep: { list: [1] } } })
})

it.each(['bytes', 'value'])('the first request uses its body as it was at the time of the call: %s', async (form) => {
  await using kernel = await createDevKernel(OPEN)
  const value = { Name: 'early' }
  const body = form === 'bytes' ? new TextEncoder().encode(JSON.stringify(value)) : value
  const response = kernel.configsvc.handle({ method: 'PUT', path: '/v1/acl/policy', body })
  if (body instanceof Uint8Array) body.fill(32)
  else body.Name = 'late'
  expect(await response).toMatchObject({ status: 200, body: { Name: 'early' } })
})

it('concurrent first calls all succeed, on the service and on views of a token', async () => {
  await using kernel = await createDevKernel(OPEN)
  const { configsvc } = kernel
  const reads = [configsvc.policies.list(), configsvc.as('').policies.list(), configsvc.as('').policies.list()]
  const handled = configsvc.handle({ method: 'GET', path: '/v1/acl/policies' })
  const [first, ...others] = await Promise.all(reads)
  for (const other of others) expect(other).toEqual(first)
  expect(await handled).toMatchObject({ status: 200 })
})

it('a first watch yields the current result', async () => {
  await using kernel = await createDevKernel()
  for await (const policies of kernel.configsvc.policies.watch('list')) {
    expect(policies).toHaveLength(2)
    break
  }
})

it('a first watch with an aborted signal ends without a result', async () => {
  await using kernel = await createDevKernel()
  const results: unknown[] = []
  for await (const result of kernel.configsvc.policies.watch('list', {}, { signal: AbortSignal.abort() })) results.push(result)
  expect(results).toEqual([])
})

const INVALID: readonly (readonly [string, (kernel: Kernel) => Promise<unknown>, RegExp])[] = [
  [
    'arguments that are no object',
    ({ configsvc }) => configsvc.policies.create(7 as never),
    /must be an object of named arguments/,
  ],
  ['an unknown argument', ({ configsvc }) => configsvc.policies.create({ Nmae: 'x' } as never), /Nmae/],
  ['a function as an argument', ({ configsvc }) => configsvc.policies.create({ Name: () => 'x' } as never), /Name/],
]
it.each(INVALID)('a first call with %s is rejected like a later one', async (_what, call, message) => {
  await using kernel = await createDevKernel()
  const first = await call(kernel).catch((error: unknown) => error)
  expect(first).toBeInstanceOf(Error)
  expect((first as Error).message).toMatch(message)
  await expect(call(kernel)).rejects.toEqual(first)
})

const throwing = () => ({
  get body() {
    throw new Error('no')
  },
  method: 'GET',
  path: '/v1/acl/policies',
})
const HOSTILE: readonly (readonly [string, unknown])[] = [
  ['null', null],
  ['a number', 7],
  ['an empty object', {}],
  ['an object with a getter that throws', throwing()],
]
it.each(HOSTILE)('the first request never rejects: %s', async (_what, request) => {
  await using kernel = await createDevKernel()
  const first = await kernel.configsvc.handle(request as never)
  expect(await kernel.configsvc.handle(request as never)).toEqual(first)
})
