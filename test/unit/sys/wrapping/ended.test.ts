/** A wrapping token that has ended for any reason gets the same 400 as an unknown one. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createDevKernel, type Kernel } from '../../../../src/index.ts'
import { movingClock } from '../../../fixtures/moving-clock.ts'
import { ask } from '../token/support.ts'

let kernel: Kernel
const clock = movingClock()
beforeAll(async () => {
  kernel = await createDevKernel({ clock })
})
afterAll(() => kernel.close())

interface Wrapped {
  readonly token: string
  readonly accessor: string
}

async function wrapped(path: string, namespace = ''): Promise<Wrapped> {
  const answer = await kernel.handle({
    method: 'GET',
    path: `/v1/${namespace}${path}`,
    headers: { 'X-Service-Token': kernel.rootToken, 'X-Service-Wrap-TTL': '60' },
  })
  return (answer.body as { wrap_info: Wrapped }).wrap_info
}

type End = readonly [how: string, end: (wrapped: Wrapped) => Promise<unknown> | undefined]

const ENDS: readonly End[] = [
  ['the mount was disabled', () => ask(kernel, 'DELETE', 'sys/mounts/kv')],
  ['the mount was moved', () => ask(kernel, 'POST', 'sys/remount', { from: 'kv', to: 'kv-moved' })],
  ['everything below the path was revoked', () => ask(kernel, 'POST', 'sys/leases/revoke-prefix/kv/a', {})],
  ['it was revoked', ({ token }) => ask(kernel, 'POST', 'auth/token/revoke', { token })],
  ['it was revoked by its accessor', ({ accessor }) => ask(kernel, 'POST', 'auth/token/revoke-accessor', { accessor })],
  ['it was unwrapped', ({ token }) => ask(kernel, 'POST', 'sys/wrapping/unwrap', {}, { token })],
  ['its TTL has expired', () => void clock.advance(61_000)],
]

it.each(ENDS)('a wrapping token is refused like an unknown one after %s', async (_, end) => {
  await ask(kernel, 'POST', 'sys/mounts/kv', { type: 'kv' })
  await ask(kernel, 'POST', 'kv/a', { v: 1 })
  const info = await wrapped('kv/a')
  const { token } = info
  await end(info)
  const never = await ask(kernel, 'POST', 'sys/wrapping/unwrap', { token: `s.${'x'.repeat(24)}` })
  expect(never.status).toBe(400)
  expect(await ask(kernel, 'POST', 'sys/wrapping/unwrap', {}, { token })).toEqual(never)
  for (const way of ['unwrap', 'rewrap', 'lookup'])
    expect([way, await ask(kernel, 'POST', `sys/wrapping/${way}`, { token })]).toEqual([way, never])
  for (const way of ['unwrap', 'rewrap', 'lookupWrapping'] as const)
    await expect(kernel.wrapping[way]({ token })).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
})

it('a wrapping token is refused like an unknown one after its namespace was deleted', async () => {
  await kernel.namespaces.createNamespace({ name: 'ns' })
  const { token } = await wrapped('sys/policies/acl/default', 'ns/')
  await kernel.namespaces.deleteNamespace({ name: 'ns' })
  expect((await ask(kernel, 'POST', 'sys/wrapping/unwrap', { token })).status).toBe(400)
  expect((await ask(kernel, 'POST', 'sys/wrapping/unwrap', {}, { token })).status).toBe(400)
})
