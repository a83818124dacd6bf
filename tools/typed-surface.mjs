// Writes the interfaces of the typed surface and docs/reference.md. With `--check`, reports which of these files are stale. Reads the sources, so no
// build is needed before.
import { readFileSync, writeFileSync } from 'node:fs'
import { register } from 'node:module'
import { fileURLToPath } from 'node:url'
import { typedSurface } from './typed-surface/index.mjs'

register('./typed-surface/source-hooks.mjs', import.meta.url)

const root = fileURLToPath(new URL('..', import.meta.url))
  .replaceAll('\\', '/')
  .replace(/\/$/, '')
const fileAt = (path) => new URL(`../src/${path}`, import.meta.url)
const files = await typedSurface(root, (module) => import(fileAt(module).href))

const contentOf = (path) => {
  try {
    return readFileSync(fileAt(path), 'utf8')
  } catch {
    return undefined
  }
}
const stale = [...files].filter(([path, text]) => contentOf(path) !== text)
if (process.argv.includes('--check')) {
  for (const [path] of stale) console.error(`src/${path} is stale: run \`npm run reference\``)
  console.log(`typed-surface: ${files.size} files, ${stale.length} stale`)
  process.exitCode = stale.length > 0 ? 1 : 0
} else for (const [path, text] of stale) writeFileSync(fileAt(path), text)
await import('./reference.mjs')
