// Checks which source files may import which others, and which globals and names they may use (ARCHITECTURE.md, "Rooms"). The linter checks only the
// text of an import; this check resolves the import to a file.
import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { circlesOf } from './circles.mjs'
import { readModule } from './read-module.mjs'

const anyOf =
  (...patterns) =>
  (text) =>
    patterns.some((pattern) => pattern.test(text))

const PORT_FILE = /^(engines|sys|configsvc)\/(.+\/)?port\.ts$/

/** The rooms of core are the folders of `core/`. A room may import values and types only from itself and from the rooms before it in this list. */
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

/** The files of core that engines may import. */
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

/** The engines that hand out credentials of outside systems. They share `engines/credentials`, which is no engine. */
const HANDING_OUT_CREDENTIALS = anyOf(/^engines\/(cloud|database)\//)

/** The files that the program of a worker thread may import. */
const WITHIN_THREADS = anyOf(/^engines\/[^/]+\/thread\/perform-task\.ts$/, /^adapters\/crypto-node\/index\.ts$/)

/** The adapters that report metrics and spans. */
const TELEMETRY = anyOf(/^adapters\/(telemetry-otel|metrics-prometheus)\//)

/** The frameworks that an adapter is for, by the adapter's folder. */
const FRAMEWORKS = { 'adapters/telemetry-otel/': '@opentelemetry/api', 'adapters/nestjs/': '@nestjs/common' }

const roomOf = (file) => (file.startsWith('core/') ? CORE_ROOMS.indexOf(file.split('/')[1]) : -1)

/**
 * The parts of `src`. For each part, `relative` decides which files it may import, and `bare` which packages and builtins. `file` is the importing
 * file; `kind` is `type`, `value` or `lazy` (a dynamic import). A file belongs to the first part whose pattern matches.
 */
const PARTS = [
  {
    path: new RegExp(`^core/(${CORE_ROOMS.join('|')})/`),
    relative: (target, { file }) => roomOf(target) >= 0 && roomOf(target) <= roomOf(file),
    bare(name, { file }) {
      if (/^@noble\//.test(name)) return true
      // Modules that differ between platforms. The conditions in package.json select the file.
      if (name === '#platform/rsa') return file.startsWith('core/crypto/rsa/')
      if (name === '#platform/subtle') return /^core\/crypto\/(noble\/index|curves\/curve-code)\.ts$/.test(file)
      if (name === '#platform/texts') return file === 'core/base/texts.ts'
      if (name === '#platform/buffer-pool') return file === 'core/base/buffer-pool.ts'
      if (name === '#platform/pause') return file === 'core/base/clock.ts'
      return name === 'immer' && file === 'core/base/state.ts'
    },
  },
  {
    path: /^engines\/[^/]+\//,
    relative(target, { file }) {
      if (FOR_ENGINES(target) || target.startsWith(folder(file, 2))) return true
      return target.startsWith('engines/credentials/') && HANDING_OUT_CREDENTIALS(file)
    },
    bare: (name) => name === 'immer',
  },
  {
    path: /^(sys|configsvc)\//,
    relative: (target, { file }) => target.startsWith('core/') || target.startsWith(folder(file, 1)),
    bare(name, { file }) {
      // Only this file evaluates regular expressions that callers send.
      if (name === 're2js') return file === 'configsvc/expression/pattern.ts'
      if (name === 'cborg') return /^sys\/replication\/wire\/cbor-(reader|writer)\.ts$/.test(file)
      return name === 'immer'
    },
  },
  {
    path: /^adapters\//,
    relative(target, { file, kind }) {
      if (target.startsWith(folder(file, 2))) return true
      // Code that the sinks for audit servers share, code that all database adapters share, and code that all adapters of secret sync share.
      if (/^adapters\/(audit|database|sync)-/.test(file) && target.startsWith(`${folder(file, 2).split('-')[0]}/`)) return true
      // Limits for answers of servers, used by every adapter that reads such answers.
      if (target.startsWith('adapters/network/')) return true
      // The metrics and requests that all adapters of telemetry report, and the id under which a kernel reports its requests.
      if (TELEMETRY(file) && target.startsWith('adapters/telemetry/')) return true
      if (file === 'adapters/telemetry/observed-kernel.ts' && target === 'core/kernel/kernel-internals.ts') return true
      // The plugin of Fastify serves the API with the request listener.
      if (file.startsWith('adapters/fastify/') && target.startsWith('adapters/http/')) return true
      // The platform of Node uses the AES-GCM and the hash functions of the backend over node:crypto, and its ECDSA, which is loaded by the first key
      // that needs it.
      if (file === 'adapters/platform-node/subtle.ts' && /^adapters\/crypto-node\/(aead-key|hash)\.ts$/.test(target)) return true
      if (file === 'adapters/platform-node/subtle.ts' && target === 'adapters/crypto-node/ecdsa.ts') return kind === 'lazy'
      // The program of a worker thread runs the tasks of the engines with a cryptographic backend.
      if (file === 'adapters/workers-node/program.ts' && WITHIN_THREADS(target)) return true
      if (kind === 'type') return target.startsWith('core/') || PORT_FILE.test(target)
      // `core/storage` has what all storages share, such as the commit rules, stored verdicts and change feeds. `core/json` writes JSON without losing
      // digits, and reads it without blocking the event loop.
      return anyOf(/^core\/storage\/(?!memory)/, /^core\/base\//, /^core\/crypto\//, /^core\/json\/json(-text)?\.ts$/)(target)
    },
    // A driver is an optional peer dependency, so it must be loaded with a dynamic import. An adapter of a framework is only imported by applications
    // that have the framework.
    bare: (name, { file, kind }) => name.startsWith('node:') || kind !== 'value' || FRAMEWORKS[folder(file, 2)] === name,
  },
  {
    path: /^testing\//,
    relative: (target, { kind }) =>
      anyOf(/^core\//, /^testing\//)(target) ||
      // The dev server is the only fake that needs a whole kernel, which is loaded when a test starts one.
      (target.startsWith('server/') && kind !== 'value') ||
      (kind === 'type' && (target.startsWith('adapters/') || PORT_FILE.test(target))),
    bare: (name) => name.startsWith('node:') || name.startsWith('@noble/'),
  },
  {
    // What a seed creates, over the facades of a kernel.
    path: /^seed\//,
    relative: (target, { kind }) => anyOf(/^core\/base\//, /^seed\//)(target) || (kind === 'type' && target === 'kernel.ts'),
    bare: () => false,
  },
  {
    // The operator's page, which may read what a kernel knows but has no part in its work.
    path: /^ui\//,
    relative: (target, { kind }) => anyOf(/^core\//, /^ui\//)(target) || (kind === 'type' && target.startsWith('adapters/http/')),
    bare: (name) => name.startsWith('node:'),
  },
  {
    // Servers are applications: they may use everything.
    path: /^server\//,
    relative: () => true,
    bare: (name) => name.startsWith('node:'),
  },
  {
    // The command line is an application, too. It loads the kernel when a command needs it, so that help is quick.
    path: /^cli(\.ts$|\/)/,
    relative: (target, { kind }) => target.startsWith('cli/') || kind !== 'value',
    bare: (name, { kind }) => name.startsWith('node:') || (name === '@clack/prompts' && kind !== 'value'),
  },
  {
    // Migrations call the API of both sides by path, so they need no engine.
    path: /^migrate\//,
    relative: anyOf(/^core\/(base|json|contract)\//, /^migrate\//),
    bare: (name) => name.startsWith('node:'),
  },
  {
    // The composition root: the files directly in `src`.
    path: /^[^/]+\.ts$/,
    relative: anyOf(/^(core|engines|sys|configsvc|seed)\//, /^[^/]+\.ts$/),
    bare: (name) => name === '#platform/tracing',
  },
]

/** The first `depth` folders of a path, with a final slash; the path itself if it has fewer folders. */
function folder(file, depth) {
  const parts = file.split('/')
  return parts.length > depth ? `${parts.slice(0, depth).join('/')}/` : file
}

const PURE = anyOf(/^(core|engines|sys|configsvc)\//, /^(?!cli\.ts$)[^/]+\.ts$/)
const GLOBALS =
  /(?<![.\w$#])(Math\s*\.\s*random|Date|Buffer|setTimeout|setInterval|setImmediate|process|fetch|performance|globalThis)\b(?!\??:)/g

// The names of key types. Some of them are also names of cryptographic primitives, which `core/crypto` and the adapters may use.
const KEY_TYPE = /^(aes(128|256)-(gcm96|cmac)|ecdsa-p(256|384|521)|rsa-(2048|3072|4096))$/
const KEY_TYPE_OR_PRIMITIVE = /^(x?chacha20-poly1305|ed25519)$/

function violationsOf(file, source, edges) {
  const found = []
  const module = readModule(source)
  const report = (at, text) => found.push(`${file}:${module.lineOf(at)} ${text}`)
  const part = PARTS.find(({ path }) => path.test(file))
  if (!part) report(0, 'is in no known room, so its imports cannot be checked')

  for (const { specifier, kind, at } of module.imports) {
    if (!part) break
    const relative = /^\.\.?\//.test(specifier)
    const target = posix.join(posix.dirname(file), specifier)
    if (relative && edges.has(target)) edges.get(file).add(target)
    if (!relative && !part.bare(specifier, { file, kind }))
      report(at, `may not import ${specifier}${kind === 'value' ? '' : ` (${kind})`}`)
    if (relative && !edges.has(target)) report(at, `imports ${specifier}, which is not a file of src`)
    else if (relative && !part.relative(target, { file, kind }))
      report(at, `may not import ${target}${kind === 'value' ? '' : ` (${kind})`}`)
  }

  if (PURE(file) && file !== 'core/base/clock.ts')
    for (const match of module.code.matchAll(GLOBALS))
      if (!module.isDeclaration(match.index + match[0].length)) report(match.index, `uses ${match[1].replace(/\s/g, '')}`)

  // AbortSignal.any holds its signals only weakly: a deadline signal without another reference could be collected before it fires.
  if (file !== 'core/base/combined-signal.ts')
    for (const match of module.code.matchAll(/\bAbortSignal\s*\.\s*any\b/g))
      report(match.index, 'uses AbortSignal.any, not combinedSignal')

  // The folders of the kernel's own records declare a replication domain, which only these functions and this type require.
  if (/^(core|sys)\//.test(file) && !/^core\/contract\/(record-kind|core-record)\.ts$/.test(file))
    for (const match of module.code.matchAll(/\b(jsonRecord|textRecord)\b|: SecretKind = /g))
      report(match.index, `uses ${match[1] ?? 'SecretKind'} for a record of the kernel, not core/contract/core-record.ts`)

  // Generated files are exempt: they are generated from the table of key types, so they cannot differ from it.
  if (!file.startsWith('engines/transit/key-types/') && !source.startsWith('// Generated by `npm run reference`'))
    for (const { text, at } of module.strings)
      if (KEY_TYPE.test(text) || (KEY_TYPE_OR_PRIMITIVE.test(text) && !anyOf(/^core\/crypto\//, /^adapters\//)(file)))
        report(at, `names the key type ${text} outside engines/transit/key-types`)
  return found
}

// Node 20 has no fs.globSync.
function filesIn(root, path) {
  return readdirSync(join(root, path), { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const inner = path === '' ? entry.name : `${path}/${entry.name}`
      return entry.isDirectory() ? filesIn(root, inner) : /\.[cm]?tsx?$/.test(entry.name) ? [inner] : []
    })
}

/**
 * Checks every file below a folder that has the content of `src`. Returns the number of files, the number of imports between them, and one line for
 * each violation. An import cycle is a violation, even if it consists only of types.
 */
export function checkLayers(root) {
  return checkSources(new Map(filesIn(root, '').map((file) => [file, readFileSync(join(root, file), 'utf8')])))
}

/** The same check as {@link checkLayers} for files in memory: their texts by path. */
export function checkSources(sources) {
  const edges = new Map([...sources.keys()].map((file) => [file, new Set()]))
  const violations = [...sources].flatMap(([file, source]) => violationsOf(file, source, edges))
  for (const circle of circlesOf(edges)) violations.push(`${circle.join(' -> ')} is an import cycle`)
  return { read: sources.size, edges: [...edges.values()].reduce((sum, { size }) => sum + size, 0), violations }
}
