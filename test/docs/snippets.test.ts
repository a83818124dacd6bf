/**
 * Every snippet of the README and the docs runs and prints the documented output: the `ts` blocks of a page are one program, in order
 * (`tools/page-program.mjs`). CI compiles the same pages against the packed package (`tools/compile-pages.mjs`).
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { format } from 'node:util'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { FENCES, fencesOf, hasHiddenCode, programOf, withAbsoluteImports, withPrintedValues } from '../../tools/page-program.mjs'
import { postgresqlUrl } from '../fixtures/postgresql/server.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** Outside of `src` and `test`, because other tests read those folders at the same time. */
const made = join(root, `.pages-${process.pid}`)
const PAGES = [
  'README.md',
  ...['docs', 'skills'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true }).map((name) => `${folder}/${name}`),
  ),
].filter((name) => name.endsWith('.md'))
interface Entry {
  readonly default: string
}
const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { exports: Record<string, Entry | string> }

/** The source file of a package import. */
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
  return `${imports}\nexport async function run(printed) {\n${withPrintedValues(program.body, 'printed')}\n}\n`
}

/** The environment variables that the pages tell the reader to set. */
const ENVIRONMENT = { ROOT_KEY: Buffer.alloc(32, 1).toString('base64'), DATABASE_URL: await postgresqlUrl() }
const before = {
  directory: process.cwd(),
  environment: Object.keys(ENVIRONMENT).map((name) => [name, process.env[name]] as const),
}
let directory: string

beforeAll(() => {
  mkdirSync(made, { recursive: true })
  directory = mkdtempSync(join(tmpdir(), 'pages-'))
  // Snippets create files in the working directory.
  process.chdir(directory)
  Object.assign(process.env, ENVIRONMENT)
  vi.spyOn(console, 'log').mockImplementation(() => {})
})
afterAll(() => {
  vi.restoreAllMocks()
  for (const [name, value] of before.environment)
    if (value === undefined) delete process.env[name]
    else process.env[name] = value
  process.chdir(before.directory)
  for (const folder of [made, directory]) rmSync(folder, { recursive: true, force: true })
})

it.each(PAGES.flatMap((page) => (moduleOf(page) === undefined ? [] : [page])))(
  'the snippets of %s run and print the documented output',
  async (page) => {
    const path = join(made, `${page.replaceAll(/\W/g, '-')}.ts`)
    writeFileSync(path, moduleOf(page) as string)
    const { run } = (await import(/* @vite-ignore */ path)) as { run: (printed: Printed) => Promise<void> }
    await run((expected, ...values) => expect(format(...values)).toBe(expected))
  },
)

type Printed = (expected: string, ...values: readonly unknown[]) => void

it.each(PAGES)('%s shows all the code that its snippets need', (page) => {
  expect(hasHiddenCode(textOf(page))).toBe(false)
})

it.each(PAGES)('%s has no code block that this test neither runs nor compiles', (page) => {
  expect(fencesOf(textOf(page)).filter((fence) => !FENCES.includes(fence))).toEqual([])
})

it.each(PAGES)('%s uses no syntax that the oldest supported Node version lacks', (page) => {
  // TypeScript with the settings of `tsc --init` does not transform `using`, and Node 20 and 22 cannot parse it.
  expect(programOf(textOf(page))?.body ?? '').not.toMatch(/\b(?:await )?using \w+ =/)
})

it('the snippet tests cover README.md and the contributing pages', () => {
  expect(PAGES).toContain('README.md')
  expect(PAGES).toContain('docs/contributing/testing.md')
  expect(moduleOf('docs/testing.md')).toContain('createDevKernel')
})
