// Makes a project with the packed tarball, the programs of tools/consumer, and the test runners and bundlers that applications use, in exact
// versions from the npm registry. One of them is a second version of Node, in `node_modules/node-<platform>-<processor>/bin`.
// Usage: node tools/install-tools.mjs <tarball> <folder>
import { execFileSync } from 'node:child_process'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const repository = fileURLToPath(new URL('..', import.meta.url))
const [tarball, folder] = process.argv.slice(2).map((path) => resolve(path))
const { devDependencies } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'))

/** The package `node` installs this one with a script, and scripts do not run here. */
const node = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
const tools = [
  'jest@30.5.2',
  'vite@8.4.0',
  `vitest@${devDependencies.vitest}`,
  `esbuild@${devDependencies.esbuild}`,
  `${node}@24.21.0`,
]

cpSync(join(repository, 'tools/consumer'), folder, { recursive: true })
writeFileSync(join(folder, 'package.json'), '{ "name": "consumer", "private": true, "type": "module" }\n')
const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--no-save', '--fetch-timeout=30000']
try {
  execFileSync('npm', ['install', ...options, tarball, ...tools], { cwd: folder, encoding: 'utf8', stdio: 'pipe' })
  console.log(`install-tools: ${tools.join(', ')}`)
} catch (error) {
  console.error(`install-tools: cannot install ${tools.join(', ')}; the npm registry is required\n${error.stderr}`)
  process.exitCode = 1
}
