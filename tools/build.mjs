/**
 * Builds `dist`: JavaScript with one module per entry and the chunks that entries share, and declarations with one file for all shared
 * types. Options: `--out <folder>` instead of `dist`; `--no-types`; `--bench` adds the internal modules that the benchmarks import.
 * Usage: node tools/build.mjs [options]
 */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { rolldown } from 'rolldown'
import { rollup } from 'rollup'
import { dts } from 'rollup-plugin-dts'

const root = fileURLToPath(new URL('..', import.meta.url))
const { values: options } = parseArgs({
  options: {
    out: { type: 'string', default: join(root, 'dist') },
    types: { type: 'boolean', default: true },
    bench: { type: 'boolean', default: false },
  },
  allowNegative: true,
})
const dist = resolve(options.out)
const { exports: entries } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const isPackage = (id) => !/^[./]/.test(id) && !id.startsWith(root)

/** The path of each entry below `dist` and `src`, without its extension. */
const names = Object.values(entries)
  .filter((entry) => typeof entry === 'object')
  .map((entry) => entry.default.slice('./dist/'.length, -'.js'.length))

/**
 * Modules that must have a file of their own: what `#platform/*` resolves to, the program of the worker threads, and the command line.
 */
const LOADED_BY_NAME = ['adapters/platform-node/index', 'adapters/platform-web/index', 'adapters/workers-node/program', 'cli']

/**
 * Chunks by the time at which an application loads their modules, so that it loads little that it does not use:
 *
 * - `platform`: what the platform adapters use of core. Core imports `#platform` and the adapters import core, so this code must be able to
 *   run before the rest of core. A base class of both cryptography and the rest of core is here too.
 * - `first`: what importing the root entry loads.
 * - `kernel`: what every kernel loads, in three parts.
 * - `encryption`: what the encryption engine loads in addition, because pages often have no other engine.
 * - `engine`: the modules of one engine that the root entry loads when a kernel is created; the manifests of all other engines are in one chunk.
 * - The modules that only one of the optional parts of `sys/` loads.
 * - The modules of one engine, or of one room, that are loaded at their first use, or only by some applications.
 *
 * Cryptography has chunks of its own, because storages and other adapters do not need it: what the root entry loads, what engines share, and
 * by Rolldown's own rules what only one importer or one `import()` loads, such as the code of curves. Rooms do not import each other in a
 * circle.
 */
const LOADS = [
  {
    time: 'platform',
    entries: ['adapters/platform-node/index.ts', 'adapters/platform-web/index.ts', 'core/base/deferred-code.ts'],
  },
  { time: 'first', entries: ['index.ts'] },
  { time: 'kernel', entries: ['compose-kernel.ts', 'kernel.ts', 'engine-set.ts'] },
  { time: 'encryption', entries: ['engines/transit/engine.ts'] },
  { time: 'engine', entries: ['conventional.ts'] },
]
/** The entry of each optional part of `sys/`, and the entry and manifest of each engine. */
const ENTRY_OF_PART = /^sys\/(audit|generate-root|help|leases|namespaces|policies|rekey|wrapping)\/engine\.ts$/
const ENTRY_OF_ENGINE = /^(?:engines|sys)\/[^/]+\/(?:engine|manifest)\.ts$|^configsvc\/engine\.ts$/
const FOUNDATIONS = /^core\/(?:base|json|hcl|template|storage|barrier|policy|field|contract|exchange|jwt|log)\//
const SHARED_BY_ADAPTERS = /^adapters\/(?:audit|database|network|sync)\/|^core\/crypto\/sealed-box\.ts$/
/** What backups and copies of a store need. The root entry exports them, but a kernel loads them when they are first needed. */
const BACKUPS = /^core\/storage\/(?:backup|backup-format|copy-storage|pages|snapshot)\.ts$/
/** Rooms of which little is left that not every kernel loads. */
const SMALL_ROOMS = /^core\/(?:barrier|base|contract|field|json|storage)\//
/** Rooms of which almost nothing is left that not every kernel loads, with a chunk that uses it. */
const TINY_ROOMS = {
  'core/due': 'ticks',
  'core/exchange': 'core-request',
  'core/hcl': 'core-access',
  'core/kernel': 'core-request',
  'core/mount': 'core-access',
  'core/policy': 'core-access',
  'core/seal': 'sys',
  'core/transaction': 'core-request',
}
/** The work of ticks, which belongs to the composition. */
const TICKS = /^(?:run-tick|due-workers)\.ts$/
/** The formats of key files, certificates and signatures, key wrapping, and RSA. */
const KEY_FORMATS = /^core\/crypto\/(?:(?:asn1|certificate|rsa)\/|(?:ecdsa-der|key-wrap|key-wrap-rsa|pem|spki)\.ts$)/
/** The engines with what they share, and parts of `sys/`, of which the root entry loads only the manifest. */
const DEFERRED = /^(?:engines\/(?:cloud|credentials|database|orchestrator)|sys\/(?:plugins|replication|sync))\//
/** Files of the composition that every kernel loads together with `sys/`. */
const COMPOSITION = /^(?:engine-set|system-engine)\.ts$/
let loads
let loadedByPart

function chunkOf(id, graph) {
  const path = pathOf(id)
  const room = roomOf(path)
  if (SHARED_BY_ADAPTERS.test(path)) return 'adapters'
  if (BACKUPS.test(path)) return 'backups'
  if (COMPOSITION.test(path)) return 'sys-kernel'
  if (TICKS.test(path)) return 'ticks'
  if (path.startsWith('seed/')) return 'seed'
  if (path === 'load-engines.ts') return 'first'
  if (!room) return undefined
  loads ??= LOADS.map(({ time, entries }) => ({ time, ids: importedBy(entries, graph) }))
  const time = loads.find(({ ids }) => ids.has(id))?.time
  if (time === 'platform') return time
  const isCrypto = room === 'core/crypto'
  if (time === 'first') return isCrypto ? 'crypto-first' : 'first'
  if (time === 'kernel') return isCrypto || FOUNDATIONS.test(path) ? 'foundations-kernel' : `${room.split('/')[0]}-kernel`
  if (time === 'encryption' && room.startsWith('core/')) return 'core-encryption'
  if (time === 'engine' && DEFERRED.test(path)) return 'manifests'
  if (KEY_FORMATS.test(path)) return 'key-formats'
  if (isCrypto) {
    const owner = onlyImporter(id, graph)?.replace('/', '-')
    return time === 'engine' ? (owner ?? 'core-crypto') : owner && `${owner}-later`
  }
  loadedByPart ??= partsOf(graph)
  const part = loadedByPart.get(id)
  if (part) return `sys-${part}`
  if (SMALL_ROOMS.test(path)) return 'core-more'
  if (TINY_ROOMS[room]) return TINY_ROOMS[room]
  const name = room.replace('/', '-')
  return time !== undefined || room.startsWith('core/') ? name : `${name}-later`
}

const pathOf = (id) => relative(join(root, 'src'), id).replaceAll('\\', '/')

const roomOf = (path) => /^((?:core|engines)\/[^/]+|sys\/(?:replication|sync|plugins)|sys|configsvc)\//.exec(path)?.[1]

/** The engine whose modules are the only importers of a module of cryptography. */
function onlyImporter(id, graph) {
  const rooms = new Set(graph.getModuleInfo(id)?.importers.map((importer) => roomOf(pathOf(importer))))
  const [room] = rooms
  return rooms.size === 1 && !room?.startsWith('core/') ? room : undefined
}

/** Parts that share most of their code have one chunk. */
const CHUNK_OF_PART = { rekey: 'key-shares', 'generate-root': 'key-shares' }

/** The modules that the parts of exactly one chunk and no engine load, with the name of the chunk. */
function partsOf(graph) {
  const entries = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).map((path) => path.replaceAll('\\', '/'))
  const owners = new Map()
  for (const entry of entries.filter((path) => ENTRY_OF_ENGINE.test(path)))
    for (const id of importedBy([entry], graph)) {
      const part = ENTRY_OF_PART.exec(entry)?.[1]
      owners.set(id, (owners.get(id) ?? new Set()).add(CHUNK_OF_PART[part] ?? part))
    }
  return new Map([...owners].flatMap(([id, [name, ...others]]) => (name && others.length === 0 ? [[id, name]] : [])))
}

/** The modules that these modules load, without those of dynamic imports. */
function importedBy(entries, graph) {
  const ids = new Set(entries.map((entry) => join(root, 'src', entry)))
  for (const id of ids) for (const imported of graph.getModuleInfo(id)?.importedIds ?? []) ids.add(imported)
  return ids
}

/** Imports of chunks of which a chunk uses nothing. Rolldown adds them for side effects, which no module has. */
const BARE_IMPORT = /^import "\.[^"]+";\n/gm

/** The paths below `dist` of the internal modules that the benchmarks import. */
function internalsOfBenchmarks() {
  const folder = join(root, 'bench')
  const programs = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.mjs'))
  const texts = programs.map((name) => readFileSync(join(folder, name), 'utf8'))
  return texts.flatMap((text) => [...text.matchAll(/'\.\.\/\.\.\/dist\/(.+)\.js'/g)].map(([, path]) => path))
}

async function bundle() {
  const internals = options.bench ? internalsOfBenchmarks() : []
  const build = await rolldown({
    input: Object.fromEntries([...names, ...LOADED_BY_NAME, ...internals].map((name) => [name, join(root, 'src', `${name}.ts`)])),
    cwd: root,
    external: isPackage,
    platform: 'neutral',
    preserveEntrySignatures: 'allow-extension',
    treeshake: { moduleSideEffects: false },
    tsconfig: false,
    checks: { invalidAnnotation: false },
  })
  const { output } = await build.generate({
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name].js',
    codeSplitting: { includeDependenciesRecursively: false, groups: [{ name: chunkOf, debugName: 'rooms' }] },
    // Bundlers of applications read the annotations to find out what they can leave out.
    comments: { annotation: true, jsdoc: false, legal: false },
  })
  await build.close()
  for (const { fileName, code } of output) {
    const file = join(dist, fileName)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, code.replace(BARE_IMPORT, ''))
  }
}

/** Declarations import the compiled files, as the declarations of the package do. */
const compiledSpecifiers = {
  name: 'compiled-specifiers',
  transform: (code) =>
    code.replace(/((?:\bfrom|\bimport\(|\bdeclare module|\bimport) ?['"]\.{1,2}\/[^'"]+)\.ts(['"])/g, '$1.js$2'),
}

/** Declarations that use `AsyncDisposable` load its types, because applications may compile with an older library. */
const withDisposable = {
  name: 'with-disposable',
  renderChunk: (code) =>
    /\bAsyncDisposable\b|\basyncDispose\b/.test(code) ? `/// <reference lib="esnext.disposable" />\n${code}` : null,
}

async function declare() {
  const folder = mkdtempSync(join(tmpdir(), 'strongroom-declarations-'))
  try {
    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    execFileSync(process.execPath, [tsc, '-p', 'tsconfig.build.json', '--outDir', folder], { cwd: root, stdio: 'inherit' })
    const input = Object.fromEntries(names.map((name) => [name, join(folder, `${name}.d.ts`)]))
    const adapters = join(folder, 'adapters', '/')
    const servers = ['server/', 'ui/', 'adapters/http/', 'testing/dev-server.d.ts'].map((name) => join(folder, name))
    const entryFiles = new Set(Object.values(input))
    const build = await rollup({
      input,
      external: (id) => isPackage(id) && !id.startsWith(folder),
      plugins: [compiledSpecifiers, dts(), withDisposable],
      onLog() {},
    })
    await build.write({
      dir: dist,
      format: 'es',
      entryFileNames: '[name].d.ts',
      // One file for all shared types. The types of servers and adapters need those of Node and of drivers, so they are elsewhere.
      manualChunks(id) {
        if (!id.startsWith(folder) || entryFiles.has(id)) return undefined
        if (servers.some((path) => id.startsWith(path))) return 'servers'
        return id.startsWith(adapters) ? undefined : 'types'
      },
      chunkFileNames: ({ name }) => `chunks/${name.replace(/\.d$/, '')}.d.ts`,
      minifyInternalExports: false,
    })
    await build.close()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

rmSync(dist, { recursive: true, force: true })
cpSync(join(root, 'src/ui/page'), join(dist, 'ui/page'), { recursive: true })
await Promise.all([bundle(), options.types && declare()])
