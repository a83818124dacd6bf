// Who may import whom, and what may not be touched where (ARCHITECTURE.md, "The house").
// Text patterns in a linter see the specifier, not the file it means, so this is the check that counts.
import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { circlesOf } from './circles.mjs'
import { readModule } from './read-module.mjs'

const anyOf =
  (...patterns) =>
  (text) =>
    patterns.some((pattern) => pattern.test(text))

const PORT_FILE = /^(engines|sys|configsvc)\/(.+\/)?port\.ts$/

/** The rooms of core, folders of `core/`, in one order: each may import from itself and from those before it, types included. */
const CORE_ROOMS = [
  'base',
  'json',
  'hcl',
  'crypto',
  'template',
  'storage',
  'barrier',
  'policy',
  'field',
  'contract',
  'exchange',
  'jwt',
  'log',
  'transaction',
  'mount',
  'access',
  'audit',
  'request',
  'seal',
  'due',
  'kernel',
]

/** What an engine is made of, and the few functions beside it that engines share. */
const FOR_ENGINES = anyOf(
  /^core\/(base|json|crypto|template|field|contract|jwt)\//,
  /^core\/storage\/order\.ts$/,
  /^core\/transaction\/(load-all|counter)\.ts$/,
  /^core\/mount\/upgrade\.ts$/,
  /^core\/access\/(cidr|token-authenticator)\.ts$/,
  /^core\/access\/password\/named\.ts$/,
  /^core\/access\/token\/(token|ancestry)\.ts$/,
  /^core\/access\/login\/(token-settings|shown-settings)\.ts$/,
)

/** What the program of a thread is made of. */
const WITHIN_THREADS = anyOf(/^engines\/[^/]+\/thread\/perform-task\.ts$/, /^adapters\/crypto-node\/index\.ts$/)

const roomOf = (file) => (file.startsWith('core/') ? CORE_ROOMS.indexOf(file.split('/')[1]) : -1)

/**
 * Per part of the house: which files of src it may import from, and which packages and builtins. `file` is the importing one, `kind` is
 * type, value or lazy (a dynamic import). The first part whose pattern matches counts.
 */
const PARTS = [
  {
    path: new RegExp(`^core/(${CORE_ROOMS.join('|')})/`),
    relative: (target, { file }) => roomOf(target) >= 0 && roomOf(target) <= roomOf(file),
    bare(name, { file }) {
      if (/^@noble\//.test(name)) return true
      // The platform's own, by the conditions of package.json.
      if (name === '#platform/rsa') return file.startsWith('core/crypto/rsa/')
      if (name === '#platform/subtle') return file === 'core/crypto/noble/index.ts'
      if (name === '#platform/texts') return file === 'core/base/texts.ts'
      if (name === '#platform/buffer-pool') return file === 'core/base/buffer-pool.ts'
      if (name === '#platform/pause') return file === 'core/base/clock.ts'
      return name === 'immer' && file === 'core/base/state.ts'
    },
  },
  {
    path: /^engines\/[^/]+\//,
    relative: (target, { file }) => FOR_ENGINES(target) || target.startsWith(folder(file, 2)),
    bare: (name) => name === 'immer',
  },
  {
    path: /^(sys|configsvc)\//,
    relative: (target, { file }) => target.startsWith('core/') || target.startsWith(folder(file, 1)),
    // Regular expressions of strangers, in one place.
    bare: (name, { file }) => name === 'immer' || (name === 're2js' && file === 'configsvc/expression/pattern.ts'),
  },
  {
    path: /^adapters\//,
    relative(target, { file, kind }) {
      if (target.startsWith(folder(file, 2))) return true
      // What the adapters of databases share, and those of secret sync.
      if (/^adapters\/(database|sync)-/.test(file) && target.startsWith(`${folder(file, 2).split('-')[0]}/`)) return true
      // Bounds on what servers send, for every adapter that reads from one.
      if (target.startsWith('adapters/network/')) return true
      // A thread is an embedding of its own: it does what engines have made for threads, with a backend.
      if (file === 'adapters/workers-node/program.ts' && WITHIN_THREADS(target)) return true
      if (kind === 'type') return target.startsWith('core/') || PORT_FILE.test(target)
      // The storage room keeps what all storages share: commit rules, remembered verdicts, change feeds.
      // What leaves as JSON keeps every digit, and what comes as JSON is read without blocking.
      return anyOf(/^core\/storage\/(?!memory)/, /^core\/base\//, /^core\/crypto\//, /^core\/json\/json(-text)?\.ts$/)(target)
    },
    // A driver is a peer that may be missing: loading it is a step of its own.
    bare: (name, { kind }) => name.startsWith('node:') || kind !== 'value',
  },
  {
    path: /^testing\//,
    relative: (target, { kind }) =>
      anyOf(/^core\//, /^testing\//)(target) || (kind === 'type' && (target.startsWith('adapters/') || PORT_FILE.test(target))),
    bare: (name) => name.startsWith('node:') || name.startsWith('@noble/'),
  },
  {
    // The composition root: kernel.ts, index.ts and what stands beside them.
    path: /^[^/]+\.ts$/,
    relative: anyOf(/^(core|engines|sys|configsvc)\//, /^[^/]+\.ts$/),
    bare: (name) => name === '#platform/tracing',
  },
]

/** The first `depth` segments of a path with the slash behind them; a file that has no folder that deep stands for itself. */
function folder(file, depth) {
  const parts = file.split('/')
  return parts.length > depth ? `${parts.slice(0, depth).join('/')}/` : file
}

const PURE = anyOf(/^(core|engines|sys|configsvc)\//, /^[^/]+\.ts$/)
const GLOBALS =
  /(?<![.\w$#])(Math\s*\.\s*random|Date|Buffer|setTimeout|setInterval|setImmediate|process|fetch|performance|globalThis)\b(?!\??:)/g

// A key type is one row and one module. Some names are also those of the primitive, which is named where primitives live.
const KEY_TYPE = /^(aes(128|256)-(gcm96|cmac)|ecdsa-p(256|384|521)|rsa-(2048|3072|4096))$/
const KEY_TYPE_OR_PRIMITIVE = /^(x?chacha20-poly1305|ed25519)$/

function violationsOf(file, source, edges) {
  const found = []
  const module = readModule(source)
  const report = (at, text) => found.push(`${file}:${module.lineOf(at)} ${text}`)
  const part = PARTS.find(({ path }) => path.test(file))
  if (!part) report(0, 'belongs to no room: nothing says what it may import')

  for (const { specifier, kind, at } of module.imports) {
    if (!part) break
    const relative = /^\.\.?\//.test(specifier)
    const target = posix.join(posix.dirname(file), specifier)
    if (relative && edges.has(target)) edges.get(file).add(target)
    if (!relative && !part.bare(specifier, { file, kind }))
      report(at, `may not import ${specifier}${kind === 'value' ? '' : ` (${kind})`}`)
    if (relative && !edges.has(target)) report(at, `imports ${specifier}, which is no file of src`)
    else if (relative && !part.relative(target, { file, kind }))
      report(at, `may not import ${target}${kind === 'value' ? '' : ` (${kind})`}`)
  }

  if (PURE(file) && file !== 'core/base/clock.ts')
    for (const match of module.code.matchAll(GLOBALS))
      if (!module.isDeclaration(match.index + match[0].length)) report(match.index, `uses ${match[1].replace(/\s/g, '')}`)

  // It keeps the signals it is given only weakly: a deadline that nothing else keeps would never come.
  if (file !== 'core/base/combined-signal.ts')
    for (const match of module.code.matchAll(/\bAbortSignal\s*\.\s*any\b/g))
      report(match.index, 'uses AbortSignal.any, not combinedSignal')

  // What is generated from the table of key types cannot differ from it.
  if (!file.startsWith('engines/transit/key-types/') && !source.startsWith('// Generated by `npm run reference`'))
    for (const { text, at } of module.strings)
      if (KEY_TYPE.test(text) || (KEY_TYPE_OR_PRIMITIVE.test(text) && !anyOf(/^core\/crypto\//, /^adapters\//)(file)))
        report(at, `names the key type ${text} outside engines/transit/key-types`)
  return found
}

// By hand: fs.globSync does not exist on Node 20.
function filesIn(root, path) {
  return readdirSync(join(root, path), { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const inner = path === '' ? entry.name : `${path}/${entry.name}`
      return entry.isDirectory() ? filesIn(root, inner) : /\.[cm]?tsx?$/.test(entry.name) ? [inner] : []
    })
}

/**
 * Resolves the relative imports of every file below a folder with src's content: how many files and edges between them there are, and a
 * line per violation. A circle of imports is one too, if only types go round.
 */
export function checkLayers(root) {
  return checkSources(new Map(filesIn(root, '').map((file) => [file, readFileSync(join(root, file), 'utf8')])))
}

/** {@link checkLayers} of files that are in memory: their texts by path. */
export function checkSources(sources) {
  const edges = new Map([...sources.keys()].map((file) => [file, new Set()]))
  const violations = [...sources].flatMap(([file, source]) => violationsOf(file, source, edges))
  for (const circle of circlesOf(edges)) violations.push(`${circle.join(' -> ')} is a circle`)
  return { read: sources.size, edges: [...edges.values()].reduce((sum, { size }) => sum + size, 0), violations }
}
