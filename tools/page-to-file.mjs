// Writes the program of a documentation page to a TypeScript file. Usage: node tools/page-to-file.mjs docs/adding-an-engine.md out.ts
import { readFileSync, writeFileSync } from 'node:fs'
import { programOf } from './page-program.mjs'

const [page, out] = process.argv.slice(2)
const { imports, declarations, body } = programOf(readFileSync(page, 'utf8'))
writeFileSync(out, `${imports}\n${declarations}\n${body}`)
