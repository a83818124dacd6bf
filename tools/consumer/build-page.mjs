// Builds the page and its worker in the folder `page` with Vite and with esbuild, as applications do, and checks the emitted chunks.
// Usage: node build-page.mjs <folder for both builds>
import assert from 'node:assert/strict'
import { copyFileSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build as esbuild } from 'esbuild'
import { createLogger, build as vite } from 'vite'

const page = fileURLToPath(new URL('page', import.meta.url))
const out = resolve(process.argv[2])

const viteWarnings = []
/** The path of the page on its server is not the root, so an absolute path of a chunk would not be found. */
await vite({
  root: page,
  base: '/with/vite/',
  logLevel: 'warn',
  customLogger: { ...createLogger('silent'), warn: (text) => viteWarnings.push(text) },
  build: { outDir: join(out, 'vite'), emptyOutDir: true, rolldownOptions: { checks: { pluginTimings: false } } },
  // The default, `iife`, cannot load chunks.
  worker: { format: 'es' },
})
assert.deepEqual(viteWarnings, [])

const { warnings } = await esbuild({
  entryPoints: [join(page, 'page.js'), join(page, 'worker.js')],
  outdir: join(out, 'esbuild'),
  bundle: true,
  splitting: true,
  format: 'esm',
  target: 'es2022',
  minify: true,
  logLevel: 'silent',
})
assert.deepEqual(warnings, [])
copyFileSync(join(page, 'index.html'), join(out, 'esbuild/index.html'))

for (const bundler of ['vite', 'esbuild']) {
  const folder = join(out, bundler)
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.js'))
  const bytes = files.reduce((sum, name) => sum + readFileSync(join(folder, name)).length, 0)
  for (const name of files)
    assert.doesNotMatch(
      readFileSync(join(folder, name), 'utf8'),
      /(?:from|import)\s*\(?["'](?:node:|#platform)/,
      `${name} needs Node`,
    )
  assert.ok(files.length > 10, `${bundler} emitted only ${files.length} files, so nothing is loaded later`)
  console.log(`build-page: ${bundler}: ${files.length} JavaScript files, ${bytes} bytes`)
}
