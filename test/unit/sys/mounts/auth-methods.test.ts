/** Auth methods as mounts, tested with a minimal auth engine. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { composeKernel } from '../../../../src/compose-kernel.ts'
import type { Engine } from '../../../../src/core/contract/engine.ts'
import { operation } from '../../../../src/core/contract/operation.ts'
import { f } from '../../../../src/core/field/fields.ts'
import { keySeal, memoryStorage } from '../../../../src/index.ts'
import type { Kernel } from '../../../../src/kernel.ts'
import { ENGINES, FRESH_MOUNTS, SYSTEM } from '../../../fixtures/all-engines.ts'
import { bytesOf, refusalOf } from '../../../property/support.ts'
import { asker } from './support.ts'

const hello = operation({
  kind: 'read',
  verb: 'GET',
  path: '/hello',
  summary: 'Says hello.',
  fields: {},
  returns: { hello: f.text('To whom.') },
  run: (tx) => ({ hello: tx.call.mount.path }),
})
const METHOD: Engine = { type: 'orchestrator', aliases: ['kubernetes'], mounts: 'auth', operations: { hello }, due: {} }

let kernel: Kernel
let ask: ReturnType<typeof asker>

beforeAll(async () => {
  const options = { storage: memoryStorage({ maxOps: 128 }), seal: keySeal(bytesOf(32, 5)), initialize: true }
  ;({ kernel } = await composeKernel(options, [...ENGINES, METHOD], SYSTEM, FRESH_MOUNTS))
  ask = asker(kernel)
})
afterAll(() => kernel.close())

describe('an auth method', () => {
  it('can be enabled under the alias of its type, then tuned, moved and disabled', async () => {
    const config = { token_type: 'batch', default_lease_ttl: '1h', listing_visibility: 'unauth' }
    expect(await ask('POST', 'sys/auth/team/k8s', { type: 'kubernetes', description: 'pods', config })).toMatchObject({
      status: 204,
    })
    const { data } = await ask('GET', 'sys/auth/team/k8s')
    expect(data).toMatchObject({
      type: 'kubernetes',
      description: 'pods',
      accessor: expect.stringMatching(/^auth_kubernetes_[0-9a-f]{8}$/),
      config: { token_type: 'batch', default_lease_ttl: 3600, listing_visibility: 'unauth' },
      options: {},
    })
    expect((await ask('GET', 'auth/team/k8s/hello')).data).toEqual({ hello: 'auth/team/k8s/' })
    expect(await ask('POST', 'sys/auth/team/k8s/tune', { token_type: 'service' })).toMatchObject({ status: 204 })
    expect(await ask('POST', 'sys/mounts/auth/team/k8s/tune', { description: 'tuned' })).toMatchObject({ status: 204 })
    for (const path of ['sys/auth/team/k8s/tune', 'sys/mounts/auth/team/k8s/tune'])
      expect((await ask('GET', path)).data).toMatchObject({
        token_type: 'service',
        description: 'tuned',
        default_lease_ttl: 3600,
      })
    expect(await ask('POST', 'sys/remount', { from: '/auth/team/k8s/', to: 'auth/pods' })).toMatchObject({ status: 200 })
    expect((await ask('GET', 'auth/pods/hello')).data).toEqual({ hello: 'auth/pods/' })
    expect((await ask('GET', 'sys/auth/pods')).data).toMatchObject({ accessor: data?.['accessor'], uuid: data?.['uuid'] })
    expect(await ask('GET', 'auth/team/k8s/hello')).toMatchObject({ status: 404 })
    expect(await ask('DELETE', 'sys/auth/pods/tune')).toMatchObject({ status: 405 })
    for (let twice = 0; twice < 2; twice++) expect(await ask('DELETE', 'sys/auth/pods')).toMatchObject({ status: 204 })
    expect(await ask('GET', 'auth/pods/hello')).toMatchObject({ status: 404 })
    expect(await ask('GET', 'sys/auth/pods')).toMatchObject({ status: 400 })
  })

  it('has the token type default-service if none is given', async () => {
    await kernel.mounts.createAuthMethod({ path: 'plain', type: 'orchestrator', config: { token_type: '' } })
    expect((await kernel.mounts.readAuthMethod({ path: 'plain' })).config.token_type).toBe('default-service')
    expect(await ask('POST', 'sys/auth/plain/tune', { token_type: 'golden' })).toMatchObject({ status: 400 })
    await kernel.mounts.deleteAuthMethod({ path: 'plain' })
  })

  it('must not overlap with the path of another auth method, but may have the path of a secrets engine', async () => {
    await kernel.mounts.createAuthMethod({ path: 'a/b', type: 'orchestrator' })
    for (const path of ['a', 'a/b', 'a/b/c', 'token', 'token/x', 'x.', 'x*'])
      expect((await refusalOf(kernel.mounts.createAuthMethod({ path, type: 'orchestrator' }))).status).toBe(
        path === 'x.' ? 404 : 400,
      )
    for (const path of ['secret', 'sys', 'a/c']) {
      await kernel.mounts.createAuthMethod({ path, type: 'orchestrator' })
      await kernel.mounts.deleteAuthMethod({ path })
    }
    await kernel.mounts.deleteAuthMethod({ path: 'a/b' })
  })

  it('cannot be removed through sys/mounts, or moved to a path outside auth/', async () => {
    await kernel.mounts.createAuthMethod({ path: 'guarded', type: 'orchestrator' })
    expect(await ask('DELETE', 'sys/mounts/auth/guarded')).toMatchObject({ status: 204 })
    expect(await ask('GET', 'auth/guarded/hello')).toMatchObject({ status: 200 })
    expect(await ask('POST', 'sys/mounts/guarded', { type: 'orchestrator' })).toMatchObject({ status: 400 })
    for (const to of ['guarded', 'auth', 'auth/', 'auth/token', 'auth/guarded', 'auth/guarded/x', 'auth/x.'])
      expect((await ask('POST', 'sys/remount', { from: 'auth/guarded', to })).status).toBe(to === 'auth/x.' ? 404 : 400)
    await kernel.mounts.deleteAuthMethod({ path: 'guarded' })
  })
})
