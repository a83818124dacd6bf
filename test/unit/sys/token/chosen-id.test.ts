/** A chosen token id can be used again after its token has ended, and the new token inherits nothing from the former one. */
import { expect, it } from 'vitest'
import { createDevKernel, type Kernel } from '../../../../src/index.ts'
import { movingClock } from '../../../fixtures/moving-clock.ts'
import { ask } from './support.ts'

const make = (kernel: Kernel, body: object = {}) =>
  ask(kernel, 'POST', 'auth/token/create', { id: 'chosen', policies: ['default'], ...body })

const lookSelf = async (kernel: Kernel, token: string) =>
  (await ask(kernel, 'GET', 'auth/token/lookup-self', undefined, { token })).body.data

type End = readonly [
  how: string,
  make: object,
  end: (kernel: Kernel, accessor: string, wait: (seconds: number) => void) => Promise<unknown>,
]

const ENDS: readonly End[] = [
  ['revoked', {}, (kernel) => ask(kernel, 'POST', 'auth/token/revoke', { token: 'chosen' })],
  ['revoked by itself', {}, (kernel) => ask(kernel, 'POST', 'auth/token/revoke-self', {}, { token: 'chosen' })],
  ['revoked by its accessor', {}, (kernel, accessor) => ask(kernel, 'POST', 'auth/token/revoke-accessor', { accessor })],
  ['revoked without its children', {}, (kernel) => ask(kernel, 'POST', 'auth/token/revoke-orphan', { token: 'chosen' })],
  ['revoked by its prefix', {}, (kernel) => ask(kernel, 'POST', 'sys/leases/revoke-prefix/auth/token/create', {})],
  ['expired', { ttl: '1m' }, async (_, __, wait) => wait(61)],
  ['used up', { num_uses: 1 }, (kernel) => ask(kernel, 'GET', 'auth/token/lookup-self', undefined, { token: 'chosen' })],
]

it.each(ENDS)('a chosen token id can be used again once its token is %s, before and after the purge', async (_, body, end) => {
  const clock = movingClock()
  await using kernel = await createDevKernel({ clock })
  const wait = (seconds: number) => void clock.advance(seconds * 1000)
  let former = ''
  for (const ticks of [false, true, false]) {
    const { status, body: made } = await make(kernel, body)
    expect(status).toBe(200)
    expect(made.auth.client_token).toBe('chosen')
    expect(made.auth.accessor).not.toBe(former)
    former = made.auth.accessor
    expect((await make(kernel)).status).toBe(400)
    await end(kernel, former, wait)
    expect((await ask(kernel, 'GET', 'auth/token/lookup-self', undefined, { token: 'chosen' })).status).toBe(403)
    if (ticks) await kernel.tick()
  }
  expect((await make(kernel)).status).toBe(200)
  // The pending purge of the former tokens must not delete the new token.
  await kernel.tick()
  expect((await lookSelf(kernel, 'chosen')).accessor).not.toBe(former)
  expect((await make(kernel)).status).toBe(400)
})

it('a token with a reused id does not make child tokens or the cubbyhole of the former token valid again', async () => {
  await using kernel = await createDevKernel()
  await kernel.policies.writePolicy({
    name: 'making',
    policy:
      'path "auth/token/create" { capabilities = ["update"] }\npath "cubbyhole/*" { capabilities = ["create", "read", "update"] }',
  })
  await make(kernel, { policies: ['making', 'default'] })
  const child = (await ask(kernel, 'POST', 'auth/token/create', {}, { token: 'chosen' })).body.auth.client_token
  const batch = (await ask(kernel, 'POST', 'auth/token/create', { type: 'batch' }, { token: 'chosen' })).body.auth.client_token
  await ask(kernel, 'POST', 'cubbyhole/a', { secret: 1 }, { token: 'chosen' })
  await ask(kernel, 'POST', 'auth/token/revoke', { token: 'chosen' })
  const dead = async () => {
    for (const token of [child, batch])
      expect((await ask(kernel, 'GET', 'auth/token/lookup-self', undefined, { token })).status).toBe(403)
    expect((await ask(kernel, 'GET', 'cubbyhole/a', undefined, { token: 'chosen' })).status).not.toBe(200)
  }
  await dead()
  expect((await make(kernel, { policies: ['making', 'default'] })).status).toBe(200)
  await dead()
  const own = (await ask(kernel, 'POST', 'auth/token/create', {}, { token: 'chosen' })).body.auth.client_token
  await kernel.tick()
  await dead()
  expect((await lookSelf(kernel, own)).orphan).toBe(false)
})

it('a chosen token id is reused by exactly one of several concurrent calls', async () => {
  await using kernel = await createDevKernel()
  await make(kernel)
  await ask(kernel, 'POST', 'auth/token/revoke', { token: 'chosen' })
  const answers = await Promise.all(Array.from({ length: 8 }, () => make(kernel)))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400, 400, 400, 400])
})
