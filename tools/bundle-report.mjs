// Follows the static imports of dist/index.js, and prints the number and size of the modules that importing the package loads. Fails if one of them
// must stay optional or must be loaded at first use. A process that encrypts with AES confirms that with the list of all scripts that V8 has compiled.
// Also builds bundles for a browser, and fails if a bundle exceeds its limit.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { readModule } from './read-module.mjs'

const dist = fileURLToPath(new URL('../dist/', import.meta.url))
/** Drivers and formats that applications install themselves, and cryptography that is loaded by its first use. */
const FORBIDDEN_PACKAGES = new RegExp(
  [
    /^(node-forge|cron-parser|lmdb|mongodb|mysql2|openpgp|pg|@noble\/curves)(\/|$)/,
    /^@noble\/(hashes\/(argon2|scrypt|pbkdf2)|ciphers\/salsa)\.js$/,
  ]
    .map(({ source }) => source)
    .join('|'),
)
/** The chunks with the code of elliptic curves, which the first key that needs it loads. `ecdsa` is the ECDSA over node:crypto. */
const CURVES = /(?:^|\/)chunks\/(?:nist|curve25519|ecdsa)\.js$/
const CURVE_PACKAGE = /[\\/]@noble[\\/]curves[\\/]/
/** Only the adapters of the platform may be loaded; the conditions of `imports` in package.json select them. */
const FORBIDDEN_FOLDERS = /^(adapters\/(?!platform-node\/)|chunks\/adapters\.js|testing\/)/
const PLATFORM = '#platform/'

const modules = new Map()
const packages = new Set()
const violations = []
const loadedLater = []

function visit(file, importer) {
  const name = relative(dist, file).replaceAll('\\', '/')
  if (FORBIDDEN_FOLDERS.test(name)) violations.push(`${importer} imports ${name}`)
  if (modules.has(name)) return
  const source = readFileSync(file, 'utf8')
  modules.set(name, Buffer.byteLength(source))
  for (const { specifier, kind } of readModule(source).imports) {
    if (kind === 'lazy' && specifier.startsWith('.') && !CURVES.test(specifier.replace(/^\.\//, 'chunks/')))
      loadedLater.push({ file: resolve(dirname(file), specifier), importer: name })
    if (kind !== 'value') continue
    if (specifier.startsWith('.')) visit(resolve(dirname(file), specifier), name)
    else if (specifier.startsWith(PLATFORM)) visit(resolve(dist, 'adapters/platform-node/index.js'), name)
    else {
      packages.add(specifier)
      if (FORBIDDEN_PACKAGES.test(specifier)) violations.push(`${name} imports ${specifier}`)
    }
  }
}

function report(what) {
  const bytes = [...modules.values()].reduce((sum, size) => sum + size, 0)
  const others = [...packages].sort().join(', ') || 'none'
  console.log(`bundle-report: ${what}: ${modules.size} modules, ${bytes} bytes, other packages: ${others}`)
}

visit(resolve(dist, 'index.js'), 'the package')
report('importing the root entry')
for (const { file, importer } of loadedLater) visit(file, importer)
report('with all that createKernel loads')

const encryption = JSON.stringify(resolve(dist, 'index.js'))
/** Prints the URLs of the scripts that V8 compiles until the first encryption, and of those that it compiles for keys on curves. */
const PROGRAM = `import { Session } from 'node:inspector'
const urls = []
const session = new Session()
session.connect()
session.on('Debugger.scriptParsed', ({ params }) => urls.push(params.url))
session.post('Debugger.enable')
const { createDevKernel } = await import(${encryption})
const kernel = await createDevKernel()
await kernel.transit.createKey({ name: 'aes' })
await kernel.transit.encrypt({ name: 'aes', plaintext: new Uint8Array(32) })
const first = urls.splice(0)
await kernel.transit.createKey({ name: 'edwards', type: 'ed25519' })
const edwards = urls.splice(0)
await kernel.transit.createKey({ name: 'nist', type: 'ecdsa-p256' })
console.log(JSON.stringify({ first, edwards, nist: urls }))
await kernel.close()`
const { stdout, stderr, status } = spawnSync(process.execPath, ['--input-type=module', '-e', PROGRAM], { encoding: 'utf8' })
if (status !== 0) throw new Error(stderr)
const compiled = JSON.parse(stdout)
const curvesIn = (urls) => urls.filter((url) => CURVE_PACKAGE.test(url) || CURVES.test(url))
for (const url of curvesIn(compiled.first)) violations.push(`an AES encryption loads ${url}`)
// Without these scripts, the list is incomplete and proves nothing about the AES encryption.
for (const name of ['edwards', 'nist'])
  if (curvesIn(compiled[name]).length === 0) violations.push(`the first key of the ${name} curves loaded no code of curves`)
console.log(
  `bundle-report: the first AES encryption: ${compiled.first.length} scripts, ${curvesIn(compiled.first).length} of them for curves`,
)
for (const line of violations) console.error(line)

/** The maximum bytes after minifying and gzip, of all files that the entry can load: 2 percent above the last measurement. Lower it with the size. */
const BUNDLES = [
  { name: 'everything', text: `export * from 'strongroom'`, most: 586_000 },
  {
    name: 'the encryption engine alone',
    text: `export { createKernel } from 'strongroom/kernel'; export { transit } from 'strongroom/engines'`,
    most: 298_000,
  },
]

/** The maximum bytes after minifying and gzip, of the files that a page loads when it opens a kernel and encrypts. */
const PAGES = [
  { name: 'a page with transit() and sys: []', options: 'sys: []', most: 130_000 },
  { name: 'a page with transit() and all parts', options: '', most: 205_000 },
]

const pageWith = (options) => `
import { keySeal, memoryStorage } from 'strongroom'
import { transit } from 'strongroom/engines'
import { createKernel } from 'strongroom/kernel'
const seal = keySeal(new Uint8Array(32))
const kernel = await createKernel({ engines: [transit()], storage: memoryStorage(), seal, initialize: true, ${options} })
await kernel.transit.createKey({ name: 'orders' })
await kernel.transit.encrypt({ name: 'orders', plaintext: new Uint8Array(3) })
await kernel.close()
`

/** The outputs that the entry can load, now or later. Esbuild also writes files for dynamic imports in functions that it left out. */
function loadedBy(outputs) {
  const [entry] = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === '<stdin>')
  const loaded = new Set([entry])
  for (const path of loaded) for (const { path: imported } of outputs[path].imports) if (outputs[imported]) loaded.add(imported)
  return loaded
}

/** Names the outputs with code of curves that a page loads although it has no keys on curves. */
function curvesLoadedEarly(outputs) {
  const loaded = new Set(Object.keys(outputs).filter((path) => outputs[path].entryPoint === '<stdin>'))
  for (const path of loaded)
    for (const { path: imported } of outputs[path].imports)
      if (outputs[imported] && !CURVES.test(outputs[imported].entryPoint ?? '')) loaded.add(imported)
  return [...loaded].filter((path) => Object.keys(outputs[path].inputs).some((input) => CURVE_PACKAGE.test(input)))
}

const bundle = (text) =>
  build({
    stdin: { contents: text, resolveDir: dist },
    bundle: true,
    write: false,
    metafile: true,
    // The package loads most of itself by `import()`, so a bundler of applications makes several files of it.
    splitting: true,
    outdir: dist,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    minify: true,
    logLevel: 'warning',
  })

/** Runs a page in Node, and returns the names of the files that it loads. V8 lists them in its report of coverage. */
function loadedAtRunTime(outputFiles) {
  const folder = mkdtempSync(join(tmpdir(), 'strongroom-page-'))
  try {
    const coverage = join(folder, 'coverage')
    mkdirSync(coverage)
    for (const { path, contents } of outputFiles) writeFileSync(join(folder, basename(path)), contents)
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
    execFileSync(process.execPath, [join(folder, 'stdin.js')], { env: { ...process.env, NODE_V8_COVERAGE: coverage } })
    const reports = readdirSync(coverage).map((file) => JSON.parse(readFileSync(join(coverage, file), 'utf8')))
    const urls = new Set(reports.flatMap(({ result }) => result.map(({ url }) => url)))
    return outputFiles.map(({ path }) => basename(path)).filter((name) => urls.has(pathToFileURL(join(folder, name)).href))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

let failed = false
for (const { name, options, most } of PAGES) {
  const { outputFiles } = await bundle(pageWith(options))
  const names = loadedAtRunTime(outputFiles)
  const files = outputFiles.filter(({ path }) => names.includes(basename(path)))
  const bytes = files.reduce((sum, { contents }) => sum + contents.length, 0)
  const compressed = files.reduce((sum, { contents }) => sum + gzipSync(contents, { level: 9 }).length, 0)
  console.log(
    `bundle-report: ${name} loads ${files.length} of ${outputFiles.length} files: ${bytes} bytes minified, ${compressed} with gzip (at most ${most})`,
  )
  if (compressed > most) console.error(`bundle-report: ${name} exceeds its limit`)
  if (compressed > most || files.length === 0) failed = true
}
for (const { name, text, most } of BUNDLES) {
  const { outputFiles, metafile, warnings } = await bundle(text)
  const loaded = loadedBy(metafile.outputs)
  const files = outputFiles.filter(({ path }) => loaded.has(relative(process.cwd(), path)))
  const bytes = files.reduce((sum, { contents }) => sum + contents.length, 0)
  const compressed = files.reduce((sum, { contents }) => sum + gzipSync(contents, { level: 9 }).length, 0)
  console.log(`bundle-report: ${name}, for a browser: ${bytes} bytes minified, ${compressed} with gzip (at most ${most})`)
  if (compressed > most) console.error(`bundle-report: ${name} exceeds its limit`)
  const early = curvesLoadedEarly(metafile.outputs)
  for (const path of early) console.error(`bundle-report: ${name} loads curves at its start, in ${path}`)
  if (compressed > most || warnings.length > 0 || early.length > 0) failed = true
}
process.exitCode = violations.length > 0 || failed ? 1 : 0
