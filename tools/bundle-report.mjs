// Follows the static imports of dist/index.js, and prints the number and size of the modules that importing the package loads. Fails if one of them
// must stay optional or must be loaded at first use. Also builds bundles for a browser, and fails if a bundle exceeds its limit.
import { readFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { readModule } from './read-module.mjs'

const dist = fileURLToPath(new URL('../dist/', import.meta.url))
const FORBIDDEN_PACKAGES = /^(node-forge|cron-parser|lmdb|mongodb|mysql2|openpgp|pg)(\/|$)/
/** Only the adapters of the platform may be loaded; the conditions of `imports` in package.json select them. */
const FORBIDDEN_FOLDERS = /^(adapters\/(?!platform-node\/)|testing\/)/
const PLATFORM = '#platform/'

const modules = new Map()
const packages = new Set()
const violations = []

function visit(file, importer) {
  const name = relative(dist, file).replaceAll('\\', '/')
  if (FORBIDDEN_FOLDERS.test(name)) violations.push(`${importer} imports ${name}`)
  if (modules.has(name)) return
  const source = readFileSync(file, 'utf8')
  modules.set(name, Buffer.byteLength(source))
  for (const { specifier, kind } of readModule(source).imports) {
    if (kind !== 'value') continue
    if (specifier.startsWith('.')) visit(resolve(dirname(file), specifier), name)
    else if (specifier.startsWith(PLATFORM))
      visit(resolve(dist, 'adapters/platform-node', `${specifier.slice(PLATFORM.length)}.js`), name)
    else {
      packages.add(specifier)
      if (FORBIDDEN_PACKAGES.test(specifier)) violations.push(`${name} imports ${specifier}`)
    }
  }
}

visit(resolve(dist, 'index.js'), 'the package')
for (const line of violations) console.error(line)
const bytes = [...modules.values()].reduce((sum, size) => sum + size, 0)
console.log(
  `bundle-report: ${modules.size} modules, ${bytes} bytes, other packages: ${[...packages].sort().join(', ') || 'none'}`,
)

/** `most` is the maximum size in bytes after minifying and gzip: the measured size plus 2 percent. If a bundle becomes smaller, lower its `most`. */
const BUNDLES = [
  { name: 'everything', text: `export * from 'strongroom'`, most: 518_000 },
  {
    name: 'the encryption engine alone',
    text: `export { createKernel } from 'strongroom/kernel'; export { transit } from 'strongroom/engines'`,
    most: 242_000,
  },
]

let failed = false
for (const { name, text, most } of BUNDLES) {
  const { outputFiles, warnings } = await build({
    stdin: { contents: text, resolveDir: dist },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    minify: true,
    logLevel: 'warning',
  })
  const [{ contents }] = outputFiles
  const compressed = gzipSync(contents, { level: 9 }).length
  console.log(
    `bundle-report: ${name}, for a browser: ${contents.length} bytes minified, ${compressed} with gzip (at most ${most})`,
  )
  if (compressed > most) console.error(`bundle-report: ${name} exceeds its limit`)
  if (compressed > most || warnings.length > 0) failed = true
}
process.exitCode = violations.length > 0 || failed ? 1 : 0
