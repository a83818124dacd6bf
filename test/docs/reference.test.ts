/** docs/reference.md lists only what exists. `tools/reference.mjs --check` compares it with the operation definitions. */
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ROUTED_OPERATIONS } from '../../src/configsvc/operations.ts'
import { kv2 } from '../../src/engines/kv/index.ts'
import { createDevKernel, type Kernel } from '../../src/index.ts'
import { ENGINES } from '../fixtures/all-engines.ts'

const file = readFileSync(new URL('../../docs/reference.md', import.meta.url), 'utf8')

let kernel: Kernel

beforeAll(async () => {
  kernel = await createDevKernel({ configsvc: {} })
})
afterAll(() => kernel.close())

const [kernelPart, servicePart] = file.split('## The configuration service') as [string, string]

/** The typed methods in a section of the page. */
const listed = (part: string): readonly string[] =>
  [...part.matchAll(/^\| (?:[A-Z]*) \| [^|]*\| ((?:`[\w.]+` ?)+)\|/gm)].flatMap(([, cell]) =>
    [...(cell as string).matchAll(/`([\w.]+)`/g)].map(([, name]) => name as string),
  )

const memberAt = (root: object, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], root)

it('docs/reference.md lists only typed methods that exist', () => {
  expect(listed(kernelPart).length).toBeGreaterThan(250)
  const views = [kernel, kernel.as(kernel.rootToken as string)]
  const isMissing = (path: string) => !views.some((view) => typeof memberAt(view, path) === 'function')
  expect(listed(kernelPart).filter(isMissing)).toEqual([])
  expect(listed(servicePart).length).toBeGreaterThanOrEqual(40)
  expect(listed(servicePart).filter((path) => typeof memberAt(kernel.configsvc, path) !== 'function')).toEqual([])
})

it('docs/reference.md contains every path of every engine', () => {
  for (const { operations } of [...ENGINES, kv2])
    for (const { path, verb } of Object.values(operations)) expect(file).toContain(`| ${verb} | \`${path.slice(1) || '/'}\` |`)
})

it('docs/reference.md contains every path of the configuration service', () => {
  for (const { path, verb } of Object.values(ROUTED_OPERATIONS)) expect(file).toContain(`| ${verb} | \`${path.slice(1)}\` |`)
})
