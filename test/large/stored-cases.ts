/**
 * Secrets with very many members, and very many tokens, secrets and policies. All of them can be written, read, listed, changed, wrapped
 * and revoked, by path and by typed calls. The quick tier checks the answers. A measured file also checks how long a request blocks the
 * process.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { encodeAnswer } from '../../src/adapters/http/encode-answer.ts'
import { BudgetShare, MemoryBudget } from '../../src/adapters/http/memory-budget.ts'
import { createDevKernel, type Kernel } from '../../src/index.ts'
import type { Watch } from './stretch.ts'

export interface StoredSizes {
  /** The number of members of a secret. */
  readonly members: number
  /** The number of tokens, and of secrets in a folder. There are a quarter as many policies. */
  readonly things: number
  /** Whether the secret at this index of the list is tested. */
  readonly tries: (index: number) => boolean
}

export function describeStored({ members, things, tries }: StoredSizes, watch: Watch): void {
  let kernel: Kernel
  beforeAll(async () => {
    kernel = await createDevKernel({ ports: { audit: { sinks: { main: () => {} } } } })
    await kernel.mounts.createMount({ path: 'kv2/', type: 'kv', options: { version: '2' } })
  })
  afterAll(() => kernel.close())

  interface More {
    readonly body?: Uint8Array
    readonly headers?: Readonly<Record<string, string>>
  }

  const PATCH = { 'Content-Type': 'application/merge-patch+json' }
  const WRAP = { 'X-Service-Wrap-TTL': '60' }

  /** Returns the answer encoded as over HTTP. */
  async function ask(method: string, path: string, { body, headers = {} }: More = {}) {
    const token = { 'X-Service-Token': kernel.rootToken as string }
    const answer = await kernel.handle({ method, path: `/v1/${path}`, headers: { ...token, ...headers }, body })
    return {
      status: answer.status,
      bytes: (await encodeAnswer(answer, method, new BudgetShare(new MemoryBudget(Number.MAX_SAFE_INTEGER)))).bytes,
      answer,
    }
  }

  const gives = (status: number, attempt: () => ReturnType<typeof ask>): Promise<void> =>
    watch(async () => expect((await attempt()).status).toBe(status))

  const many = (count: number, member: (i: number) => string): string =>
    `{${Array.from({ length: count }, (_, i) => `"member ${i}":${member(i)}`).join(',')}}`

  const SECRETS: Readonly<Record<string, () => string>> = {
    'many integer members': () => many(members, (i) => `${i}`),
    'many string members': () => many(members, (i) => `"text ${i}"`),
    'many object members': () => many(members / 4, (i) => `{"a":${i},"b":[${i},null],"c":{}}`),
    'a long list': () => `{"list":[${Array.from({ length: members * 2 }, (_, i) => i).join(',')}]}`,
    'a long string': () => JSON.stringify({ text: 'täxt'.repeat(members * 4) }),
    'many exact integers': () => many(members / 2, (i) => `${10n ** 20n + BigInt(i)}`),
  }

  describe.each(Object.entries(SECRETS).filter((_, index) => tries(index)))('a secret with %s', (_, make) => {
    let text: string
    beforeAll(() => {
      text = make()
    })

    it('kv version 1 writes, reads, wraps and unwraps the secret', async () => {
      const body = Buffer.from(text)
      await gives(204, () => ask('POST', 'secret/large', { body }))
      await gives(200, () => ask('GET', 'secret/large'))
      const read = await ask('GET', 'secret/large')
      expect(Buffer.from(read.bytes as Uint8Array).includes(text)).toBe(true)
      await gives(200, () => ask('GET', 'secret/large', { headers: WRAP }))
      await gives(200, async () => {
        const { answer } = await ask('GET', 'secret/large', { headers: WRAP })
        const { token } = (answer.body as { wrap_info: { token: string } }).wrap_info
        const again = await ask('POST', 'sys/wrapping/rewrap', { body: Buffer.from(JSON.stringify({ token })) })
        const { wrap_info } = again.answer.body as { wrap_info: { token: string } }
        return ask('POST', 'sys/wrapping/unwrap', { body: Buffer.from(JSON.stringify({ token: wrap_info.token })) })
      })
      await gives(200, () => ask('POST', 'sys/wrapping/wrap', { body, headers: WRAP }))
      await gives(204, () => ask('POST', 'cubbyhole/large', { body }))
      await gives(200, () => ask('GET', 'cubbyhole/large'))
    })

    it('kv version 2 writes, reads and patches the secret and reads its subkeys', async () => {
      const body = Buffer.from(`{"data":${text}}`)
      await gives(200, () => ask('POST', 'kv2/data/large', { body }))
      await gives(200, () => ask('GET', 'kv2/data/large'))
      await gives(200, () => ask('GET', 'kv2/subkeys/large'))
      await gives(200, () => ask('PATCH', 'kv2/data/large', { body: Buffer.from('{"data":{"one":1}}'), headers: PATCH }))
      await gives(200, () => ask('PATCH', 'kv2/data/large', { body, headers: PATCH }))
    })

    it('typed calls write, read and patch the secret', async () => {
      const { data } = await kernel.kv2.at('kv2/').readSecret({ path: 'large' })
      await watch(() => kernel.kv.writeSecret({ path: 'typed', data }))
      await watch(() => kernel.kv.readSecret({ path: 'typed' }))
      await watch(() => kernel.kv2.at('kv2/').patchSecret({ path: 'large', data }))
      await watch(() => kernel.wrapping.wrap({ data, ttl: 60 }))
    })
  })

  describe('a large number of records', () => {
    it('of tokens is listed and revoked by prefix', async () => {
      const headers = { 'X-Service-Token': kernel.rootToken as string }
      for (let i = 0; i < things; i++)
        await kernel.handle({
          method: 'POST',
          path: '/v1/auth/token/create',
          headers,
          body: { ttl: '1h', policies: ['default'] },
        })
      await gives(200, () => ask('LIST', 'auth/token/accessors'))
      await gives(200, () => ask('LIST', 'sys/leases/lookup/auth/token/create'))
      await gives(204, () => ask('POST', 'sys/leases/revoke-prefix/auth/token/create', { body: Buffer.from('{"sync":true}') }))
    })

    it('of secrets and policies is listed', async () => {
      for (let i = 0; i < things; i++) {
        await kernel.kv.writeSecret({ path: `many/${i}`, data: { i } })
        await kernel.kv2.at('kv2/').writeSecret({ path: `many/${i}`, data: { i } })
        if (i < things / 4) await kernel.policies.writePolicy({ name: `p${i}`, policy: 'path "a" { capabilities = ["read"] }' })
      }
      await gives(200, () => ask('LIST', 'secret/many'))
      await gives(200, () => ask('LIST', 'kv2/metadata/many'))
      await gives(200, () => ask('LIST', 'kv2/detailed-metadata/many'))
      await gives(200, () => ask('LIST', 'sys/policies/acl'))
    })
  })
}
