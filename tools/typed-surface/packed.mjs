// Checks that every member of the installed package has documentation that an editor can show. Usage:
// node tools/typed-surface/packed.mjs <folder in which the package is installed>
import { resolve } from 'node:path'
import ts from 'typescript-5'
import { membersShown } from './hover.mjs'

const folder = resolve(process.argv[2]).replaceAll('\\', '/')
const text = `import type { Kernel, TokenView } from 'strongroom'
declare const kernel: Kernel
declare const view: TokenView
`
const options = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  strict: true,
  types: [],
}
const members = membersShown(`${folder}/probe.ts`, text, options, (file) => file.includes('/strongroom/dist/'))
const silent = members.filter(({ documentation }) => documentation === '')
for (const { path } of silent) console.error(`${path} has no documentation`)
console.log(`packed: ${members.length} members, ${silent.length} without documentation`)
process.exitCode = silent.length > 0 || members.length < 1000 ? 1 : 0
