/**
 * Checks that TypeScript users see every interface that is extended by declaration merging (`Ports`, `CommittedEvents`, ...): each file of
 * `dist` that extends one must be reachable by imports from the entries below. Usage: node tools/merged-declarations.mjs, after a build.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const dist = fileURLToPath(new URL('../dist', import.meta.url))

/** For each entry of the package, the folders of `dist` whose extensions must be reachable from it. */
const PROMISED = [
  { entry: 'index.d.ts', folders: [''] },
  { entry: 'chosen-kernel.d.ts', folders: ['core/', 'sys/'] },
  { entry: 'engines.d.ts', folders: ['core/', 'engines/'] },
  { entry: 'config-service.d.ts', folders: ['configsvc/acl/', 'configsvc/methods/', 'core/jwt/'] },
]

const textOf = (file) => readFileSync(join(dist, file), 'utf8')

const importsOf = (file) =>
  [...textOf(file).matchAll(/(?:\bfrom|\bimport|\bimport\()\s*['"](\.[^'"]+)['"]/g)]
    .map(([, path]) => join(dirname(file), path).replace(/\.[jt]s$/, '.d.ts'))
    .filter((path) => existsSync(join(dist, path)))

function reachableFrom(entry) {
  const files = new Set([entry])
  for (const file of files) for (const path of importsOf(file)) files.add(path)
  return files
}

const extending = readdirSync(dist, { recursive: true })
  .filter((name) => name.endsWith('.d.ts') && /^declare module ['"]\./m.test(textOf(name)))
  .map((name) => relative('', name).replaceAll('\\', '/'))

let missing = 0
for (const { entry, folders } of PROMISED) {
  const files = reachableFrom(entry)
  for (const file of extending)
    if (folders.some((folder) => file.startsWith(folder)) && !files.has(file)) {
      missing++
      console.error(
        `${file} extends a public interface, but ${entry} does not reach it by imports: add "export type {} from" in the module that uses the extending file`,
      )
    }
}
console.log(`merged declarations: ${extending.length} files, ${missing} missing`)
process.exitCode = missing > 0 || extending.length === 0 ? 1 : 0
