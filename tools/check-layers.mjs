// Checks the imports between source files (layers.mjs). Usage:
//   node tools/check-layers.mjs [folder with src's content]
// Prints one line per violation, and the numbers of files and imports. Exits with 1 if there is a violation or no file.
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { checkLayers } from './layers.mjs'

const root = resolve(process.argv[2] ?? join(dirname(fileURLToPath(import.meta.url)), '..', 'src'))
const { read, edges, violations } = checkLayers(root)
for (const line of violations) console.error(line)
console.log(`check-layers: ${read} files and ${edges} imports read, ${violations.length} violations`)
process.exitCode = violations.length > 0 || read === 0 ? 1 : 0
