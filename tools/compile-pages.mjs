// Compiles every snippet of the documentation against the packed package, under the settings that `tsc --init` writes.
// Usage: node tools/compile-pages.mjs <folder in which the package is installed> <path of a tsc>...
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { modulesOf, withAbsoluteImports } from './page-program.mjs'

const repository = fileURLToPath(new URL('..', import.meta.url))
const [consumer, ...compilers] = process.argv.slice(2)
const folder = resolve(consumer, 'pages')

const compilerOptions = {
  target: 'esnext',
  module: 'nodenext',
  types: ['node'],
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  verbatimModuleSyntax: true,
  isolatedModules: true,
  noUncheckedSideEffectImports: true,
  moduleDetection: 'force',
  skipLibCheck: true,
  // Pages for contributors import fixtures of the tests.
  allowImportingTsExtensions: true,
  noEmit: true,
}

rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
// Make the drivers and frameworks that the pages import available. The package itself is found in the parent folder.
symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'), 'junction')
writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n')
writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))

let modules = 0
const docs = ['docs', 'skills'].flatMap((folder) =>
  readdirSync(join(repository, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
)
const pages = [...readdirSync(repository), ...docs].filter((name) => name.endsWith('.md'))
for (const page of pages) {
  for (const [index, code] of modulesOf(readFileSync(join(repository, page), 'utf8')).entries()) {
    modules++
    const name = `${page.replaceAll(/\W/g, '-')}-${index}.ts`
    writeFileSync(join(folder, name), withAbsoluteImports(page, code))
  }
}

let failed = 0
for (const compiler of compilers) {
  try {
    execFileSync(process.execPath, [compiler, '-p', folder], { encoding: 'utf8' })
  } catch (error) {
    failed++
    console.error(`${compiler}\n${error.stdout}`)
  }
}
console.log(`pages: ${modules} modules, ${compilers.length} compilers, ${failed} failed`)
process.exitCode = failed > 0 || modules === 0 || compilers.length === 0 ? 1 : 0
