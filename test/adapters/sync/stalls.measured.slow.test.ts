/** How long answers of a store and values of any length block the process. */
import { describe, expect, it } from 'vitest'
import { githubSync } from '../../../src/adapters/sync-github/index.ts'
import { vercelSync } from '../../../src/adapters/sync-vercel/index.ts'
import { inReferenceMs, lowest } from '../../fixtures/calibration.ts'
import { longestStretch } from '../../large/stretch.ts'
import { push, soon } from './over-fetch.ts'

/** Milliseconds of processor time without a pause. */
const MAX_MS = 50

const longestMs = (work: () => Promise<unknown>): Promise<number> =>
  lowest(() => inReferenceMs(async () => (await longestStretch(work)).worst), MAX_MS)

const MIB = 1_048_576
const filled = (begin: string, piece: string, end: string, bytes: number): string =>
  `${begin}${piece.repeat(Math.floor((bytes - begin.length - end.length) / piece.length))}${end}`

const BODIES: readonly (readonly [string, string])[] = [
  ['numbers', filled('{"envs":[', '1,', '1]}', 8 * MIB)],
  ['lists', filled('{"envs":[', '[],', '[]]}', 8 * MIB)],
  ['nesting', filled('{"envs":', '[', '', 8 * MIB)],
  ['objects', filled('{"envs":[', '{"a":{}},', '{}]}', 8 * MIB)],
  ['escapes', filled('{"envs":["', '\\u0041', '"]}', 8 * MIB)],
  ['digits', filled('{"envs":[', '7', ']}', 8 * MIB)],
  ['members', `{"envs":[{${Array.from({ length: 390_000 }, (_, i) => `"m${i}":1`).join()}}]}`],
  ['variables', filled('{"envs":[', '{"id":"e","key":"A","target":["production"]},', '{}]}', 0.9 * MIB)],
]

describe('sync adapters over fetch', () => {
  it.each(BODIES)('block the process for at most 50 ms while they read a list of %s', async (_, text) => {
    const body = new TextEncoder().encode(text)
    const fetch = () => Promise.resolve(new Response(body))
    const config = { access_token: 'token', project_id: 'prj', deployment_environments: ['production'] }
    const session = vercelSync({ fetch }).open(config)
    expect(await longestMs(() => session.describe!({ name: 'A' }, soon(60_000)).catch(() => {}))).toBeLessThan(MAX_MS)
  })

  it('block the process for at most 50 ms while they encrypt the longest allowed value', async () => {
    const key = { key_id: '1', key: 'AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA=' }
    const fetch = (_: unknown, init?: RequestInit) =>
      Promise.resolve(init?.method === 'PUT' ? new Response(null, { status: 204 }) : Response.json(key))
    const session = githubSync({ fetch }).open({ access_token: 'token', repository_owner: 'a', repository_name: 'b' })
    // The first calls include the compilation of the arithmetic.
    for (let i = 0; i < 8; i++) await session.put(push('A', 'x'.repeat(49_152)), soon())
    expect(await longestMs(() => session.put(push('A', 'x'.repeat(49_152)), soon()))).toBeLessThan(MAX_MS)
  })
})
