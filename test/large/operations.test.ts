/**
 * Every operation with the largest input it takes, and with more than it takes: it is answered, and nobody else waits long meanwhile. The
 * requests are made from the operations themselves. By path the answer is wrapped, recorded, and written as it would go over HTTP; by the
 * typed view a token asks, so that policies look at what is sent. Timed by the processor, so the best of three tries counts.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { write } from '../../src/adapters/http/written.ts'
import { createDevKernel, type Kernel } from '../../src/index.ts'
import { fakeDatabasePlugin } from '../../src/testing/index.ts'
import { MEASURED } from '../fixtures/measured.ts'
import { LONGEST_STRETCH_MS } from '../fixtures/slowness.ts'
import { allCases, type Case, countedFields, type Size, typedOf } from './operation-cases.ts'
import { longestStretch } from './stretch.ts'

const SLOW = Boolean(process.env['SLOW'])

/** As many members as lists and maps may have, and far more; texts up to the limit of a body. */
const SIZES: Readonly<Record<string, Size>> = SLOW
  ? { 'as large as may be': { many: 10_000, long: 31 << 20 }, 'larger than may be': { many: 300_000, long: 4 << 20 } }
  : { 'as large as may be': { many: 10_000, long: 2 << 20 }, 'larger than may be': { many: 40_000, long: 1 << 20 } }

/** The quick part tries one case in so many: which one of an operation's, its place in the list decides. */
const EACH = SLOW ? 1 : 19

let kernel: Kernel
let token: string
beforeAll(async () => {
  kernel = await createDevKernel({ ports: { audit: { sinks: { main: () => {} } }, databases: { a: fakeDatabasePlugin() } } })
  await kernel.mounts.createMount({ path: 'kv2/', type: 'kv', options: { version: '2' } })
  token = kernel.rootToken as string
})
afterAll(() => kernel.close())

interface Tried {
  readonly status: number
  readonly worst: number
}

async function byPath({ operation: { verb }, path, body }: Case): Promise<Tried> {
  const takesBody = verb === 'POST' || verb === 'PATCH'
  const members = body()
  const texts = Object.entries(members).filter((member): member is [string, string] => typeof member[1] === 'string')
  const type = verb === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
  const request = {
    method: verb,
    path: `/v1/${path}`,
    headers: { 'X-Service-Token': token, 'X-Service-Wrap-TTL': '60', 'Content-Type': type },
    ...(takesBody ? { body: Buffer.from(JSON.stringify(members)) } : { query: Object.fromEntries(texts) }),
  }
  const { result, worst } = await longestStretch(async () => {
    const answer = await kernel.handle(request)
    await write(answer, verb)
    return answer.status
  })
  return { status: result, worst }
}

async function byType(each: Case): Promise<Tried> {
  const call = typedOf(kernel.as(token), each)
  if (!call) return { status: 0, worst: 0 }
  const { result, worst } = await longestStretch(() =>
    call().then(
      () => 200,
      (error: { readonly status?: number }) => error.status ?? 400,
    ),
  )
  return { status: result, worst }
}

async function best(attempt: () => Promise<Tried>): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let tries = 0; tries < 6 && least >= LONGEST_STRETCH_MS; tries++) {
    const { status, worst } = await attempt()
    expect(status).toBeLessThan(500)
    least = Math.min(least, worst)
    // What may do everything may also end itself.
    if (status === 403) token = (await kernel.tokens.createToken({ policies: ['root'] })).client_token
  }
  return least
}

describe.each(Object.entries(SIZES))('an input %s', MEASURED, (_, size) => {
  const cases = allCases(size).filter((_, index) => index % EACH === 0)

  it.each(cases.map((each) => [each.name, each] as const))('%s', { timeout: 300_000 }, async (_, each) => {
    expect(await best(() => byPath(each))).toBeLessThan(LONGEST_STRETCH_MS)
    expect(await best(() => byType(each))).toBeLessThan(LONGEST_STRETCH_MS)
  })
})

describe('more members than a list or map may have', () => {
  const tooMany = [
    Array.from({ length: 100_001 }, () => 'a'),
    Object.fromEntries(Array.from({ length: 100_001 }, (_, i) => [i, 'a'])),
  ]

  it.each(countedFields())('%s: are refused before any is looked at', (_, field) => {
    for (const value of tooMany) expect(() => field.coerce(value, 'field')).toThrow(/at most \d+ are taken|must be/)
    expect(() => field.coerce(tooMany[field.schema['type'] === 'array' ? 0 : 1], 'field')).toThrow(/at most \d+ are taken/)
  })
})
