// Checks who imports whom (layers.mjs). Usage:
//   node tools/check-layers.mjs [folder with src's content]
// Prints one line per violation and how many files and imports it read; exits 1 on any, and where there is nothing to read.
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { checkLayers } from './layers.mjs'

const root = resolve(process.argv[2] ?? join(dirname(fileURLToPath(import.meta.url)), '..', 'src'))
const { read, edges, violations } = checkLayers(root)
for (const line of violations) console.error(line)
console.log(`check-layers: ${read} files and ${edges} imports read, ${violations.length} violations`)
process.exitCode = violations.length > 0 || read === 0 ? 1 : 0
