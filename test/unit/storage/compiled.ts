/**
 * The LMDB adapter as JavaScript, for child processes: Node 20 runs no TypeScript.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = dirname(fileURLToPath(new URL('../../../package.json', import.meta.url)))

/** Below node_modules, so that the adapter finds its driver as it would when installed. */
export function compileAdapter(): { readonly url: string; remove(): void } {
  const directory = mkdtempSync(join(root, 'node_modules', '.strongroom-test-'))
  const config = {
    extends: join(root, 'tsconfig.build.json'),
    compilerOptions: {
      rootDir: join(root, 'src'),
      outDir: directory,
      declaration: false,
      declarationMap: false,
      noEmitOnError: false,
    },
    include: [],
    files: [join(root, 'src/adapters/storage-lmdb/index.ts')],
  }
  writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify(config))
  writeFileSync(join(directory, 'package.json'), '{ "type": "module" }')
  execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', directory], { stdio: 'inherit' })
  return {
    url: pathToFileURL(join(directory, 'adapters/storage-lmdb/index.js')).href,
    remove: () => rmSync(directory, { recursive: true, force: true }),
  }
}
