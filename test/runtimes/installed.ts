/**
 * A user's project in a folder of its own, with the published package, its dependencies, and bundles of programs that import the package by
 * name.
 */
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BuildOptions, type BuildResult, build } from 'esbuild'

const root = fileURLToPath(new URL('../../', import.meta.url))
export const PROGRAM = join(root, 'test/runtimes/program/index.ts')

/** The optional peer dependencies that the programs use. */
const PEERS = ['node-forge']

export interface Project extends Disposable {
  readonly folder: string
  /** Bundles a module text with esbuild into a file. The result lists inputs and warnings; unresolved imports reject. */
  bundle(text: string, file: string, options: BuildOptions): Promise<BuildResult<{ metafile: true }>>
}

export function project(): Project {
  const folder = mkdtempSync(join(tmpdir(), 'strongroom-runtimes-'))
  const modules = join(folder, 'node_modules')
  const own = join(modules, 'strongroom')
  mkdirSync(own, { recursive: true })
  // The types are checked elsewhere.
  execFileSync(process.execPath, [join(root, 'tools/build.mjs'), '--out', join(own, 'dist'), '--no-types'], { cwd: root })
  copyFileSync(join(root, 'package.json'), join(own, 'package.json'))
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { dependencies: object }
  for (const name of [...Object.keys(dependencies), ...PEERS]) {
    mkdirSync(dirname(join(modules, name)), { recursive: true })
    symlinkSync(join(root, 'node_modules', name), join(modules, name), 'dir')
  }
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ private: true, type: 'module', dependencies: { strongroom: '*' } }),
  )
  return {
    folder,
    bundle: (text, file, options) =>
      build({
        ...options,
        stdin: { contents: text, resolveDir: folder, loader: 'ts' },
        outfile: join(folder, file),
        bundle: true,
        format: 'esm',
        target: 'es2023',
        metafile: true,
        logLevel: 'silent',
      }),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  }
}
