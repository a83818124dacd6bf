/** A token reaches only tokens of its own namespace and of namespaces below it, in both views. */
import { describe, expect, it } from 'vitest'
import { createDevKernel, type Kernel } from '../../../../src/index.ts'
import { ask, lookSelf, MAKER, tokenFor } from './support.ts'

interface World {
  readonly kernel: Kernel
  /** A token of the namespace `a/` with all permissions on tokens. */
  readonly inner: string
  readonly innerAccessor: string
  /** A token of the root namespace. */
  readonly outer: string
  readonly outerAccessor: string
  /** A token of the namespace `b/`. */
  readonly sibling: string
}

const ALL = 'path "auth/token/*" { capabilities = ["create", "read", "update", "delete", "list", "sudo"] }'

async function world(): Promise<World> {
  const kernel = await createDevKernel()
  for (const name of ['a', 'b']) await kernel.namespaces.createNamespace({ name })
  await kernel.namespace('a').policies.writePolicy({ name: 'all', policy: ALL })
  await kernel.policies.writePolicy({ name: 'maker', policy: MAKER })
  const inner = await kernel.namespace('a').tokens.createToken({ policies: ['all'] })
  const outer = await kernel.tokens.createToken({ policies: ['maker'] })
  const siblingToken = await kernel.namespace('b').tokens.createToken({ policies: ['default'] })
  return {
    kernel,
    inner: inner.client_token,
    innerAccessor: inner.accessor,
    outer: outer.client_token,
    outerAccessor: outer.accessor,
    sibling: siblingToken.client_token,
  }
}

const NAMED = ['lookup', 'renew', 'revoke', 'revoke-orphan'] as const
const TYPED = { lookup: 'lookupToken', renew: 'renewToken', revoke: 'revokeToken', 'revoke-orphan': 'revokeOrphan' } as const

describe('a token of a child namespace', () => {
  it.each(NAMED)('cannot %s a token of the root or a sibling namespace in a call by path', async (name) => {
    const { kernel, inner, outer, sibling } = await world()
    for (const token of [outer, kernel.rootToken, sibling])
      for (const namespace of ['a', ''])
        expect((await ask(kernel, 'POST', `auth/token/${name}`, { token }, { token: inner, namespace })).status).toBe(403)
    for (const token of [outer, kernel.rootToken as string, sibling]) expect(await lookSelf(kernel, token)).toBe(200)
    await kernel.close()
  })

  it.each(NAMED)('cannot %s a token of the root or a sibling namespace in a typed call', async (name) => {
    const { kernel, inner, outer, sibling } = await world()
    for (const token of [outer, kernel.rootToken as string, sibling]) {
      await expect(kernel.as(inner).tokens[TYPED[name]]({ token })).rejects.toMatchObject({ status: 403 })
      await expect(kernel.namespace('a').as(inner).tokens[TYPED[name]]({ token })).rejects.toMatchObject({ status: 403 })
      expect(await lookSelf(kernel, token)).toBe(200)
    }
    await kernel.close()
  })

  it('cannot use the accessor of a token of the root namespace', async () => {
    const { kernel, inner, outer, outerAccessor: accessor } = await world()
    const how = { token: inner, namespace: 'a' }
    expect((await ask(kernel, 'POST', 'auth/token/lookup-accessor', { accessor }, how)).status).toBe(400)
    expect((await ask(kernel, 'POST', 'auth/token/renew-accessor', { accessor }, how)).status).toBe(400)
    expect((await ask(kernel, 'POST', 'auth/token/revoke-accessor', { accessor }, how)).body.warnings).toHaveLength(1)
    expect(await lookSelf(kernel, outer)).toBe(200)
    await kernel.close()
  })

  it('lists the accessors of its own namespace only', async () => {
    const { kernel, inner, innerAccessor } = await world()
    const { body } = await ask(kernel, 'LIST', 'auth/token/accessors', undefined, { token: inner, namespace: 'a' })
    expect(body.data.keys).toEqual([innerAccessor])
    await kernel.close()
  })

  it('can look itself up in every namespace, by path and in typed calls', async () => {
    const { kernel, inner } = await world()
    for (const namespace of ['', 'a', 'b']) {
      const { body } = await ask(kernel, 'GET', 'auth/token/lookup-self', undefined, { token: inner, namespace })
      expect(body.data).toMatchObject({ id: inner, namespace_path: 'a/' })
    }
    expect(await kernel.namespace('b').as(inner).tokens.lookupSelf()).toMatchObject({ namespace_path: 'a/' })
    await kernel.close()
  })
})

describe('a token of the root namespace', () => {
  it('can look up tokens of child and root namespaces from every namespace', async () => {
    const { kernel, inner, outer } = await world()
    for (const namespace of ['', 'a', 'b']) {
      for (const token of [inner, outer]) {
        expect((await ask(kernel, 'POST', 'auth/token/lookup', { token }, { namespace })).status).toBe(200)
      }
    }
    expect(await kernel.tokens.lookupToken({ token: inner })).toMatchObject({ namespace_path: 'a/' })
    await kernel.namespace('b').tokens.revokeToken({ token: inner })
    expect(await lookSelf(kernel, inner)).toBe(403)
    await kernel.close()
  })

  it('can create child tokens in a child namespace, which are revoked with it', async () => {
    const { kernel } = await world()
    const parent = await tokenFor(kernel, { policies: ['root'], ttl: '1h' })
    const child = await tokenFor(kernel, { policies: ['default'] }, { token: parent, namespace: 'a' })
    expect(child).toMatch(/^s\.[0-9A-Za-z]{24}\.[0-9A-Za-z]{6}$/)
    expect(await lookSelf(kernel, child)).toBe(200)
    await kernel.tokens.revokeToken({ token: parent })
    expect(await lookSelf(kernel, child)).toBe(403)
    await kernel.close()
  })

  it('needs sudo to create tokens in a child namespace', async () => {
    const { kernel } = await world()
    await kernel.policies.writePolicy({ name: 'below', policy: 'path "a/auth/token/create" { capabilities = ["update"] }' })
    const { client_token: token } = await kernel.tokens.createToken({ policies: ['below'] })
    const how = { token, namespace: 'a' }
    expect((await ask(kernel, 'POST', 'auth/token/create', { policies: ['default'] }, how)).status).toBe(400)
    await kernel.close()
  })
})
