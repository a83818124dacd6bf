/**
 * What is stored is large: secrets of very many members, and very many of a kind. All of it can be written, read, listed, changed, wrapped
 * and ended, in both views, and nobody else waits long meanwhile. Timed by the processor, so the best of a few tries counts.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { write } from '../../src/adapters/http/written.ts'
import { createDevKernel, type Kernel } from '../../src/index.ts'
import { MEASURED } from '../fixtures/measured.ts'
import { LONGEST_STRETCH_MS } from '../fixtures/slowness.ts'
import { longestStretch } from './stretch.ts'

const SLOW = Boolean(process.env['SLOW'])
/** Of a secret. */
const MEMBERS = SLOW ? 600_000 : 50_000
/** Tokens, secrets, policies. */
const THINGS = SLOW ? 20_000 : 2_000

let kernel: Kernel
beforeAll(async () => {
  kernel = await createDevKernel({ ports: { audit: { sinks: { main: () => {} } } } })
  await kernel.mounts.createMount({ path: 'kv2/', type: 'kv', options: { version: '2' } })
}, 600_000)
afterAll(() => kernel.close())

interface More {
  readonly body?: Uint8Array
  readonly headers?: Readonly<Record<string, string>>
}

const PATCH = { 'Content-Type': 'application/merge-patch+json' }
const WRAP = { 'X-Service-Wrap-TTL': '60' }

/** The answer, as a caller over HTTP has it, and the longest time that nothing else could run. */
async function ask(method: string, path: string, { body, headers = {} }: More = {}) {
  const token = { 'X-Service-Token': kernel.rootToken as string }
  const { result, worst } = await longestStretch(async () => {
    const answer = await kernel.handle({ method, path: `/v1/${path}`, headers: { ...token, ...headers }, body })
    return { status: answer.status, bytes: (await write(answer, method)).bytes, answer }
  })
  return { ...result, worst }
}

/** The least of three tries. */
async function best(attempt: () => Promise<{ readonly worst: number }>): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let tries = 0; tries < 6 && least > LONGEST_STRETCH_MS; tries++) least = Math.min(least, (await attempt()).worst)
  return least
}

const gives = async (status: number, attempt: () => ReturnType<typeof ask>): Promise<void> => {
  const least = await best(async () => {
    const made = await attempt()
    expect(made.status).toBe(status)
    return made
  })
  expect(least).toBeLessThan(LONGEST_STRETCH_MS)
}

const many = (count: number, member: (i: number) => string): string =>
  `{${Array.from({ length: count }, (_, i) => `"member ${i}":${member(i)}`).join(',')}}`

const SECRETS: Readonly<Record<string, () => string>> = {
  'many members': () => many(MEMBERS, (i) => `${i}`),
  'many texts': () => many(MEMBERS, (i) => `"text ${i}"`),
  'many objects': () => many(MEMBERS / 4, (i) => `{"a":${i},"b":[${i},null],"c":{}}`),
  'a long list': () => `{"list":[${Array.from({ length: MEMBERS * 2 }, (_, i) => i).join(',')}]}`,
  'a long text': () => JSON.stringify({ text: 'täxt'.repeat(MEMBERS * 4) }),
  'exact integers': () => many(MEMBERS / 2, (i) => `${10n ** 20n + BigInt(i)}`),
}

/** The quick part has one of each kind: names, values, and a single text. */
const TRIED = SLOW
  ? Object.entries(SECRETS)
  : Object.entries(SECRETS).filter((_, index) => index === 0 || index === 2 || index === 4)

describe.each(TRIED)('a secret of %s', MEASURED, (_, make) => {
  let text: string
  beforeAll(() => {
    text = make()
  })

  it('of version 1 is written, read, wrapped and opened', { timeout: 600_000 }, async () => {
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
      const opened = await ask('POST', 'sys/wrapping/unwrap', { body: Buffer.from(JSON.stringify({ token: wrap_info.token })) })
      return { ...opened, worst: Math.max(again.worst, opened.worst) }
    })
    await gives(200, () => ask('POST', 'sys/wrapping/wrap', { body, headers: WRAP }))
    await gives(204, () => ask('POST', 'cubbyhole/large', { body }))
    await gives(200, () => ask('GET', 'cubbyhole/large'))
  })

  it('of version 2 is written, read, changed, and its names are read', { timeout: 600_000 }, async () => {
    const body = Buffer.from(`{"data":${text}}`)
    await gives(200, () => ask('POST', 'kv2/data/large', { body }))
    await gives(200, () => ask('GET', 'kv2/data/large'))
    await gives(200, () => ask('GET', 'kv2/subkeys/large'))
    await gives(200, () => ask('PATCH', 'kv2/data/large', { body: Buffer.from('{"data":{"one":1}}'), headers: PATCH }))
    await gives(200, () => ask('PATCH', 'kv2/data/large', { body, headers: PATCH }))
  })

  it('comes and goes through the typed view', { timeout: 600_000 }, async () => {
    const { data } = await kernel.kv2.at('kv2/').readSecret({ path: 'large' })
    const typed = async (work: () => Promise<unknown>): Promise<void> =>
      expect(await best(() => longestStretch(work))).toBeLessThan(LONGEST_STRETCH_MS)
    await typed(() => kernel.kv.writeSecret({ path: 'typed', data }))
    await typed(() => kernel.kv.readSecret({ path: 'typed' }))
    await typed(() => kernel.kv2.at('kv2/').patchSecret({ path: 'large', data }))
    await typed(() => kernel.wrapping.wrap({ data, ttl: 60 }))
  })
})

describe('very many of a kind', MEASURED, () => {
  it('tokens are listed, and ended by their prefix', { timeout: 600_000 }, async () => {
    const headers = { 'X-Service-Token': kernel.rootToken as string }
    for (let i = 0; i < THINGS; i++)
      await kernel.handle({ method: 'POST', path: '/v1/auth/token/create', headers, body: { ttl: '1h', policies: ['default'] } })
    await gives(200, () => ask('LIST', 'auth/token/accessors'))
    await gives(200, () => ask('LIST', 'sys/leases/lookup/auth/token/create'))
    await gives(204, () => ask('POST', 'sys/leases/revoke-prefix/auth/token/create', { body: Buffer.from('{"sync":true}') }))
  })

  it('secrets and policies are listed', { timeout: 600_000 }, async () => {
    for (let i = 0; i < THINGS; i++) {
      await kernel.kv.writeSecret({ path: `many/${i}`, data: { i } })
      await kernel.kv2.at('kv2/').writeSecret({ path: `many/${i}`, data: { i } })
      if (i < THINGS / 4) await kernel.policies.writePolicy({ name: `p${i}`, policy: 'path "a" { capabilities = ["read"] }' })
    }
    await gives(200, () => ask('LIST', 'secret/many'))
    await gives(200, () => ask('LIST', 'kv2/metadata/many'))
    await gives(200, () => ask('LIST', 'kv2/detailed-metadata/many'))
    await gives(200, () => ask('LIST', 'sys/policies/acl'))
  })
})
