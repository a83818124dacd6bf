// Installs a packed tarball into a project that has every optional peer dependency at the oldest or at the newest version that package.json allows.
// Checks that npm accepts and keeps these versions, that the adapters compile with the types of the peers, and that they run.
// Usage: node tools/try-peers.mjs <tarball> oldest|newest
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const repository = fileURLToPath(new URL('..', import.meta.url))
const [tarball, end] = process.argv.slice(2)
const manifestAt = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
const { peerDependencies } = manifestAt(repository)

/** The lower bound of a range, which begins with a caret. */
const oldestIn = (range) => /^\^(\d+\.\d+\.\d+)/.exec(range)[1]

const folder = mkdtempSync(join(tmpdir(), 'strongroom-peers-'))
const npm = (...args) =>
  execFileSync('npm', [...args, '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'], {
    cwd: folder,
    encoding: 'utf8',
    stdio: 'pipe',
    timeout: 300_000,
  })
const versions = () =>
  Object.fromEntries(Object.keys(peerDependencies).map((name) => [name, manifestAt(join(folder, 'node_modules', name)).version]))

function isReachable() {
  try {
    execFileSync('npm', ['view', 'pg', 'version', '--fetch-timeout=15000', '--fetch-retries=0'], {
      stdio: 'pipe',
      timeout: 30_000,
    })
    return true
  } catch {
    return false
  }
}

function run() {
  writeFileSync(join(folder, 'package.json'), '{ "name": "peers", "private": true, "type": "module" }\n')
  const packages = Object.entries(peerDependencies).map(
    ([name, range]) => `${name}@${end === 'oldest' ? oldestIn(range) : range}`,
  )
  npm('install', ...packages)
  const before = versions()
  npm('install', resolve(tarball))
  const after = versions()
  for (const [name, version] of Object.entries(before))
    if (after[name] !== version)
      throw new Error(`installing the package changed the version of ${name} from ${version} to ${after[name]}`)
  copyFileSync(join(repository, 'tools/consumer/peers.ts'), join(folder, 'peers.ts'))
  const compilerOptions = {
    target: 'es2023',
    module: 'nodenext',
    strict: true,
    skipLibCheck: true,
    types: ['node'],
    typeRoots: [join(repository, 'node_modules/@types')],
    // Packages without types of their own.
    paths: { pg: [join(repository, 'node_modules/@types/pg/index.d.ts')] },
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['peers.ts'] }))
  execFileSync(process.execPath, [join(repository, 'node_modules/typescript/bin/tsc'), '-p', folder], {
    encoding: 'utf8',
    stdio: 'pipe',
  })
  execFileSync(process.execPath, ['peers.js'], { cwd: folder, encoding: 'utf8', stdio: 'pipe', timeout: 120_000 })
  console.log(
    `peers, ${end}: ${Object.entries(after)
      .map((pair) => pair.join(' '))
      .join(', ')}`,
  )
}

try {
  if (isReachable()) run()
  else console.log(`peers, ${end}: skipped, because the npm registry cannot be reached`)
} catch (error) {
  console.error(`${error.message}\n${error.stdout ?? ''}\n${error.stderr ?? ''}`)
  process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
