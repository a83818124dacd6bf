/** The pages of the site: the README, the pages of `docs`, the other pages of the repository's root, and the skills. */
import { readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'

const REPOSITORY = fileURLToPath(new URL('..', import.meta.url))

/**
 * @typedef {object} Page
 * @property {string} source The path in the repository, such as `docs/seals.md`.
 * @property {string} path The path on the site without its extension, such as `seals`.
 * @property {string} title
 * @property {string} text
 */

/** @returns {string} the path on the site of a page in the repository, without its extension */
function sitePathOf(source) {
  if (source === 'README.md') return 'index'
  const skill = /^skills\/([^/]+)\/SKILL\.md$/.exec(source)
  if (skill) return `skills/${skill[1]}`
  return source
    .replace(/^docs\//, '')
    .replace(/\.md$/, '')
    .toLowerCase()
}

const withoutFrontMatter = (text) => text.replace(/^---\n[\s\S]*?\n---\n+/, '')

/** @returns {ReadonlyMap<string, Page>} the pages by their path in the repository */
export function readPages() {
  const inFolder = (folder) =>
    readdirSync(`${REPOSITORY}${folder}`, { recursive: true, encoding: 'utf8' }).map((name) => posix.join(folder, name))
  const sources = [...readdirSync(REPOSITORY), ...inFolder('docs'), ...inFolder('skills')].filter((name) => name.endsWith('.md'))
  return new Map(
    sources.map((source) => {
      const text = withoutFrontMatter(readFileSync(`${REPOSITORY}${source}`, 'utf8')).replaceAll(/^<!--[\s\S]*?-->\n/gm, '')
      const [, title] = /^# (.+)$/m.exec(text) ?? [undefined, source]
      return [source, { source, path: sitePathOf(source), title, text }]
    }),
  )
}

/**
 * The sections of the list of pages in the README, in their order.
 * @param {ReadonlyMap<string, Page>} pages
 * @returns {readonly { readonly name: string, readonly entries: readonly { readonly page: Page, readonly question: string }[] }[]}
 */
export function sectionsOf(pages) {
  const sections = []
  for (const line of pages.get('README.md').text.split('\n')) {
    const [, name] = /^\| ([a-z ]+) \| answers \|$/.exec(line) ?? []
    if (name) sections.push({ name: `${name.charAt(0).toUpperCase()}${name.slice(1)}`, entries: [] })
    const [, source, question] = /^\| \[[^\]]+\]\(([^)]+)\) \| (.+) \|$/.exec(line) ?? []
    const page = source && pages.get(source)
    if (page) sections.at(-1)?.entries.push({ page, question })
  }
  const skills = [...pages.values()].filter(({ source }) => source.startsWith('skills/'))
  sections.push({ name: 'Skills for coding agents', entries: skills.map((page) => ({ page, question: page.title })) })
  return sections
}

/**
 * The text of a page with links that work on the site. A link to a file that is no page, such as an example, becomes its text.
 * @param {Page} page
 * @param {ReadonlyMap<string, Page>} pages
 */
export function textOnSite(page, pages) {
  const outsideFences = page.text.split(/^(```[\s\S]*?^```)$/m)
  return outsideFences.map((part, index) => (index % 2 === 1 ? part : relink(part, page, pages))).join('')
}

function relink(text, page, pages) {
  return text.replaceAll(/(!?)\[([^\]]*)\]\(([^)\s]+)\)/g, (link, _image, label, target) => {
    if (/^(?:[a-z]+:|#)/.test(target)) return link
    const [path, anchor] = target.split('#')
    const source = posix.normalize(posix.join(posix.dirname(page.source), path))
    const found = pages.get(source)
    if (!found) return label
    const relative = posix.relative(posix.dirname(page.path), found.path)
    return `[${label}](${relative.startsWith('.') ? '' : './'}${relative}.md${anchor === undefined ? '' : `#${anchor}`})`
  })
}
