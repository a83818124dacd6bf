/**
 * Builds the documentation site, which needs no network when it is read: the pages with search, the reference of the API, each page as
 * Markdown, and `llms.txt`. The package must be built before (`npm run build`).
 * Usage: node site/build.mjs [folder]   (default: site/dist)
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vitepress'
import { buildApi } from './api.mjs'
import { readPages, sectionsOf, textOnSite } from './pages.mjs'

const here = fileURLToPath(new URL('.', import.meta.url))
const out = resolve(process.argv[2] ?? join(here, 'dist'))
const stage = join(here, '.stage')

function write(path, text) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

const pages = readPages()
const sections = sectionsOf(pages)
const staged = [...pages.values()].map((page) => ({ page, text: textOnSite(page, pages) }))

rmSync(stage, { recursive: true, force: true })
rmSync(out, { recursive: true, force: true })
for (const { page, text } of staged) write(join(stage, `${page.path}.md`), text)
write(
  join(stage, '.vitepress/config.mjs'),
  `import { configOf } from '../../config.mjs'\nimport { readPages, sectionsOf } from '../../pages.mjs'\nexport default configOf(sectionsOf(readPages()))\n`,
)
await build(stage, { outDir: out, logLevel: 'warn' })

for (const { page, text } of staged) write(join(out, `${page.path}.md`), text)
writeFileSync(join(out, 'llms.txt'), llmsText())
writeFileSync(join(out, 'llms-full.txt'), staged.map(({ page, text }) => `<!-- ${page.path}.md -->\n\n${text}`).join('\n\n'))
const modules = await buildApi(join(out, 'api'), stage)
check()
rmSync(stage, { recursive: true, force: true })

/** The list of pages for language models (llmstxt.org). */
function llmsText() {
  const { description } = JSON.parse(readFileSync(join(here, '../package.json'), 'utf8'))
  const lines = sections.flatMap(({ name, entries }) => [
    `\n## ${name}\n`,
    ...entries.map(({ page, question }) => `- [${page.title}](${page.path}.md): ${question}`),
  ])
  return `# strongroom\n\n> ${description}\n${lines.join('\n')}\n\n## Optional\n\n- [All pages in one file](llms-full.txt)\n`
}

/** Fails if a page is missing, if there is no search index, or if a page loads something from another server. */
function check() {
  const files = readdirSync(out, { recursive: true, encoding: 'utf8' })
  const missing = staged.filter(({ page }) => !files.includes(`${page.path}.html`)).map(({ page }) => page.path)
  if (missing.length > 0) throw new Error(`site: missing pages: ${missing.join(', ')}`)
  if (!files.some((file) => /localSearchIndex/.test(file))) throw new Error('site: there is no search index')
  for (const file of files.filter((name) => name.endsWith('.html'))) {
    const html = readFileSync(join(out, file), 'utf8')
    const loaded = /<(?:script|link|img|iframe)\b[^>]*?\b(?:src|href)="(?:https?:)?\/\/[^"]*"/.exec(html)
    if (loaded) throw new Error(`site: ${file} loads from another server: ${loaded[0]}`)
  }
  console.log(`site: ${staged.length} pages, ${modules} modules of the API, ${files.length} files`)
}
