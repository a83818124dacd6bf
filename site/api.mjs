/** The reference of the API, made by TypeDoc from the declarations of the built package. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Application } from 'typedoc'

const repository = fileURLToPath(new URL('..', import.meta.url))

/**
 * @param {string} out The folder for the pages.
 * @param {string} work A folder for temporary files.
 * @returns {Promise<number>} the number of modules
 */
export async function buildApi(out, work) {
  const { exports } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'))
  const entries = Object.entries(exports).flatMap(([name, entry]) =>
    entry.types ? [{ name: `strongroom${name.slice(1)}`, file: join(repository, entry.types) }] : [],
  )
  const tsconfig = join(work, 'tsconfig.json')
  const compilerOptions = {
    module: 'nodenext',
    target: 'esnext',
    types: ['node'],
    typeRoots: [join(repository, 'node_modules/@types')],
    strict: true,
    skipLibCheck: true,
    noEmit: true,
  }
  writeFileSync(tsconfig, JSON.stringify({ compilerOptions, files: entries.map(({ file }) => file) }))
  const app = await Application.bootstrap({
    entryPoints: entries.map(({ file }) => file),
    tsconfig,
    out,
    name: 'strongroom',
    readme: 'none',
    router: 'structure',
    excludeInternal: true,
    // The declarations of a package may refer to types of optional packages that are not installed.
    skipErrorChecking: true,
    disableSources: true,
    logLevel: 'Error',
    navigationLinks: { Pages: '../index.html' },
  })
  const project = await app.convert()
  if (!project) throw new Error('api: TypeDoc could not read the declarations')
  const modules = project.children ?? []
  for (const entry of entries) {
    const module = modules.find(({ name }) => name === moduleNameOf(entry.file))
    if (!module) throw new Error(`api: ${entry.name} is missing`)
    module.name = entry.name
  }
  await app.generateOutputs(project)
  if (app.logger.hasErrors()) throw new Error('api: TypeDoc reported errors')
  return modules.length
}

/** The name that TypeDoc gives to a module: its path below `dist`. */
const moduleNameOf = (file) =>
  relative(join(repository, 'dist'), file)
    .replace(/\.d\.ts$/, '')
    .replace(/\/index$/, '')
