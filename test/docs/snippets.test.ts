/**
 * Every snippet of the README and the docs runs: the `ts` blocks of a page are one program, in order, together with what the page holds in
 * comments (`tools/page-program.mjs`). CI compiles the same pages against the packed package (`tools/compile-pages.mjs`).
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { FENCES, fencesOf, hasHiddenSetup, programOf, withAbsoluteImports } from '../../tools/page-program.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** Beside the sources and the tests, which others read while this runs. */
const made = join(root, `.pages-${process.pid}`)
const PAGES = ['README.md', ...readdirSync(join(root, 'docs'), { recursive: true }).map((name) => `docs/${name}`)].filter(
  (name) => name.endsWith('.md'),
)
/** Pages that still need setup which they do not print. None may be added. */
const HIDDEN_SETUP = [
  'README.md',
  'docs/adding-an-engine.md',
  'docs/audit-and-events.md',
  'docs/configsvc.md',
  'docs/databases.md',
  'docs/encrypt-a-column.md',
  'docs/errors.md',
  'docs/logins.md',
  'docs/moving-and-backup.md',
  'docs/numbers.md',
  'docs/postgresql.md',
  'docs/replication.md',
  'docs/seals.md',
  'docs/several-processes.md',
  'docs/tokens-and-policies.md',
]
interface Entry {
  readonly default: string
}
const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { exports: Record<string, Entry | string> }

/** The sources of what a user would import. */
function sourceOf(specifier: string): string {
  const entry = exports[`.${specifier.slice('strongroom'.length)}`] as Entry
  return pathToFileURL(join(root, entry.default.replace('./dist/', 'src/').replace(/\.js$/, '.ts'))).pathname
}

const textOf = (page: string) => readFileSync(join(root, page), 'utf8')

function moduleOf(page: string): string | undefined {
  const program = programOf(textOf(page))
  if (!program) return undefined
  const imports = withAbsoluteImports(page, program.imports).replaceAll(
    /'(strongroom[\w/-]*)'/g,
    (_, name: string) => `'${sourceOf(name)}'`,
  )
  return `${imports}\nexport async function run() {\n${program.body}\n}\n`
}

beforeAll(() => {
  mkdirSync(made, { recursive: true })
  vi.spyOn(console, 'log').mockImplementation(() => {})
})
afterAll(() => {
  vi.restoreAllMocks()
  rmSync(made, { recursive: true, force: true })
})

it.each(PAGES.flatMap((page) => (moduleOf(page) === undefined ? [] : [page])))('%s', async (page) => {
  const path = join(made, `${page.replaceAll(/\W/g, '-')}.ts`)
  writeFileSync(path, moduleOf(page) as string)
  const { run } = (await import(/* @vite-ignore */ path)) as { run: () => Promise<void> }
  await expect(run()).resolves.toBeUndefined()
})

it.each(PAGES)('%s prints the setup that its snippets need', (page) => {
  expect(hasHiddenSetup(textOf(page))).toBe(HIDDEN_SETUP.includes(page))
})

it.each(PAGES)('%s has no code that is neither run nor compiled', (page) => {
  expect(fencesOf(textOf(page)).filter((fence) => !FENCES.includes(fence))).toEqual([])
})

it('finds the pages', () => {
  expect(PAGES).toContain('README.md')
  expect(PAGES).toContain('docs/contributing/testing.md')
  expect(moduleOf('docs/testing.md')).toContain('createDevKernel')
})
