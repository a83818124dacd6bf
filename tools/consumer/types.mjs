// Compiles surface.ts, merging.ts and declared.ts under every compiler and setting that a consumer may have, and writes their declarations. Every
// declaration of the package is checked, too.
// Usage: node types.mjs [path of a tsc]...
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'

const RESOLUTIONS = [
  { module: 'nodenext', moduleResolution: 'nodenext' },
  { module: 'esnext', moduleResolution: 'bundler' },
]
/** Without the types of Node the browser's are there, as by default. */
const SURROUNDINGS = [{ types: ['node'], lib: ['ES2022', 'ESNext.Disposable'] }, { types: ['node'] }, { types: [] }]

let failed = 0
let done = 0
for (const tsc of process.argv.slice(2))
  for (const resolution of RESOLUTIONS)
    for (const surroundings of SURROUNDINGS)
      for (const exactOptionalPropertyTypes of [true, false]) {
        const own = { ...resolution, ...surroundings, exactOptionalPropertyTypes }
        const compilerOptions = {
          target: 'ES2022',
          strict: true,
          skipLibCheck: false,
          declaration: true,
          outDir: 'compiled',
          ...own,
        }
        writeFileSync(
          'tsconfig.surface.json',
          JSON.stringify({ compilerOptions, files: ['surface.ts', 'merging.ts', 'declared.ts'] }),
        )
        done++
        try {
          execFileSync(process.execPath, [tsc, '-p', 'tsconfig.surface.json'], { encoding: 'utf8' })
        } catch (error) {
          failed++
          console.error(`${tsc} ${JSON.stringify(own)}\n${error.stdout}`)
        }
      }
console.log(`types: ${done} settings, ${failed} failed`)
process.exitCode = failed > 0 || done === 0 ? 1 : 0
