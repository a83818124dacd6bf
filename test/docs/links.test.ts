/**
 * Every relative link of the documentation leads to a file of the repository, and to a heading that exists.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { posix } from 'node:path'
import { expect, it } from 'vitest'

const root = new URL('../../', import.meta.url)
const textOf = (path: string): string => readFileSync(new URL(path, root), 'utf8')
const PAGES = [
  'README.md',
  'SECURITY.md',
  'ARCHITECTURE.md',
  'CHANGELOG.md',
  ...readdirSync(new URL('docs', root), { recursive: true, encoding: 'utf8' }).flatMap((name) =>
    name.endsWith('.md') ? [`docs/${name.replaceAll('\\', '/')}`] : [],
  ),
]
const LINK = /\[[^\]]*\]\(([^()\s]+)\)/g
const CODE = /^```[\s\S]*?^```|`[^`\n]*`/gm

/** Makes anchors of headings as GitHub does: lower case, without punctuation, with dashes for spaces. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-')
const anchorsOf = (page: string): readonly string[] =>
  [
    ...textOf(page)
      .replaceAll(/^```[\s\S]*?^```/gm, '')
      .matchAll(/^#+ (.*)$/gm),
  ].map(([, heading]) => anchorOf(heading as string))

const linksOf = (page: string): readonly string[] =>
  [...textOf(page).replaceAll(CODE, '').matchAll(LINK)]
    .map(([, target]) => target as string)
    .filter((target) => !/^[a-z]+:/.test(target))

function faultOf(page: string, target: string): string | undefined {
  const [path, anchor] = target.split('#') as [string, string | undefined]
  const file = path === '' ? page : posix.normalize(posix.join(posix.dirname(page), path))
  if (file.startsWith('../') || !existsSync(new URL(file, root))) return 'leads nowhere'
  if (anchor !== undefined && !(statSync(new URL(file, root)).isFile() && anchorsOf(file).includes(anchor)))
    return 'names no heading'
  return undefined
}

it.each(PAGES)('the links of %s lead to pages and headings that exist', (page) => {
  const faults = linksOf(page).flatMap((target) => {
    const fault = faultOf(page, target)
    return fault === undefined ? [] : [`${target} ${fault}`]
  })
  expect(faults).toEqual([])
})

/** ARCHITECTURE.md also names files without a link, by the end of their path in `src` or by their path in the repository. */
it('ARCHITECTURE.md names only source files that exist', () => {
  const sources = readdirSync(new URL('src', root), { recursive: true, encoding: 'utf8' }).map(
    (name) => `/${name.replaceAll('\\', '/')}`,
  )
  const named = [...textOf('ARCHITECTURE.md').matchAll(/`([\w./-]+\.(?:ts|mjs))`/g)].map(([, name]) => name as string)
  expect(named.length).toBeGreaterThan(10)
  expect(
    named.filter((name) => !existsSync(new URL(name, root)) && !sources.some((source) => source.endsWith(`/${name}`))),
  ).toEqual([])
})

it('the link check of this test reports missing pages, missing headings and files outside of the repository', () => {
  expect(faultOf('docs/seals.md', '../README.md')).toBeUndefined()
  expect(faultOf('docs/seals.md', '#root-tokens')).toBeUndefined()
  expect(faultOf('docs/seals.md', 'no-such-page.md')).toBe('leads nowhere')
  expect(faultOf('docs/seals.md', '../../package.json')).toBe('leads nowhere')
  expect(faultOf('README.md', 'docs/seals.md#no-such-heading')).toBe('names no heading')
  expect(linksOf('README.md')).toContain('docs/seals.md')
})
