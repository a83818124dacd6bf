/**
 * Calls by path and typed calls use the same grammar of paths: a request can name every path that a typed call accepts, and both refuse
 * every other path.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDevKernel, type Kernel } from '../../src/index.ts'
import {
  type Came,
  completed,
  EVERY_OPERATION,
  freePathOf,
  type Known,
  methodOf,
  mountAll,
  pathOutcome,
  requestOf,
  typedOutcome,
} from '../fixtures/every-operation.ts'
import fc from '../fixtures/fast-check.ts'
import { runs } from '../fixtures/runs.ts'

/** Operations that revoke the token of their caller. */
const SPENDS = /revoke/i
/** Members in addition to the path, for operations whose calls by path and typed calls take them in different forms. */
const BESIDE: Readonly<Record<string, object>> = { 'kv-v2 patchMetadata': { patch: { max_versions: 1 } } }
const RUNS = runs({ quick: 20, soak: 2000 })

let kernel: Kernel
let root = ''
beforeAll(async () => {
  kernel = await createDevKernel()
  root = kernel.rootToken as string
  await mountAll(kernel, true)
})
afterAll(() => kernel.close())

async function bothViews(known: Known, path: string): Promise<{ readonly typed: Came; readonly byPath: Came } | undefined> {
  const token = SPENDS.test(known.title) ? (await kernel.tokens.createToken({ policies: ['root'] })).client_token : root
  const method = methodOf(kernel.as(token), known)
  if (!method) return undefined
  const members = { ...BESIDE[known.title], [freePathOf(known) as string]: path }
  const byPath = pathOutcome(await kernel.handle(requestOf(known, members, { 'X-Service-Token': token })))
  return { byPath, typed: await typedOutcome(() => method(completed(known, members, 'typed'))) }
}

/** Invalid paths. */
const NO_PATHS = [
  '/a',
  'a//b',
  'a//',
  '//',
  '..',
  '../x',
  'a/..',
  'a/../b',
  '.',
  './a',
  'a/./b',
  'a\0b',
  'a\nb',
  'a\u007f',
  'a/\u001f/b',
  '\ud800',
  'a/\udc00\ud800/b',
]

const segment = fc
  .oneof(
    fc.constantFrom(
      'a',
      '%',
      '%2F',
      '?',
      '#',
      '+',
      '*',
      ' ',
      '%00',
      '\\',
      '"',
      'é',
      '\u{1f511}',
      '...',
      '.a',
      'a..b',
      '~',
      ':x',
      '(y)',
      'data',
    ),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }),
  )
  .map((text) => text.replaceAll(/[/\p{Cc}]/gu, '_'))
  .filter((text) => text !== '' && text !== '.' && text !== '..')
const goodPath = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => segments.join('/'))

const WITH_PATH = EVERY_OPERATION.filter((known) => freePathOf(known) !== undefined)

describe('an invalid path', () => {
  it.each(WITH_PATH.map((known) => [known.title, known] as const))(
    'is refused with status 400 by %s, by path and typed call',
    async (_, known) => {
      for (const path of NO_PATHS) {
        const came = await bothViews(known, path)
        expect([path, came?.byPath.status ?? 400, came?.typed.status ?? 400]).toEqual([path, 400, 400])
        if (came) expect(came.typed.said).toMatch(/Unicode text|control characters|relative paths|empty segments/)
      }
    },
  )
})

describe('a path with arbitrary characters', () => {
  it.each(WITH_PATH.map((known) => [known.title, known] as const))(
    'is accepted in a call by path if and only if it is accepted in a typed call: %s',
    async (_, known) => {
      await fc.assert(
        fc.asyncProperty(goodPath, async (path) => {
          const came = await bothViews(known, path)
          if (came)
            expect([path, came.byPath.status === 400, came.byPath.said]).toEqual([
              path,
              came.typed.status === 400,
              expect.anything(),
            ])
        }),
        { numRuns: RUNS },
      )
    },
  )

  const rules = 'path "a" { capabilities = ["read"] }'
  const charset = 'length = 8\nrule "charset" { charset = "abc" }'
  const stores = (view: ReturnType<Kernel['as']>) => ({
    'secret/': (path: string) => view.kv.writeSecret({ path, data: { path } }),
    'kv2/data/': (path: string) => view.kv2.at('kv2/').writeSecret({ path, data: { path } }),
    'cubbyhole/': (path: string) => view.cubbyhole.writeEntry({ path, data: { path } }),
    'sys/policies/acl/': (name: string) => view.policies.writePolicy({ name, policy: rules }),
    'sys/policies/password/': (name: string) => view.policies.writePasswordPolicy({ name, policy: charset }),
    'sys/mounts/': (path: string) => view.mounts.createMount({ path, type: 'kv' }),
  })

  it.each(Object.keys(stores({} as never)))(
    'can be used in a call by path to read and delete what a typed call stored below %s',
    async (folder) => {
      const store = stores(kernel.as(root))[folder as 'secret/']
      const ask = async (method: string, path: string) => {
        const encoded = path.split('/').map(encodeURIComponent).join('/')
        return (await kernel.handle({ method, path: `/v1/${folder}${encoded}`, headers: { 'X-Service-Token': root } })).status
      }
      await fc.assert(
        fc.asyncProperty(goodPath, async (path) => {
          const { status } = await typedOutcome(() => store(path))
          // Some names have stricter rules: mount paths have no wildcards, and no path ends in a period.
          if (status !== 200) return
          expect([path, await ask('GET', path)]).toEqual([path, 200])
          expect([path, await ask('DELETE', path)]).toEqual([path, 204])
          expect([path, await ask('GET', path)]).not.toEqual([path, 200])
        }),
        { numRuns: RUNS / 4 },
      )
    },
  )
})
