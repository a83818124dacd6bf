// `#platform/*` resolves to the adapters of Node in Node and in bundles for Node, and to those of other platforms in bundles for browsers and workers.
// A bundle for Node, one file, runs.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const NODE = 'strongroom/dist/adapters/platform-node/index.js'
const WEB = 'strongroom/dist/adapters/platform-web/index.js'
const BUNDLES = [
  { name: 'Node', options: { platform: 'node' }, wanted: NODE },
  { name: 'a browser', options: { platform: 'browser' }, wanted: WEB },
  { name: 'a worker', options: { platform: 'neutral', mainFields: ['module', 'main'], conditions: ['worker'] }, wanted: WEB },
]
const here = fileURLToPath(new URL('.', import.meta.url))
const program = `import { createDevKernel } from 'strongroom'
const kernel = await createDevKernel()
await kernel.transit.createKey({ name: 'orders' })
const { ciphertext } = await kernel.transit.encrypt({ name: 'orders', plaintext: new Uint8Array(3) })
console.log(ciphertext.slice(0, 14))
await kernel.close()`

const resolved = createRequire(import.meta.resolve('strongroom')).resolve('#platform/index')
assert.ok(resolved.replaceAll('\\', '/').endsWith(NODE), resolved)

for (const { name, options, wanted } of BUNDLES) {
  const { metafile, warnings } = await build({
    stdin: { contents: program, resolveDir: here },
    outfile: join(here, `bundle-for-${name.replace(' ', '-')}.mjs`),
    bundle: true,
    format: 'esm',
    metafile: true,
    logLevel: 'silent',
    ...options,
  })
  assert.deepEqual(warnings, [])
  const platforms = Object.keys(metafile.inputs).filter((path) => path.includes('/adapters/platform-'))
  assert.deepEqual(
    platforms.map((path) => path.slice(path.indexOf('strongroom/'))),
    [wanted],
    `a bundle for ${name}`,
  )
  // Node has everything that a browser has.
  assert.match(
    execFileSync(process.execPath, [join(here, `bundle-for-${name.replace(' ', '-')}.mjs`)], { encoding: 'utf8' }),
    /^strongroom:v1:/,
  )
}
console.log(`conditions: Node, and ${BUNDLES.length} bundles`)
